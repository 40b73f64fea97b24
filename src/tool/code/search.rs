//! `code_search`: finds lines that match a pattern, in all files.

use std::{ffi::OsStr, path::Path, thread};

use async_trait::async_trait;
use globset::GlobMatcher;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{
    bases::{CodeBases, CodePathTarget},
    folder::Folder,
    glob,
    hits::{CodeHits, FileSearcher},
    pattern::Pattern,
    walk,
    worker_thread::Deadline,
};
use crate::tool::{CallContext, Output, Tool, ToolError, ToolSpec, arguments};

/// Arguments of `code_search`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CodeSearchArguments {
    /// Regular expression to look for in each line, in the syntax of Rust's `regex`.
    pattern: String,
    /// The folder or file, beginning with a code base's name, as in `server/src`; absent: all code bases of the
    /// session.
    #[serde(default)]
    path: String,
    /// Only files that match, such as `*.rs` by name or `src/**/*.rs` by path within the code base; absent:
    /// all.
    glob: Option<String>,
    /// The pattern is plain text.
    #[serde(default)]
    literal: bool,
    /// Ignore case.
    #[serde(default)]
    ignore_case: bool,
    /// Lines to show before and after each match; absent: none.
    #[serde(default)]
    #[schemars(range(min = 0, max = 10))]
    context: usize,
}

/// The `code_search` tool.
pub(super) struct CodeSearchTool {
    bases: CodeBases,
    spec: ToolSpec,
}

impl CodeSearchTool {
    pub(super) fn new(bases: CodeBases) -> Self {
        let description = "Searches the lines of all text files in the code bases with a regular expression. A match is \
                     shown as `path:line: text`, and lines around it as `path-line- text`.";
        let description = format!("{description}{}", bases.settings.left_out());
        let spec = bases.settings.spec("code_search", &description, arguments::schema::<CodeSearchArguments>());
        Self { bases, spec }
    }
}

#[async_trait]
impl Tool for CodeSearchTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn call(&self, at: &CallContext, arguments: Value) -> Result<Output, ToolError> {
        let input: CodeSearchArguments = arguments::read(arguments)?;
        let found = self.bases.work(at, move |bases, at, stop| {
            // Compiling takes up to 0.1 s, which would block a thread of the async runtime.
            let pattern = Pattern::compile(&input.pattern, input.literal, input.ignore_case)?;
            let glob = input.glob.as_deref().map(glob::compile_glob).transpose()?;
            let hits = CodeHits::new(&bases.settings, stop, &at.guard);
            let reader = || FileSearcher::new(&hits, &pattern, input.context.min(10));
            let unread = match bases.find(at, &input.path)? {
                CodePathTarget::Top(folders) => search(bases, folders, stop, glob.as_ref(), reader),
                CodePathTarget::Folder(folder) => search(bases, vec![folder], stop, glob.as_ref(), reader),
                CodePathTarget::File(folder, name) => {
                    reader().read(&folder, OsStr::new(&name));
                    0
                }
            };
            Ok(hits.render(unread))
        });
        Ok(found.await?.into())
    }
}

fn search<'a>(
    bases: &CodeBases,
    folders: Vec<Folder>,
    stop: &Deadline,
    glob: Option<&GlobMatcher>,
    reader: impl Fn() -> FileSearcher<'a> + Sync,
) -> usize {
    let processors = thread::available_parallelism().map_or(1, usize::from);
    walk::walk_files(folders, bases.settings.threads.min(processors), stop, || {
        let mut reader = reader();
        move |folder, name| {
            let wanted = |glob: &GlobMatcher| glob.is_match(Path::new(glob::path_in_base(&folder.path_of(name))));
            if glob.is_none_or(wanted) {
                reader.read(folder, name);
            }
        }
    })
}
