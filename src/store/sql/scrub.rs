//! Statements that clear away what was erased, all of them SQLite's.

/// Notes what a commit erases; `$1`: also something that is searched.
pub(in crate::store) const NOTE: &str = "insert into scrubs (terms) values ($1)";
/// The last note, and whether one of them is about something that is searched; null where there is none.
pub(in crate::store) const NOTED: &str = "select max(id), coalesce(max(terms), 0) from scrubs";
pub(in crate::store) const DONE: &str = "delete from scrubs where id <= $1";

/// Merges a few pages of the parts of the index into one, which leaves deleted terms out. A negative number of pages: of all
/// parts, as `optimize` does (SQLite, FTS5, section 6.8).
pub(in crate::store) const MERGE: &str = "insert into passage_terms (passage_terms, rank) values ('merge', -64)";
/// Changes of the connection so far: a merge that changes less than two rows has found nothing to do.
pub(in crate::store) const CHANGES: &str = "select total_changes()";

/// Moves the pages of the write-ahead log that no reader needs, while others write.
pub(in crate::store) const CHECKPOINT: &str = "pragma wal_checkpoint(passive)";
/// Moves what is left and cuts the log. Nobody writes meanwhile; the first column is 1 where a reader was in the way.
pub(in crate::store) const TRUNCATE: &str = "pragma wal_checkpoint(truncate)";
