//! `code_read`: reads lines of a file.

use std::{
    ffi::OsStr,
    io::{BufReader, Read as _},
};

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::bases::{CodeBases, CodePathTarget, open_error};
use crate::tool::{CallContext, Output, Tool, ToolError, ToolSpec, arguments, numbered_lines::numbered_lines};

/// Arguments of `code_read`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CodeReadArguments {
    /// The file, beginning with a code base's name: `server/src/main.rs`.
    path: String,
    /// The first line to read, counted from 1; absent: 1.
    #[schemars(range(min = 1))]
    offset: Option<usize>,
    /// Number of lines; absent: as many as one call can read.
    #[schemars(range(min = 1))]
    limit: Option<usize>,
}

/// The `code_read` tool.
pub(super) struct CodeReadTool {
    bases: CodeBases,
    spec: ToolSpec,
}

impl CodeReadTool {
    pub(super) fn new(bases: CodeBases) -> Self {
        let description = "Reads lines of a text file in a code base. Each line starts with its number and a tab.";
        let spec = bases.settings.spec("code_read", description, arguments::schema::<CodeReadArguments>());
        Self { bases, spec }
    }
}

#[async_trait]
impl Tool for CodeReadTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn call(&self, at: &CallContext, arguments: Value) -> Result<Output, ToolError> {
        let input: CodeReadArguments = arguments::read(arguments)?;
        let read = self.bases.work(at, move |bases, at, _| {
            let (folder, name) = match bases.find(at, &input.path)? {
                CodePathTarget::File(folder, name) => (folder, name),
                CodePathTarget::Folder(_) | CodePathTarget::Top(_) => {
                    let message = format!("`{}` is a folder; list it with code_list", input.path);
                    return Err(ToolError::new("not_found", message));
                }
            };
            let path = folder.path_of(OsStr::new(&name));
            if at.guard.blocks_code_content(&path) {
                return Err(ToolError::new(
                    "denied",
                    format!("rules apply to `{path}`; write its path exactly like this"),
                ));
            }
            let (file, bytes) = folder.file(OsStr::new(&name)).map_err(|error| open_error(&path, error))?;
            let max_bytes = bases.settings.max_file_bytes;
            if bytes > max_bytes {
                let message = format!("`{path}` has {bytes} bytes; no file of more than {max_bytes} is read");
                return Err(ToolError::new("too_large", message));
            }
            // The file can have grown since its size was read.
            let file = BufReader::with_capacity(64 * 1024, file.take(max_bytes));
            numbered_lines(file, &path, input.offset, input.limit, &bases.settings)
                .map_err(|error| open_error(&path, error))
        });
        Ok(read.await?.into())
    }
}
