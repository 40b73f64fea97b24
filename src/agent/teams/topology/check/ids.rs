//! Checks the ids of nodes and agents.

use std::collections::BTreeSet;

use unicode_normalization::UnicodeNormalization;

use super::error_place::{ErrorPlace, quote};
use crate::agent::teams::topology::report::{TopologyErrorCode, TopologyReport};
use crate::kernel::topology::Topology;

/// Ids in one list, for finding duplicates.
#[derive(Debug, Default)]
pub(super) struct IdSet(BTreeSet<String>);

impl IdSet {
    /// Checks that an id in the list has valid characters and length and is unique, ignoring case and Unicode form.
    pub(super) fn check(&mut self, report: &mut TopologyReport, at: &ErrorPlace<'_>, field: &str, id: Option<&str>) {
        let Some(id) = id else { return };
        let max = Topology::MAX_ID_BYTES;
        if id.is_empty() {
            report.fault(at, field, TopologyErrorCode::Empty, "the id is empty; set it");
            return;
        }
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        if id.len() > max || !id.chars().all(is_plain) {
            let message = format!("the id is invalid; use 1 to {max} of A-Z a-z 0-9 _ . -");
            report.fault(at, field, TopologyErrorCode::InvalidId, message);
        }
        // Longer ids have already been reported as invalid.
        if id.len() <= 8 * max && !self.0.insert(fold(id)) {
            let message =
                format!("another one has the id {}, or the same in another case; choose another id", quote(id));
            report.fault(at, field, TopologyErrorCode::DuplicateId, message);
        }
    }
}

/// Returns the form in which ids are compared.
pub(super) fn fold(id: &str) -> String {
    if id.is_ascii() {
        return id.to_ascii_lowercase();
    }
    id.nfkc().flat_map(char::to_lowercase).collect()
}
