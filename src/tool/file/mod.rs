//! Tools for files of the session: list, read, write. Writing creates a new version, so no content is ever lost.

mod list;
mod read;
mod write;

use std::sync::Arc;

use super::code::CodeSettings;
use super::{CallContext, Tool, ToolError};
use crate::agent::quote_name;
use crate::files::FileRepository;
use crate::kernel::File;
use crate::kernel::file::current;

/// Returns the file tools. Text files are read with the limits of `code_read`.
pub(super) fn tools(files: &FileRepository, lines: &CodeSettings) -> Vec<Arc<dyn Tool>> {
    vec![
        Arc::new(list::FileListTool::new()),
        Arc::new(read::FileReadTool::new(files.clone(), lines.clone())),
        Arc::new(write::FileWriteTool::new(files.clone())),
    ]
}

/// Returns the file with this name and version. If `version` is `None`, returns the newest version.
///
/// # Errors
/// Fails with `not_found` and the names of up to 50 existing files that the rules do not hide.
fn find<'a>(at: &'a CallContext, name: &str, version: Option<u32>) -> Result<&'a Arc<File>, ToolError> {
    let found = match version {
        Some(version) => {
            let versions = at.files.iter().filter(|file| *file.name == *name && file.redacted.is_none());
            versions.into_iter().find(|file| file.version == version)
        }
        None => current(&at.files).find(|file| *file.name == *name),
    };
    found.ok_or_else(|| {
        let listed = current(&at.files).filter(|file| !at.guard.hides_file_name(&file.name));
        let names: Vec<String> = listed.map(|file| quote_name(&file.name)).take(50).collect();
        let message = if names.is_empty() { "it has none".into() } else { format!("it has {}", names.join(", ")) };
        ToolError::new("not_found", format!("the session has no such file; {message}"))
    })
}
