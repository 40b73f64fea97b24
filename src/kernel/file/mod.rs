//! Files of a session. The log contains their names and the digests of their content. The content is stored outside the
//! log.

pub(super) mod commands;

use std::{collections::BTreeMap, fmt, str::FromStr, sync::Arc};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;

use super::{Actor, CallId, FileId, Redaction, Rejection, Timestamp, View};

/// One version of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct File {
    /// Id of the version. Example: `f_17`.
    pub id: FileId,
    /// Name of the file, the same for all of its versions. Example: `report.md`.
    pub name: Arc<str>,
    /// Version number, from 1.
    pub version: u32,
    /// Media type that the server detected from name and content. Example: `text/markdown`.
    pub media_type: Arc<str>,
    /// Size of the content in bytes.
    pub bytes: u64,
    /// BLAKE3 hash of the content, in hexadecimal. Empty if the content was erased.
    pub digest: Arc<str>,
    /// Time at which the version was added.
    pub at: Timestamp,
    /// Actor who added the version.
    pub by: Actor,
    /// Tool call that made the version. Absent if a participant added it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<CallId>,
    /// True if a participant has since removed the file from the list.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub removed: bool,
    /// Mark of the redaction that erased the content. Absent if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redacted: Option<Arc<Redaction>>,
}

impl File {
    /// Returns whether the version is neither removed nor redacted.
    pub fn is_there(&self) -> bool {
        !self.removed && self.redacted.is_none()
    }

    /// Returns whether people and agents can read the content as text.
    pub fn is_text(&self) -> bool {
        self.media_type.starts_with("text/")
            || matches!(&*self.media_type, "application/json" | "application/xml" | "image/svg+xml")
    }

    /// Returns whether the content is an image in a format that browsers and models support.
    pub fn is_image(&self) -> bool {
        matches!(&*self.media_type, "image/png" | "image/jpeg" | "image/gif" | "image/webp")
    }
}

/// A file to be added. Its content is already stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewFile {
    /// Name of the file.
    pub name: FileName,
    /// Media type that the server detected.
    pub media_type: Arc<str>,
    /// Size of the content in bytes.
    pub bytes: u64,
    /// BLAKE3 hash of the content, in hexadecimal.
    pub digest: Arc<str>,
}

/// Limits on the files of a session. Removed files count, because they can be restored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FileLimits {
    /// Maximum total number of versions of all files.
    pub versions: u32,
    /// Maximum total number of bytes in all distinct contents.
    pub bytes: u64,
}

impl FileLimits {
    /// Checks that a session with these files has room for one more.
    ///
    /// # Errors
    /// [`Rejection::FilesFull`] if it does not.
    pub fn fits(self, files: &[Arc<File>], file: &NewFile) -> Result<(), Rejection> {
        let full = |message: String| Err(Rejection::FilesFull(message.into()));
        if files.len() >= self.versions as usize {
            let max_versions = self.versions;
            return full(format!(
                "too many file versions in this session, at most {max_versions}; use another session"
            ));
        }
        let there = files.iter().filter(|file| file.redacted.is_none());
        let mut contents: BTreeMap<&str, u64> = there.map(|file| (&*file.digest, file.bytes)).collect();
        contents.insert(&file.digest, file.bytes);
        if contents.values().sum::<u64>() > self.bytes {
            let max_bytes = self.bytes;
            return full(format!(
                "the session's files, including removed ones, exceed {max_bytes} bytes; use another session"
            ));
        }
        Ok(())
    }
}

/// Name of a file, without a folder, in Unicode normalization form C, and without characters that hide its real name.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FileName(Arc<str>);

/// Error for a string that is not a valid file name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "invalid file name; use 1 to {} bytes without / or \\, without line breaks or invisible characters, and neither . nor ..",
    FileName::BYTES
)]
pub struct FileNameError;

impl FileName {
    /// Maximum length of a name in bytes.
    pub const BYTES: usize = 200;

    /// Returns the name as a string.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the most similar valid name. Used for files made by programs, which can have any name.
    pub fn near(text: &str) -> Self {
        let mut name: String = text.trim_matches(|c: char| c == '/' || c == '.' || c.is_whitespace()).nfc().collect();
        name = name.chars().map(|c| if is_wrong(c) { '_' } else { c }).collect();
        while name.len() > Self::BYTES {
            // Shortened from the front, because the extension is at the end.
            name.remove(0);
        }
        name.parse().unwrap_or_else(|_| Self("file".into()))
    }
}

fn is_wrong(c: char) -> bool {
    matches!(c, '/' | '\\') || super::is_hidden(c)
}

impl FromStr for FileName {
    type Err = FileNameError;

    fn from_str(text: &str) -> Result<Self, FileNameError> {
        let name: String = text.trim().nfc().collect();
        let fits = name.len() <= Self::BYTES && !matches!(&*name, "." | "..") && !name.contains(is_wrong);
        if fits && !super::is_blank(&name) { Ok(Self(name.into())) } else { Err(FileNameError) }
    }
}

impl fmt::Display for FileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Returns the current files of a list of versions, in the order in which they were added: the newest version of each
/// name, unless it was removed or redacted.
pub fn current(files: &[Arc<File>]) -> impl Iterator<Item = &Arc<File>> {
    let newer = |at: usize, file: &File| files[at + 1..].iter().any(|other| other.name == file.name);
    let counts = move |(at, file): &(usize, &Arc<File>)| file.is_there() && !newer(*at, file);
    files.iter().enumerate().filter(counts).map(|(_, file)| file)
}

impl View {
    /// Returns the current files.
    pub fn current_files(&self) -> impl Iterator<Item = &Arc<File>> {
        current(&self.files)
    }

    /// Returns the newest version with this name, even if it was removed.
    pub fn newest_version(&self, name: &str) -> Option<&Arc<File>> {
        self.files.iter().rev().find(|file| *file.name == *name)
    }

    /// Returns the version with this id.
    pub fn file(&self, id: FileId) -> Option<&Arc<File>> {
        self.files.iter().find(|file| file.id == id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_name_in_one_spelling() {
        let name = |text: &str| text.parse::<FileName>().map(|name| name.to_string());
        assert_eq!(name(" 报告 2.md ").as_deref(), Ok("报告 2.md"));
        assert_eq!(name("e\u{301}.txt"), name("é.txt"));
        for wrong in
            ["", " ", ".", "..", "../a", "a/b", "a\\b", "a\nb", "a\0", "txt\u{202e}exe", "a\u{200b}.md", "\u{3164}"]
        {
            assert!(name(wrong).is_err(), "{wrong:?}");
        }
        assert!(name(&"长".repeat(66)).is_ok());
        assert!(name(&"长".repeat(67)).is_err());
    }

    #[test]
    fn a_programs_file_name_is_kept_approximately() {
        for (path, name) in [
            ("plot.png", "plot.png"),
            ("out/a b.csv", "out_a b.csv"),
            ("../../etc/passwd", "etc_passwd"),
            ("a\nb", "a_b"),
            ("", "file"),
            ("..", "file"),
        ] {
            assert_eq!(FileName::near(path).as_str(), name);
        }
        let long = FileName::near(&format!("{}.csv", "长".repeat(100)));
        assert!(long.as_str().len() <= FileName::BYTES && long.as_str().ends_with(".csv"));
    }
}
