//! Rules of `.gitignore` files.

use std::{path::Path, sync::Arc};

use ignore::{
    Match,
    gitignore::{Gitignore, GitignoreBuilder},
};

/// Rules of a folder's own `.gitignore` and of those above it. The nearest file with a matching rule decides.
pub(super) struct IgnoreRules {
    own: Gitignore,
    above: Option<Arc<IgnoreRules>>,
}

impl IgnoreRules {
    /// Adds the lines of the `.gitignore` in the folder at `path` to the rules above it. Skips invalid lines, as git
    /// does.
    pub(super) fn below(above: Option<Arc<Self>>, path: &str, lines: &str) -> Arc<Self> {
        let mut rules = GitignoreBuilder::new(path);
        for line in lines.lines() {
            let _ = rules.add_line(None, line);
        }
        Arc::new(Self { own: rules.build().unwrap_or_else(|_| Gitignore::empty()), above })
    }

    /// Returns whether the rules exclude the entry at `path`. Does not check the folders above it, because excluded
    /// folders are never opened.
    pub(super) fn ignores(&self, path: &Path, folder: bool) -> bool {
        match self.own.matched(path, folder) {
            Match::Ignore(_) => true,
            Match::Whitelist(_) => false,
            Match::None => self.above.as_ref().is_some_and(|above| above.ignores(path, folder)),
        }
    }
}
