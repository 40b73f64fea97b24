//! `file_write`: writes a file of the session, or a new version of one.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::files::Files;
use crate::kernel::{FileName, FileNameError};
use crate::tool::{Made, Output, Place, SideEffect, Spec, Tool, ToolError, arguments};

/// Arguments of `file_write`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Name of the file, without a folder: `report.md`. A file that exists already gets a new version.
    name: String,
    /// Complete content of the file, as text.
    content: String,
}

/// The `file_write` tool.
pub(super) struct Write {
    files: Files,
    spec: Spec,
}

impl Write {
    pub(super) fn new(files: Files) -> Self {
        let words = "Writes a text file of this session, for people to read and save. A file that is there already gets a new \
                     version; older ones are kept.";
        let spec = Spec::reading("file_write", words, arguments::schema::<Arguments>());
        // Writing the same content again creates no further version, so a call whose result was lost can be repeated.
        Self { files, spec: Spec { effect: SideEffect::Session, idempotent: true, ..spec } }
    }
}

#[async_trait]
impl Tool for Write {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    async fn call(&self, _: &Place, arguments: Value) -> Result<Output, ToolError> {
        let Arguments { name, content } = arguments::read(arguments)?;
        let name: FileName =
            name.parse().map_err(|error: FileNameError| ToolError::new("arguments_invalid", error.to_string()))?;
        self.files.check(content.len()).map_err(|error| ToolError::new("too_large", error.to_string()))?;
        let text = format!("wrote {name} ({} bytes)", content.len());
        Ok(Output { text, files: vec![Made { name: name.to_string(), content: content.into() }] })
    }
}
