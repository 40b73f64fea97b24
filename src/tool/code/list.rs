//! `code_list`: lists the files and folders of a code base.

use std::{fmt::Write, path::Path};

use async_trait::async_trait;
use globset::GlobMatcher;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{
    CodeSettings,
    bases::{CodeBases, CodePathTarget},
    folder::{Folder, FolderEntryKind},
    glob,
    worker_thread::Deadline,
};
use crate::agent::to_single_line;
use crate::kernel::CallGuard;
use crate::tool::{CallContext, Output, Tool, ToolError, ToolSpec, arguments};

/// Arguments of `code_list`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CodeListArguments {
    /// The folder, beginning with a code base's name, as in `server/src`; absent: all code bases of the session.
    #[serde(default)]
    path: String,
    /// Only files that match, such as `*.rs` by name or `src/**/*.rs` by path within the code base; absent:
    /// all.
    glob: Option<String>,
    /// Levels of folders; absent: 2, or all of them with `glob`.
    #[schemars(range(min = 1))]
    depth: Option<usize>,
}

/// The `code_list` tool.
pub(super) struct CodeListTool {
    bases: CodeBases,
    spec: ToolSpec,
}

impl CodeListTool {
    pub(super) fn new(bases: CodeBases) -> Self {
        let description =
            "Lists files and folders of the code bases. Paths begin with a code base's name; folders end with `/`.";
        let description = format!("{description}{}", bases.settings.left_out());
        let spec = bases.settings.spec("code_list", &description, arguments::schema::<CodeListArguments>());
        Self { bases, spec }
    }
}

#[async_trait]
impl Tool for CodeListTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn call(&self, at: &CallContext, arguments: Value) -> Result<Output, ToolError> {
        let input: CodeListArguments = arguments::read(arguments)?;
        let glob = input.glob.as_deref().map(glob::compile_glob).transpose()?;
        let listed = self.bases.work(at, move |bases, at, stop| {
            let depth = input.depth.unwrap_or(if glob.is_some() { usize::MAX } else { 2 }).max(1);
            let mut listing = CodeListing {
                settings: &bases.settings,
                stop,
                guard: &at.guard,
                glob,
                text: String::new(),
                entries: 0,
                unread: 0,
                hidden: 0,
            };
            match bases.find(at, &input.path)? {
                CodePathTarget::Top(folders) => {
                    for folder in folders {
                        listing.line(&format!("{}/", folder.path), true);
                        listing.folder(&folder, depth - 1);
                    }
                }
                CodePathTarget::Folder(folder) if at.guard.hides_code_path(&folder.path) => listing.hidden += 1,
                CodePathTarget::Folder(folder) => listing.folder(&folder, depth),
                CodePathTarget::File(folder, name) if at.guard.hides_code_path(&folder.path_of(name.as_ref())) => {
                    listing.hidden += 1
                }
                CodePathTarget::File(folder, name) => listing.line(&folder.path_of(name.as_ref()), false),
            }
            Ok(listing.render())
        });
        Ok(listed.await?.into())
    }
}

struct CodeListing<'a> {
    settings: &'a CodeSettings,
    stop: &'a Deadline,
    guard: &'a CallGuard,
    glob: Option<GlobMatcher>,
    text: String,
    entries: usize,
    unread: usize,
    /// Number of paths that the call rules exclude.
    hidden: usize,
}

impl CodeListing<'_> {
    fn folder(&mut self, folder: &Folder, depth: usize) {
        if depth == 0 || self.stop.over() {
            return;
        }
        let Ok(entries) = folder.entries(|| self.stop.over()) else {
            self.unread += 1;
            return;
        };
        for entry in entries {
            if self.stop.over() {
                return;
            }
            let path = folder.path_of(&entry.name);
            if self.guard.hides_code_path(&path) {
                self.hidden += 1;
                continue;
            }
            match entry.kind {
                FolderEntryKind::Folder => {
                    self.line(&format!("{path}/"), true);
                    match folder.folder(&entry.name) {
                        Ok(inner) => self.folder(&inner, depth - 1),
                        Err(_) => self.unread += 1,
                    }
                }
                FolderEntryKind::File => self.line(&path, false),
                FolderEntryKind::Link => self.line(&format!("{path} (symbolic link, not followed)"), false),
                FolderEntryKind::Other => {}
            }
        }
    }

    fn line(&mut self, path: &str, folder: bool) {
        let wanted = |glob: &GlobMatcher| !folder && glob.is_match(Path::new(glob::path_in_base(path)));
        if !self.glob.as_ref().is_none_or(wanted) {
            return;
        }
        if self.entries == self.settings.max_entries || self.text.len() + path.len() > self.settings.max_output_bytes {
            self.stop.end();
            return;
        }
        self.entries += 1;
        let _ = writeln!(self.text, "{}", to_single_line(path));
    }

    fn render(mut self) -> String {
        let entries = self.entries;
        let _ = if self.stop.late() {
            write!(self.text, "[{entries} entries, then the time limit was reached; use a deeper folder]")
        } else if self.stop.over() {
            write!(self.text, "[the first {entries} entries; use a deeper folder, a smaller depth or a glob]")
        } else {
            write!(self.text, "[{entries} {}]", if entries == 1 { "entry" } else { "entries" })
        };
        if self.unread > 0 {
            let _ = write!(self.text, "\n[folders that could not be read: {}]", self.unread);
        }
        if self.hidden > 0 {
            let _ = write!(
                self.text,
                "\n[{} left out: the rules ask before these paths, or do not allow them]",
                self.hidden
            );
        }
        self.text
    }
}
