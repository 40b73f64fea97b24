//! `file_list`: what files the session has.

use std::fmt::Write;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::kernel::file::current;
use crate::tool::{Output, Place, Spec, Tool, ToolError, arguments};

/// What `file_list` takes.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {}

/// The tool.
pub(super) struct List(Spec);

impl List {
    pub(super) fn new() -> Self {
        let words = "Lists the files of this session: what people have brought and what agents have made.";
        Self(Spec::reading("file_list", words, arguments::schema::<Arguments>()))
    }
}

#[async_trait]
impl Tool for List {
    fn spec(&self) -> &Spec {
        &self.0
    }

    async fn call(&self, at: &Place, arguments: Value) -> Result<Output, ToolError> {
        let Arguments {} = arguments::read(arguments)?;
        let mut text = String::new();
        for file in current(&at.files) {
            let (name, version, bytes) = (&file.name, file.version, file.bytes);
            let _ =
                writeln!(text, "{name}\tversion {version}, {bytes} bytes, {}, by {}", file.media_type, file.by.name);
        }
        if text.is_empty() {
            text.push_str("[the session has no files]");
        }
        Ok(text.into())
    }
}
