//! `file_read`: reads lines of a file of the session.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::find;
use crate::files::FileRepository;
use crate::tool::code::CodeSettings;
use crate::tool::{CallContext, Output, Tool, ToolError, ToolSpec, arguments, numbered_lines::numbered_lines};

/// Arguments of `file_read`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FileReadArguments {
    /// Name of the file, as in file_list.
    name: String,
    /// An older version; absent: the newest.
    #[schemars(range(min = 1))]
    version: Option<u32>,
    /// The first line to read, counted from 1; absent: 1.
    #[schemars(range(min = 1))]
    offset: Option<usize>,
    /// Number of lines; absent: as many as one call can read.
    #[schemars(range(min = 1))]
    limit: Option<usize>,
}

/// The `file_read` tool.
pub(super) struct FileReadTool {
    files: FileRepository,
    bounds: CodeSettings,
    spec: ToolSpec,
}

impl FileReadTool {
    pub(super) fn new(files: FileRepository, bounds: CodeSettings) -> Self {
        let description = "Reads lines of a text file of this session. Each line starts with its number and a tab.";
        let spec = ToolSpec::reading("file_read", description, arguments::schema::<FileReadArguments>()).returning([]);
        let spec = ToolSpec { output_bytes: bounds.max_output_bytes + 1024, ..spec };
        Self { files, bounds, spec }
    }
}

#[async_trait]
impl Tool for FileReadTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn call(&self, at: &CallContext, arguments: Value) -> Result<Output, ToolError> {
        let FileReadArguments { name, version, offset, limit } = arguments::read(arguments)?;
        let file = find(at, &name, version)?;
        if !file.is_text() {
            let message =
                format!("[`{name}` is not text but {}, {} bytes, and is not shown]", file.media_type, file.bytes);
            return Ok(message.into());
        }
        let silent = |error| ToolError::new("tool_failed", "the file cannot be read now; retry later").caused_by(error);
        let content = self.files.content(at.session, file).await.map_err(silent)?;
        numbered_lines(&*content, &name, offset, limit, &self.bounds)
            .map(Into::into)
            .map_err(|error| ToolError::new("tool_failed", error.to_string()))
    }
}
