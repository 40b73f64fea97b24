//! `file_write`: writes a new file of the session, or a new version of an existing one.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::files::FileRepository;
use crate::kernel::{FileName, FileNameError};
use crate::tool::{CallContext, Output, OutputFile, SideEffect, Tool, ToolError, ToolSpec, arguments};

/// Arguments of `file_write`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FileWriteArguments {
    /// Name of the file, without a folder: `report.md`. A file that exists already gets a new version.
    name: String,
    /// Complete content of the file, as text.
    content: String,
}

/// The `file_write` tool.
pub(super) struct FileWriteTool {
    files: FileRepository,
    spec: ToolSpec,
}

impl FileWriteTool {
    pub(super) fn new(files: FileRepository) -> Self {
        let description = "Writes a text file of this session, for people to read and save. If the file exists, this \
                     creates a new version and keeps the older ones.";
        let spec =
            ToolSpec::reading("file_write", description, arguments::schema::<FileWriteArguments>()).returning([]);
        // Writing the same content again does not create another version, so a call whose result was lost can be
        // repeated.
        Self { files, spec: ToolSpec { effect: SideEffect::Session, idempotent: true, ..spec } }
    }
}

#[async_trait]
impl Tool for FileWriteTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn call(&self, _: &CallContext, arguments: Value) -> Result<Output, ToolError> {
        let FileWriteArguments { name, content } = arguments::read(arguments)?;
        let name: FileName =
            name.parse().map_err(|error: FileNameError| ToolError::new("arguments_invalid", error.to_string()))?;
        self.files.check(content.len()).map_err(|error| ToolError::new("too_large", error.to_string()))?;
        let text = format!("wrote {name} ({} bytes)", content.len());
        Ok(Output { text, files: vec![OutputFile { name: name.to_string(), content: content.into() }] })
    }
}
