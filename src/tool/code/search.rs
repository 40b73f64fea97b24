//! `code_search`: finds lines that match a pattern, in all files.

use std::{ffi::OsStr, path::Path, thread};

use async_trait::async_trait;
use globset::GlobMatcher;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{
    bases::{Bases, Found},
    blocking::Stop,
    folder::Folder,
    hits::{Hits, Reader},
    matches,
    pattern::Pattern,
    walk,
};
use crate::tool::{Output, Place, Spec, Tool, ToolError, arguments};

/// Arguments of `code_search`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Regular expression to look for in each line, in the syntax of Rust's `regex`.
    pattern: String,
    /// The folder or file, beginning with a code base's name, as in `server/src`; absent: all code bases of the
    /// session.
    #[serde(default)]
    path: String,
    /// Only files that this matches, as `*.rs` by name or `src/**/*.rs` by path from the code base's folder on; absent:
    /// all.
    glob: Option<String>,
    /// The pattern is plain text.
    #[serde(default)]
    literal: bool,
    /// Upper and lower case are the same.
    #[serde(default)]
    ignore_case: bool,
    /// Lines to show before and after each match; absent: none.
    #[serde(default)]
    #[schemars(range(min = 0, max = 10))]
    context: usize,
}

/// The `code_search` tool.
pub(super) struct Search {
    bases: Bases,
    spec: Spec,
}

impl Search {
    pub(super) fn new(bases: Bases) -> Self {
        let words = "Searches the lines of all text files in the code bases with a regular expression. Each match is told as \
                     `path:line: text`, lines around it as `path-line- text`.";
        let words = format!("{words}{}", bases.settings.left_out());
        let spec = bases.settings.spec("code_search", &words, arguments::schema::<Arguments>());
        Self { bases, spec }
    }
}

#[async_trait]
impl Tool for Search {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    async fn call(&self, at: &Place, arguments: Value) -> Result<Output, ToolError> {
        let asked: Arguments = arguments::read(arguments)?;
        let found = self.bases.work(at, move |bases, at, stop| {
            // Compiling takes up to 0.1 s, which would block a thread of the async runtime.
            let pattern = Pattern::compile(&asked.pattern, asked.literal, asked.ignore_case)?;
            let glob = asked.glob.as_deref().map(matches::glob).transpose()?;
            let hits = Hits::new(&bases.settings, stop, &at.guard);
            let reader = || Reader::new(&hits, &pattern, asked.context.min(10));
            let unread = match bases.find(at, &asked.path)? {
                Found::Top(folders) => search(bases, folders, stop, glob.as_ref(), reader),
                Found::Folder(folder) => search(bases, vec![folder], stop, glob.as_ref(), reader),
                Found::File(folder, name) => {
                    reader().read(&folder, OsStr::new(&name));
                    0
                }
            };
            Ok(hits.told(unread))
        });
        Ok(found.await?.into())
    }
}

fn search<'a>(
    bases: &Bases,
    folders: Vec<Folder>,
    stop: &Stop,
    glob: Option<&GlobMatcher>,
    reader: impl Fn() -> Reader<'a> + Sync,
) -> usize {
    let processors = thread::available_parallelism().map_or(1, usize::from);
    walk::files(folders, bases.settings.threads.min(processors), stop, || {
        let mut reader = reader();
        move |folder, name| {
            let wanted = |glob: &GlobMatcher| glob.is_match(Path::new(matches::from_base(&folder.path_of(name))));
            if glob.is_none_or(wanted) {
                reader.read(folder, name);
            }
        }
    })
}
