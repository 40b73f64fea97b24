//! What goes of files: contents, which are kept by their digest, and names, which are words of whoever gave them first.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::kernel::redaction::REDACTED;
use crate::kernel::{Fact, FileId};

/// The files of a log, and what goes of them.
#[derive(Debug, Default)]
pub(super) struct FileTraces {
    /// Digests of contents that go, and of those that other versions still have.
    digests: BTreeSet<Arc<str>>,
    kept_digests: BTreeSet<Arc<str>>,
    /// Every name, with the first version that has it where the name goes.
    names: BTreeMap<Arc<str>, Option<FileId>>,
}

impl FileTraces {
    /// Look at the next fact of the log. `goes`: a version's content; `names`: its name as well, where nobody gave it before.
    pub(super) fn note(&mut self, fact: &Fact, goes: bool, names: bool) {
        let Fact::FileAdded { file, name, digest, .. } = fact else { return };
        if !digest.is_empty() {
            let digests = if goes { &mut self.digests } else { &mut self.kept_digests };
            digests.insert(digest.clone());
        }
        self.names.entry(name.clone()).or_insert((goes && names).then_some(*file));
    }

    /// Digests of the contents that go: no other version has them.
    pub(super) fn contents(&self) -> Vec<Arc<str>> {
        self.digests.difference(&self.kept_digests).cloned().collect()
    }

    /// Replace a name that goes. All versions are still called the same, and no other file is.
    pub(super) fn rename(&self, fact: &mut Fact) {
        if let Fact::FileAdded { name, .. } | Fact::FileRemoved { name, .. } = fact
            && let Some(Some(first)) = self.names.get(name)
        {
            *name = format!("{REDACTED} {first}").into();
        }
    }
}
