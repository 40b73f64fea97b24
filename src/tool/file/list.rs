//! `file_list`: lists the files of the session.

use std::fmt::Write;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::agent::listed;
use crate::kernel::file::current;
use crate::tool::{Output, Place, Spec, Tool, ToolError, arguments};

/// Arguments of `file_list`, which takes none.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {}

/// The `file_list` tool.
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
        let (mut text, mut hidden) = (String::new(), 0);
        for file in current(&at.files) {
            if at.guard.hides_file(&file.name) {
                hidden += 1;
                continue;
            }
            let _ = writeln!(text, "{}", listed(file));
        }
        if hidden > 0 {
            let _ = write!(text, "[files left out: {hidden}; the rules ask before they are read, or do not allow it]");
        } else if text.is_empty() {
            text.push_str("[the session has no files]");
        }
        Ok(text.into())
    }
}
