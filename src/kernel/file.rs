//! Files of the session. The log says what there is and the digest of what is in it; the content is kept beside the log.

use std::{collections::BTreeMap, fmt, str::FromStr, sync::Arc};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;

use super::{Actor, CallId, FileId, Redaction, Rejection, Timestamp, View};

/// One version of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct File {
    /// Its id.
    pub id: FileId,
    /// What the file is called; all versions are called the same.
    pub name: Arc<str>,
    /// From 1.
    pub version: u32,
    /// What the server takes it for, by its name and its content.
    pub media_type: Arc<str>,
    /// How large it is.
    pub bytes: u64,
    /// BLAKE3 of the content, in hexadecimal.
    pub digest: Arc<str>,
    /// When it was added.
    pub at: Timestamp,
    /// Who added it.
    pub by: Actor,
    /// The call of a tool that made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<CallId>,
    /// Somebody took the file out of the list after this version.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub removed: bool,
    /// Its content was erased, and by whom.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redacted: Option<Arc<Redaction>>,
}

impl File {
    /// Whether nobody has removed or redacted it.
    pub fn is_there(&self) -> bool {
        !self.removed && self.redacted.is_none()
    }

    /// Whether it is made of words that people and agents can read.
    pub fn is_text(&self) -> bool {
        self.media_type.starts_with("text/")
            || matches!(&*self.media_type, "application/json" | "application/xml" | "image/svg+xml")
    }

    /// Whether it is a picture that browsers and models can be shown.
    pub fn is_image(&self) -> bool {
        matches!(&*self.media_type, "image/png" | "image/jpeg" | "image/gif" | "image/webp")
    }
}

/// A file that is to be added; its content is kept already.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewFile {
    /// What it is called.
    pub name: FileName,
    /// What the server takes it for.
    pub media_type: Arc<str>,
    /// How large it is.
    pub bytes: u64,
    /// BLAKE3 of the content, in hexadecimal.
    pub digest: Arc<str>,
}

/// How much a session may hold. Removed files count, since they can be put back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FileRoom {
    /// Versions of all files.
    pub versions: u32,
    /// Bytes of all that differs.
    pub bytes: u64,
}

impl FileRoom {
    /// Whether a session with these files can hold this one, too.
    ///
    /// # Errors
    /// Where it cannot.
    pub fn fits(self, files: &[Arc<File>], file: &NewFile) -> Result<(), Rejection> {
        let full = |words: String| Err(Rejection::FilesFull(words.into()));
        if files.len() >= self.versions as usize {
            let most = self.versions;
            return full(format!("the session holds {most} versions of files and no more; begin another session"));
        }
        let there = files.iter().filter(|file| file.redacted.is_none());
        let mut contents: BTreeMap<&str, u64> = there.map(|file| (&*file.digest, file.bytes)).collect();
        contents.insert(&file.digest, file.bytes);
        if contents.values().sum::<u64>() > self.bytes {
            let most = self.bytes;
            return full(format!(
                "the files of a session have {most} bytes together at most, removed ones too; begin another session"
            ));
        }
        Ok(())
    }
}

/// What a file may be called: one name without a folder, in one spelling, that shows as what it is.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FileName(Arc<str>);

/// Why a text is no name for a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "a file's name has 1 to {} bytes, no / or \\, no control or direction characters, and is neither . nor ..",
    FileName::BYTES
)]
pub struct FileNameError;

impl FileName {
    /// Bytes of a name, at most.
    pub const BYTES: usize = 200;

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name that comes nearest: programs call their files what they like.
    pub fn near(text: &str) -> Self {
        let mut name: String = text.trim_matches(|c: char| c == '/' || c == '.' || c.is_whitespace()).nfc().collect();
        name = name.chars().map(|c| if is_wrong(c) { '_' } else { c }).collect();
        while name.len() > Self::BYTES {
            // From the front: the end says what it is.
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
        let fits = (1..=Self::BYTES).contains(&name.len()) && !matches!(&*name, "." | "..") && !name.contains(is_wrong);
        if fits { Ok(Self(name.into())) } else { Err(FileNameError) }
    }
}

impl fmt::Display for FileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The files of a list of versions that count: of each name the newest, unless it was removed or redacted, in the order of their
/// coming.
pub fn current(files: &[Arc<File>]) -> impl Iterator<Item = &Arc<File>> {
    let newer = |at: usize, file: &File| files[at + 1..].iter().any(|other| other.name == file.name);
    let counts = move |(at, file): &(usize, &Arc<File>)| file.is_there() && !newer(*at, file);
    files.iter().enumerate().filter(counts).map(|(_, file)| file)
}

impl View {
    /// The files that count.
    pub fn current_files(&self) -> impl Iterator<Item = &Arc<File>> {
        current(&self.files)
    }

    /// The newest version of this name, also where it was removed.
    pub fn newest_version(&self, name: &str) -> Option<&Arc<File>> {
        self.files.iter().rev().find(|file| *file.name == *name)
    }

    /// The version with this id.
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
        for wrong in ["", " ", ".", "..", "../a", "a/b", "a\\b", "a\nb", "a\0", "txt\u{202e}exe", "a\u{200b}.md"] {
            assert!(name(wrong).is_err(), "{wrong:?}");
        }
        assert!(name(&"长".repeat(66)).is_ok());
        assert!(name(&"长".repeat(67)).is_err());
    }

    #[test]
    fn what_a_program_calls_its_file_comes_near() {
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
