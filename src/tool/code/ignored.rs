//! What `.gitignore` files leave out.

use std::{path::Path, sync::Arc};

use ignore::{
    Match,
    gitignore::{Gitignore, GitignoreBuilder},
};

/// The rules of a folder's own `.gitignore` and of those above it; the nearest one that says something counts.
pub(super) struct Ignored {
    own: Gitignore,
    above: Option<Arc<Ignored>>,
}

impl Ignored {
    /// With the lines of the `.gitignore` in the folder at `path`; a line that is no rule is left out, as git does.
    pub(super) fn below(above: Option<Arc<Self>>, path: &str, lines: &str) -> Arc<Self> {
        let mut rules = GitignoreBuilder::new(path);
        for line in lines.lines() {
            let _ = rules.add_line(None, line);
        }
        Arc::new(Self { own: rules.build().unwrap_or_else(|_| Gitignore::empty()), above })
    }

    /// Whether what is at `path` is left out. That a folder above it may be is not looked at: nobody gets there.
    pub(super) fn leaves_out(&self, path: &Path, folder: bool) -> bool {
        match self.own.matched(path, folder) {
            Match::Ignore(_) => true,
            Match::Whitelist(_) => false,
            Match::None => self.above.as_ref().is_some_and(|above| above.leaves_out(path, folder)),
        }
    }
}
