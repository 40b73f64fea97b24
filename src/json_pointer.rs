//! JSON Pointers (RFC 6901): the locations of errors in documents.

use serde_path_to_error::{Path, Segment};

/// Returns the pointer to a member of the value at another pointer.
pub(crate) fn child(parent: &str, key: &str) -> String {
    format!("{parent}/{}", key.replace('~', "~0").replace('/', "~1"))
}

/// Returns the pointer to the value at which deserialization failed. Empty for the whole document.
pub(crate) fn of_path(path: &Path) -> String {
    let mut pointer = String::new();
    for segment in path {
        pointer = match segment {
            Segment::Seq { index } => child(&pointer, &index.to_string()),
            Segment::Map { key } => child(&pointer, key),
            // The name of a type's variant is not a location in the document.
            Segment::Enum { .. } | Segment::Unknown => break,
        };
    }
    pointer
}
