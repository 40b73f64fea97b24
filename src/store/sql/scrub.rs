//! Statements that remove erased content, all for SQLite.

/// Notes that a commit erases something; `$1` is true if the erased content is indexed for search.
pub(in crate::store) const NOTE: &str = "insert into scrubs (terms) values ($1)";
/// Selects the id of the last note, or null if there are none, and whether any note concerns indexed content.
pub(in crate::store) const NOTED: &str = "select max(id), coalesce(max(terms), 0) from scrubs";
pub(in crate::store) const DONE: &str = "delete from scrubs where id <= $1";

/// Merges a few pages of the index segments into one segment, which drops deleted terms. A negative number of pages
/// covers all segments, as `optimize` does (SQLite, FTS5, section 6.8).
pub(in crate::store) const MERGE: &str = "insert into passage_terms (passage_terms, rank) values ('merge', -64)";
/// Counts the changes of the connection so far. A merge that changes fewer than two rows had nothing to do.
pub(in crate::store) const CHANGES: &str = "select total_changes()";

/// Moves pages that no reader needs out of the write-ahead log, while others write.
pub(in crate::store) const CHECKPOINT: &str = "pragma wal_checkpoint(passive)";
/// Moves the remaining pages and truncates the log. Blocks writers; the first column is 1 if a reader prevented it.
pub(in crate::store) const TRUNCATE: &str = "pragma wal_checkpoint(truncate)";
