//! JSON Pointers (RFC 6901): the locations of errors in documents.

use serde::de::DeserializeOwned;
use serde_path_to_error::{Path, Segment};

use crate::kernel::first_chars;

/// Maximum number of characters in a location in an error message. Names in a document can be long.
const MAX_CHARS: usize = 200;

/// Returns the pointer to the value because of which this JSON is not a `T`, truncated to 200 characters. Returns
/// `None` if the document as a whole is wrong, and for text that is not JSON, whose error has a line and a column.
/// Parses the text again, because tracking the location of each value takes time, and few documents are invalid.
pub(crate) fn of_error<T: DeserializeOwned>(json: &[u8]) -> Option<String> {
    let error = serde_path_to_error::deserialize::<_, T>(&mut serde_json::Deserializer::from_slice(json)).err()?;
    let pointer = of_path(error.path());
    (error.inner().is_data() && !pointer.is_empty()).then(|| first_chars(&pointer, MAX_CHARS).to_owned())
}

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
