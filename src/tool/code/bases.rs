//! Code bases of a session, and resolution of paths in them.

use std::{ffi::OsStr, io, sync::Arc, time::Duration};

use rustix::io::Errno;

use super::{
    CodeSettings,
    blocking::{Stop, blocking},
    folder::{Folder, Kind, Sight},
};
use crate::tool::{Place, ToolError, places::Places};

/// All code bases of the configuration.
#[derive(Clone)]
pub(super) struct Bases {
    pub(super) settings: Arc<CodeSettings>,
    places: Places,
}

/// Target of a path.
pub(super) enum Found {
    /// The top of the tree: the code bases of the session.
    Top(Vec<Folder>),
    /// A folder.
    Folder(Folder),
    /// A file, as its folder and its name there.
    File(Folder, String),
}

impl Bases {
    pub(super) fn new(settings: &CodeSettings) -> Self {
        Self { places: Places::new(&settings.queue), settings: Arc::new(settings.clone()) }
    }

    /// Runs blocking work on its own thread when it is this call's turn. The work ends early when its time is over or
    /// nobody waits for it.
    pub(super) async fn work<T: Send + 'static>(
        &self,
        at: &Place,
        work: impl FnOnce(&Self, &Place, &Stop) -> Result<T, ToolError> + Send + 'static,
    ) -> Result<T, ToolError> {
        let turn = self.places.take(at).await?;
        let (bases, at) = (self.clone(), at.clone());
        blocking(Duration::from_secs(self.settings.seconds), move |stop| {
            let done = work(&bases, &at, stop);
            drop(turn);
            done
        })
        .await
    }

    /// Resolves a path, one component after the other.
    pub(super) fn find(&self, at: &Place, path: &str) -> Result<Found, ToolError> {
        let mut parts = parts(path)?.into_iter();
        let Some(base) = parts.next() else {
            let open = at.code.iter().filter_map(|name| self.open(name).ok()).collect::<Vec<_>>();
            return if open.is_empty() { Err(self.none(at)) } else { Ok(Found::Top(open)) };
        };
        if !at.code.iter().any(|name| &**name == base) {
            return Err(self.unknown(at, base));
        }
        let mut folder = self.open(base)?;
        while let Some(part) = parts.next() {
            let path = folder.path_of(OsStr::new(part));
            let kind = folder.kind(OsStr::new(part)).map_err(|error| unreachable(&path, &error))?;
            match kind {
                Kind::Folder => {
                    folder = folder.folder(OsStr::new(part)).map_err(|error| unreachable(&path, &error))?;
                }
                Kind::File if parts.as_slice().is_empty() => return Ok(Found::File(folder, part.to_owned())),
                Kind::File => return Err(ToolError::new("not_found", format!("`{path}` is a file, not a folder"))),
                Kind::Link => return Err(link(&path)),
                Kind::Other => return Err(special(&path)),
            }
        }
        Ok(Found::Folder(folder))
    }

    fn open(&self, base: &str) -> Result<Folder, ToolError> {
        let sight = Sight { hidden: self.settings.hidden, ignored: self.settings.ignored };
        let gone = || {
            let words = format!("the code base `{base}` cannot be opened; the operator must check its folder");
            ToolError::new("tool_unavailable", words)
        };
        let root = &self.settings.bases.get(base).ok_or_else(gone)?.path;
        Folder::top(base, root, sight).map_err(|_| gone())
    }

    fn none(&self, at: &Place) -> ToolError {
        let words = if at.code.is_empty() { "this session has no code base" } else { "no code base can be opened" };
        ToolError::new("tool_unavailable", words)
    }

    fn unknown(&self, at: &Place, base: &str) -> ToolError {
        if at.code.is_empty() {
            return self.none(at);
        }
        let names = at.code.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let words = format!("`{base}` is not a code base of this session; start the path with one of {names}");
        ToolError::new("not_found", words)
    }
}

/// Splits a path into components. Rejects `..` instead of resolving it, because it has another meaning after a symbolic
/// link.
fn parts(path: &str) -> Result<Vec<&str>, ToolError> {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    if path.starts_with('/') || parts.contains(&"..") {
        let words = format!("`{path}` is not allowed; start with the name of a code base and do not use `..`");
        return Err(ToolError::new("outside", words));
    }
    Ok(parts)
}

/// Returns the error for a failed open. It names no folder of the machine.
pub(super) fn unreachable(path: &str, error: &io::Error) -> ToolError {
    // A symbolic link has replaced the file or folder since it was checked.
    if let Some(Errno::LOOP | Errno::NOTDIR) = Errno::from_io_error(error) {
        return link(path);
    }
    match error.kind() {
        io::ErrorKind::NotFound => ToolError::new("not_found", format!("there is no `{path}`")),
        io::ErrorKind::PermissionDenied => ToolError::new("outside", format!("`{path}` may not be read")),
        io::ErrorKind::InvalidInput => special(path),
        _ => ToolError::new("tool_failed", format!("`{path}` cannot be read")),
    }
}

fn link(path: &str) -> ToolError {
    let words = format!("`{path}` is a symbolic link, which is not followed; use the path of its target");
    ToolError::new("outside", words)
}

fn special(path: &str) -> ToolError {
    ToolError::new("outside", format!("`{path}` is neither a file nor a folder, or too deep"))
}
