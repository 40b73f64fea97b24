//! Confinement of file access to code bases. A folder is held open, and its entries are opened by a single name
//! relative to the folder's descriptor, never through a symbolic link. The system never receives a path with several
//! components, so no path can lead outside: not through `..`, not through a link, and not through a link that is
//! created between the check and the open.

use std::{
    ffi::{CStr, OsStr, OsString},
    fs::File,
    io::{self, Read},
    os::{fd::OwnedFd, unix::ffi::OsStrExt},
    path::Path,
    sync::Arc,
};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, fstat, open, openat, statat};

use super::gitignore::IgnoreRules;

/// Maximum number of bytes that are read from a `.gitignore`.
const MAX_GITIGNORE_BYTES: u64 = 256 * 1024;

/// Maximum depth of nested folders. Walks through them and lookups in their `.gitignore` rules are recursive, so an
/// unlimited depth could overflow the stack.
const MAX_DEPTH: usize = 200;

/// Visibility of hidden and ignored entries for agents.
#[derive(Debug, Clone, Copy)]
pub(super) struct Visibility {
    /// True if entries whose names start with a dot are visible.
    pub(super) hidden: bool,
    /// True if entries that a `.gitignore` excludes are visible.
    pub(super) ignored: bool,
}

/// An open folder of a code base.
pub(super) struct Folder {
    fd: OwnedFd,
    /// Path of the folder as agents see it, such as `server/src`.
    pub(super) path: String,
    depth: usize,
    sight: Visibility,
    ignored: Option<Arc<IgnoreRules>>,
}

/// An entry of a folder.
pub(super) struct FolderEntry {
    pub(super) name: OsString,
    pub(super) kind: FolderEntryKind,
}

/// Kind of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FolderEntryKind {
    Folder,
    File,
    /// A symbolic link, which is shown but never followed.
    Link,
    /// A pipe, a socket or a device.
    Other,
}

impl Folder {
    /// Opens the folder of a code base. The operator's path to it can contain symbolic links.
    pub(super) fn top(name: &str, at: &Path, sight: Visibility) -> io::Result<Self> {
        let fd = open(at, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        Ok(Self { fd, path: name.to_owned(), depth: 0, sight, ignored: None }.with_rules())
    }

    /// Opens a folder in this one.
    pub(super) fn folder(&self, name: &OsStr) -> io::Result<Self> {
        if self.depth == MAX_DEPTH {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let fd = self.open(name, OFlags::DIRECTORY)?;
        let (path, depth, ignored) = (self.path_of(name), self.depth + 1, self.ignored.clone());
        Ok(Self { fd, path, depth, sight: self.sight, ignored }.with_rules())
    }

    /// Opens a file in this folder and returns it with its size in bytes.
    pub(super) fn file(&self, name: &OsStr) -> io::Result<(File, u64)> {
        // Without NONBLOCK, opening a pipe would wait for its writer.
        let fd = self.open(name, OFlags::NONBLOCK | OFlags::NOCTTY)?;
        let stat = fstat(&fd)?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        Ok((File::from(fd), stat.st_size.try_into().unwrap_or(0)))
    }

    /// Returns the kind of `name`. An entry that agents must not see counts as not found.
    pub(super) fn kind(&self, name: &OsStr) -> io::Result<FolderEntryKind> {
        let stat = statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW)?;
        let kind = FolderEntryKind::of(FileType::from_raw_mode(stat.st_mode));
        if self.shows(name, kind) { Ok(kind) } else { Err(io::ErrorKind::NotFound.into()) }
    }

    /// Returns the entries that agents can see, sorted by name. If `over` returns true, stops and returns the entries
    /// found so far.
    pub(super) fn entries(&self, over: impl Fn() -> bool) -> io::Result<Vec<FolderEntry>> {
        let mut found = vec![];
        for entry in Dir::read_from(&self.fd)? {
            let entry = entry?;
            let name = OsStr::from_bytes(CStr::to_bytes(entry.file_name()));
            if name == "." || name == ".." {
                continue;
            }
            if over() {
                break;
            }
            let kind = match entry.file_type() {
                FileType::Unknown => match statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW) {
                    Ok(stat) => FolderEntryKind::of(FileType::from_raw_mode(stat.st_mode)),
                    Err(_) => continue,
                },
                known => FolderEntryKind::of(known),
            };
            if self.shows(name, kind) {
                found.push(FolderEntry { name: name.to_owned(), kind });
            }
        }
        found.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        Ok(found)
    }

    /// Returns the path of an entry as agents see it, such as `server/src/main.rs`.
    pub(super) fn path_of(&self, name: &OsStr) -> String {
        format!("{}/{}", self.path, name.to_string_lossy())
    }

    fn open(&self, name: &OsStr, flags: OFlags) -> io::Result<OwnedFd> {
        // The whole confinement depends on every name being a single component.
        if name.is_empty() || name == "." || name == ".." || name.as_bytes().contains(&b'/') {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        Ok(openat(&self.fd, name, flags | OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())?)
    }

    fn with_rules(mut self) -> Self {
        if self.sight.ignored {
            return self;
        }
        let mut lines = vec![];
        if let Ok((file, _)) = self.file(OsStr::new(".gitignore"))
            && file.take(MAX_GITIGNORE_BYTES).read_to_end(&mut lines).is_ok()
        {
            let above = self.ignored.take();
            self.ignored = Some(IgnoreRules::below(above, &self.path, &String::from_utf8_lossy(&lines)));
        }
        self
    }

    fn shows(&self, name: &OsStr, kind: FolderEntryKind) -> bool {
        if name == ".git" || (!self.sight.hidden && name.as_bytes().starts_with(b".")) {
            return false;
        }
        let folder = kind == FolderEntryKind::Folder;
        self.ignored.as_ref().is_none_or(|rules| !rules.ignores(Path::new(&self.path_of(name)), folder))
    }
}

impl FolderEntryKind {
    fn of(kind: FileType) -> Self {
        match kind {
            FileType::Directory => Self::Folder,
            FileType::RegularFile => Self::File,
            FileType::Symlink => Self::Link,
            _ => Self::Other,
        }
    }
}
