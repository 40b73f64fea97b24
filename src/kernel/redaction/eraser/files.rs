//! Erasure of files: contents, which are stored under their digest, and names, which are text by the author who used
//! them first.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::parts::FactPart;
use crate::FileId;
use crate::redaction::REDACTED;

/// Files of a log, and their parts to be erased.
#[derive(Debug, Default)]
pub(super) struct FileTraces {
    /// Digests of contents to be erased. `kept_digests` has those of contents that other versions still use.
    digests: BTreeSet<Arc<str>>,
    kept_digests: BTreeSet<Arc<str>>,
    /// All file names, each with the first version that has the name if the name is to be erased.
    names: BTreeMap<Arc<str>, Option<FileId>>,
}

impl FileTraces {
    /// Reads the part of the next fact of the log. If `goes` is true, the content of a version is to be erased. If
    /// `names` is true, so is its name, unless an earlier version already had it.
    pub(super) fn note(&mut self, part: FactPart<'_>, goes: bool, names: bool) {
        let FactPart::File { name, version: Some((file, digest)) } = part else { return };
        if !digest.is_empty() {
            let digests = if goes { &mut self.digests } else { &mut self.kept_digests };
            digests.insert(digest.clone());
        }
        self.names.entry(name.clone()).or_insert((goes && names).then_some(file));
    }

    /// Returns the digests of the contents to be erased. No other version has them.
    pub(super) fn contents(&self) -> Vec<Arc<str>> {
        self.digests.difference(&self.kept_digests).cloned().collect()
    }

    /// Replaces a name that is to be erased. All versions of the file still share one name, and no other file has it.
    pub(super) fn rename(&self, part: FactPart<'_>) {
        if let FactPart::File { name, .. } = part
            && let Some(Some(first)) = self.names.get(name)
        {
            *name = format!("{REDACTED} {first}").into();
        }
    }
}
