//! Code bases of a session, and resolution of paths in them.

use std::{ffi::OsStr, io, sync::Arc, time::Duration};

use rustix::io::Errno;

use super::{
    CodeSettings,
    folder::{Folder, FolderEntryKind, Visibility},
    worker_thread::{Deadline, run_on_thread},
};
use crate::tool::{CallContext, ToolError, call_queue::CallQueue};

/// All code bases of the configuration.
#[derive(Clone)]
pub(super) struct CodeBases {
    pub(super) settings: Arc<CodeSettings>,
    places: CallQueue,
}

/// Target of a path.
pub(super) enum CodePathTarget {
    /// The root of the tree: the code bases of the session.
    Top(Vec<Folder>),
    /// A folder.
    Folder(Folder),
    /// A file, as its folder and its name in that folder.
    File(Folder, String),
}

impl CodeBases {
    pub(super) fn new(settings: &CodeSettings) -> Self {
        Self { places: CallQueue::new(&settings.queue), settings: Arc::new(settings.clone()) }
    }

    /// Runs blocking work on a dedicated thread when it is this call's turn. The work ends early when its time is up or
    /// its caller is cancelled.
    pub(super) async fn work<T: Send + 'static>(
        &self,
        at: &CallContext,
        work: impl FnOnce(&Self, &CallContext, &Deadline) -> Result<T, ToolError> + Send + 'static,
    ) -> Result<T, ToolError> {
        let turn = self.places.take(at).await?;
        let (bases, at) = (self.clone(), at.clone());
        run_on_thread(Duration::from_secs(self.settings.timeout_seconds), move |stop| {
            let done = work(&bases, &at, stop);
            drop(turn);
            done
        })
        .await
    }

    /// Resolves a path, one component after the other.
    pub(super) fn find(&self, at: &CallContext, path: &str) -> Result<CodePathTarget, ToolError> {
        let mut parts = split_path(path)?.into_iter();
        let Some(base) = parts.next() else {
            let open = at.code.iter().filter_map(|name| self.open(name).ok()).collect::<Vec<_>>();
            return if open.is_empty() { Err(self.none(at)) } else { Ok(CodePathTarget::Top(open)) };
        };
        if !at.code.iter().any(|name| &**name == base) {
            return Err(self.unknown(at, base));
        }
        let mut folder = self.open(base)?;
        while let Some(part) = parts.next() {
            let path = folder.path_of(OsStr::new(part));
            let kind = folder.kind(OsStr::new(part)).map_err(|error| open_error(&path, error))?;
            match kind {
                FolderEntryKind::Folder => {
                    folder = folder.folder(OsStr::new(part)).map_err(|error| open_error(&path, error))?;
                }
                FolderEntryKind::File if parts.as_slice().is_empty() => {
                    return Ok(CodePathTarget::File(folder, part.to_owned()));
                }
                FolderEntryKind::File => {
                    return Err(ToolError::new("not_found", format!("`{path}` is a file, not a folder")));
                }
                FolderEntryKind::Link => return Err(link_error(&path)),
                FolderEntryKind::Other => return Err(special_file_error(&path)),
            }
        }
        Ok(CodePathTarget::Folder(folder))
    }

    fn open(&self, base: &str) -> Result<Folder, ToolError> {
        let sight = Visibility { hidden: self.settings.hidden, ignored: self.settings.ignored };
        let missing = || {
            let message = format!("the code base `{base}` cannot be opened; the operator must check its folder");
            ToolError::new("tool_unavailable", message)
        };
        let root = &self.settings.bases.get(base).ok_or_else(missing)?.path;
        Folder::top(base, root, sight).map_err(|error| missing().caused_by(error))
    }

    fn none(&self, at: &CallContext) -> ToolError {
        let message = if at.code.is_empty() { "this session has no code base" } else { "no code base can be opened" };
        ToolError::new("tool_unavailable", message)
    }

    fn unknown(&self, at: &CallContext, base: &str) -> ToolError {
        if at.code.is_empty() {
            return self.none(at);
        }
        let names = at.code.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let message = format!("`{base}` is not a code base of this session; start the path with one of {names}");
        ToolError::new("not_found", message)
    }
}

/// Splits a path into components. Rejects `..` instead of resolving it, because it has a different meaning after a
/// symbolic link.
fn split_path(path: &str) -> Result<Vec<&str>, ToolError> {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    if path.starts_with('/') || parts.contains(&"..") {
        let message = format!("`{path}` is not allowed; start with the name of a code base and do not use `..`");
        return Err(ToolError::new("outside", message));
    }
    Ok(parts)
}

/// Returns the error for a failed attempt to open `path`. It reveals no path on the machine.
pub(super) fn open_error(path: &str, error: io::Error) -> ToolError {
    // A symbolic link has replaced the file or folder since it was checked.
    if let Some(Errno::LOOP | Errno::NOTDIR) = Errno::from_io_error(&error) {
        return link_error(path);
    }
    match error.kind() {
        io::ErrorKind::NotFound => ToolError::new("not_found", format!("there is no `{path}`")),
        io::ErrorKind::PermissionDenied => ToolError::new("outside", format!("`{path}` may not be read")),
        io::ErrorKind::InvalidInput => special_file_error(path),
        _ => ToolError::new("tool_failed", format!("`{path}` cannot be read")).caused_by(error),
    }
}

fn link_error(path: &str) -> ToolError {
    let message = format!("`{path}` is a symbolic link, which is not followed; use the path of its target");
    ToolError::new("outside", message)
}

fn special_file_error(path: &str) -> ToolError {
    ToolError::new("outside", format!("`{path}` is neither a file nor a folder, or too deep"))
}
