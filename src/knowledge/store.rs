//! What knowledge bases and search need of a database.

use std::collections::BTreeSet;
use std::sync::Arc;

use async_trait::async_trait;

use super::{Base, BaseChange, BaseId, BaseReaders, Document, Passage, Term, terms};
use crate::kernel::{ParticipantId, SessionId, Timestamp};
use crate::store::StoreError;

/// What is searched: a document as it is now, or what is in a file. A new content is another text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TextId(pub u64);

/// A passage with what it is found by.
#[derive(Debug, Clone)]
pub struct Indexed {
    /// The number of its first line.
    pub line: u32,
    /// What it says.
    pub words: String,
    /// Its terms, each once.
    pub terms: BTreeSet<Term>,
}

impl Indexed {
    /// A passage from this line on.
    pub fn new(line: u32, words: String) -> Self {
        let terms = terms(&words).into_iter().collect();
        Self { line, words, terms }
    }
}

impl From<Passage<'_>> for Indexed {
    fn from(passage: Passage<'_>) -> Self {
        Self::new(passage.line, passage.text.to_owned())
    }
}

/// A document that is to be kept.
#[derive(Debug, Clone)]
pub struct NewDocument<'a> {
    /// What it is called.
    pub name: &'a str,
    /// What the server takes it for.
    pub media_type: &'a str,
    /// All that is in it.
    pub content: &'a str,
    /// The same, cut.
    pub passages: &'a [Indexed],
}

/// How much a base may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BaseRoom {
    /// Documents.
    pub documents: u32,
    /// Bytes of them all.
    pub bytes: u64,
}

/// Which bases are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BasePage {
    /// Those that this participant owns.
    pub reader: ParticipantId,
    /// Also those whose readers include them.
    pub named: bool,
    /// Also all others.
    pub all: bool,
    /// The first that come after this one.
    pub after: Option<BaseId>,
    /// So many at most.
    pub limit: u32,
}

/// Where a passage is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// In a document of a base.
    Document {
        /// The base.
        base: BaseId,
        /// The document's name.
        name: Arc<str>,
    },
    /// In a file of a session.
    Content {
        /// BLAKE3 of what is in the file.
        digest: Arc<str>,
    },
}

/// A passage that has some of the terms that were asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Where it is.
    pub source: Source,
    /// The number of its first line.
    pub line: u32,
    /// What it says.
    pub words: Arc<str>,
}

/// Knowledge bases, their documents, and the passages of all that is searched.
///
/// Laws, each with a test of its own in `tests/it/knowledge_laws.rs`:
/// 1. What `put_document` acknowledged is found by its terms, from any process; what it replaced, and what was removed, is not.
/// 2. A text is found only where it is asked for: in these bases, or among these texts of a session.
/// 3. A base counts in a session while its owner or one of its readers takes part there; guests are no readers.
/// 4. Neither bases of one owner nor documents of one base become more than they may.
/// 5. What an earlier program put is found by the terms of this one, once they are renewed.
/// 6. A session, and content that is removed, takes its passages along; what was begun and left is removed by its age.
#[async_trait]
pub trait KnowledgeStore: Send + Sync + 'static {
    /// A new base without documents, unless its owner has `most` already.
    async fn add_base(
        &self,
        owner: ParticipantId,
        name: &str,
        about: &str,
        readers: &BaseReaders,
        most: u32,
    ) -> Result<Option<BaseId>, StoreError>;

    /// A base.
    async fn base(&self, id: BaseId) -> Result<Option<Base>, StoreError>;

    /// Some of the bases, oldest first.
    async fn bases(&self, page: &BasePage) -> Result<Vec<Base>, StoreError>;

    /// Change a base.
    async fn change_base(&self, id: BaseId, change: &BaseChange) -> Result<(), StoreError>;

    /// Remove a base with all its documents.
    async fn remove_base(&self, id: BaseId) -> Result<(), StoreError>;

    /// Of these bases, those that count in a session.
    async fn bases_of(&self, session: SessionId, bases: &[BaseId]) -> Result<Vec<Base>, StoreError>;

    /// The first of a base's documents whose names come after this one, by name.
    async fn documents(&self, base: BaseId, after: &str, limit: u32) -> Result<Vec<Document>, StoreError>;

    /// What is in a document.
    async fn document_content(&self, base: BaseId, name: &str) -> Result<Option<Vec<u8>>, StoreError>;

    /// Keep a document in place of one of the same name; `None` where the base has no room for it. Until all of it is there,
    /// the one before it is found.
    async fn put_document(
        &self,
        base: BaseId,
        document: &NewDocument<'_>,
        room: BaseRoom,
    ) -> Result<Option<Document>, StoreError>;

    /// Remove a document; whether there was one.
    async fn remove_document(&self, base: BaseId, name: &str) -> Result<bool, StoreError>;

    /// Which contents of a session's files can be searched, by their digests.
    async fn texts(&self, session: SessionId) -> Result<Vec<(Arc<str>, TextId)>, StoreError>;

    /// Let content of a session be searched.
    async fn add_text(&self, session: SessionId, digest: &str, passages: &[Indexed]) -> Result<TextId, StoreError>;

    /// The first text after this one that has terms of an earlier [`EDITION`](super::EDITION).
    async fn outdated(&self, after: Option<TextId>) -> Result<Option<TextId>, StoreError>;

    /// Give a text its terms anew.
    async fn renew_terms(&self, text: TextId) -> Result<(), StoreError>;

    /// Passages of these bases, and of these texts of a session, that have any of these terms: about the best `limit`, in no order.
    async fn find(
        &self,
        bases: &[BaseId],
        session: Option<(SessionId, &[TextId])>,
        terms: &[Term],
        limit: u32,
    ) -> Result<Vec<Found>, StoreError>;

    /// Remove texts from before `before` that were never finished, or that no document has any more; how many.
    async fn remove_unused(&self, before: Timestamp) -> Result<u64, StoreError>;
}
