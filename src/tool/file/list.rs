//! `file_list`: lists the files of the session.

use std::fmt::Write;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::agent::file_list_line;
use crate::kernel::file::current;
use crate::tool::{CallContext, Output, Tool, ToolError, ToolSpec, arguments};

/// Arguments of `file_list`, which takes none.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FileListArguments {}

/// The `file_list` tool.
pub(super) struct FileListTool(ToolSpec);

impl FileListTool {
    pub(super) fn new() -> Self {
        let description = "Lists the files of this session: those that people uploaded and those that agents made.";
        Self(ToolSpec::reading("file_list", description, arguments::schema::<FileListArguments>()).returning([]))
    }
}

#[async_trait]
impl Tool for FileListTool {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn call(&self, at: &CallContext, arguments: Value) -> Result<Output, ToolError> {
        let FileListArguments {} = arguments::read(arguments)?;
        let (mut text, mut hidden) = (String::new(), 0);
        for file in current(&at.files) {
            if at.guard.hides_file_name(&file.name) {
                hidden += 1;
                continue;
            }
            let _ = writeln!(text, "{}", file_list_line(file));
        }
        if hidden > 0 {
            let _ = write!(text, "[files left out: {hidden}; the rules ask before they are read, or do not allow it]");
        } else if text.is_empty() {
            text.push_str("[the session has no files]");
        }
        Ok(text.into())
    }
}
