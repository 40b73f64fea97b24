//! Entries of a list of people, and checks of them.

use std::collections::HashSet;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::identity::{ServerRole, check_name};

/// Maximum number of bytes in a subject, which is the limit of OpenID Connect.
const MAX_SUBJECT_BYTES: usize = 255;

/// Person in a list.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PersonEntry {
    /// Subject of the person at the identity provider, 1 to 255 bytes. Later lists and sign-ins recognize the person by
    /// their subject.
    pub subject: String,
    /// Name of the person, 1 to 64 characters. Required for a new person. If absent, the name of an existing person
    /// does not change.
    #[serde(default)]
    pub name: Option<String>,
    /// Server role. If absent, the role of an existing person does not change, and a new person becomes a `member`.
    #[serde(default)]
    pub role: Option<ServerRole>,
    /// False to disable the person, true to enable them again. If absent, the state of an existing person does not
    /// change, and a new person is active.
    #[serde(default)]
    pub active: Option<bool>,
}

/// Kind of an error in an entry. New kinds can be added, but a name never changes its meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EntryErrorCode {
    /// The entry cannot be parsed.
    Unreadable,
    /// The subject is empty, too long, or contains control characters.
    InvalidSubject,
    /// Another entry has the same subject.
    DuplicateSubject,
    /// The name breaks the rules for names.
    InvalidName,
    /// The person is new, and the entry has no name.
    NameRequired,
    /// People could confuse the new name with that of an agent or of another participant in one of the person's
    /// sessions.
    LookalikeName,
    /// The entry would disable your own account or take away your administrator role.
    OwnAccount,
}

/// Error in one entry of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema, thiserror::Error)]
#[error("entry {entry}: {message}")]
pub struct EntryError {
    /// Number of the entry, from 1.
    pub entry: usize,
    /// Kind of the error, for programs.
    pub code: EntryErrorCode,
    /// Explanation for people.
    pub message: Arc<str>,
}

impl EntryError {
    pub(super) fn new(at: usize, code: EntryErrorCode, message: impl Into<Arc<str>>) -> Self {
        Self { entry: at + 1, code, message: message.into() }
    }
}

/// Checks the entries without the store, and converts their names to the stored form. Returns all errors.
pub(super) fn check(entries: &mut [PersonEntry]) -> Vec<EntryError> {
    let (mut errors, mut seen) = (vec![], HashSet::new());
    for (at, entry) in entries.iter_mut().enumerate() {
        let subject = entry.subject.trim().to_owned();
        if subject.is_empty() || subject.len() > MAX_SUBJECT_BYTES || subject.contains(char::is_control) {
            errors.push(EntryError::new(
                at,
                EntryErrorCode::InvalidSubject,
                "the subject must have 1 to 255 bytes and no control characters",
            ));
        } else if !seen.insert(subject.clone()) {
            errors.push(EntryError::new(
                at,
                EntryErrorCode::DuplicateSubject,
                "the subject is in the list more than once; keep one of its entries",
            ));
        }
        entry.subject = subject;
        match entry.name.as_deref().map(check_name).transpose() {
            Ok(name) => entry.name = name.map(|name| name.to_string()),
            Err(message) => errors.push(EntryError::new(at, EntryErrorCode::InvalidName, message)),
        }
    }
    errors
}
