//! Interface of the store for knowledge bases and search.

use std::collections::BTreeSet;
use std::sync::Arc;

use async_trait::async_trait;

use super::{Base, BaseChange, BaseId, BaseReaders, Document, Passage, SearchTerm, terms};
use crate::kernel::{ParticipantId, SessionId, Timestamp};
use crate::store_error::StoreError;

/// Id of an indexed text: the current content of a document, or the content of a file. New content gets a new id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TextId(pub u64);

/// Passage with its terms.
#[derive(Debug, Clone)]
pub struct IndexedPassage {
    /// Number of the passage's first line, starting at 1.
    pub line: u32,
    /// Text of the passage.
    pub text: String,
    /// Distinct terms of the passage.
    pub terms: BTreeSet<SearchTerm>,
}

impl IndexedPassage {
    /// Creates a passage that starts at this line.
    pub fn new(line: u32, text: String) -> Self {
        let terms = terms(&text).into_iter().collect();
        Self { line, text, terms }
    }
}

impl From<Passage<'_>> for IndexedPassage {
    fn from(passage: Passage<'_>) -> Self {
        Self::new(passage.line, passage.text.to_owned())
    }
}

/// Document to add to a base.
#[derive(Debug, Clone)]
pub struct NewDocument<'a> {
    /// Name of the document.
    pub name: &'a str,
    /// Media type, for example `text/markdown`.
    pub media_type: &'a str,
    /// Whole content.
    pub content: &'a str,
    /// Passages of the content.
    pub passages: &'a [IndexedPassage],
}

/// Limits of a base.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BaseLimits {
    /// Maximum number of documents.
    pub documents: u32,
    /// Maximum total size of the documents, in bytes.
    pub bytes: u64,
}

/// Filter and page of a list of bases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BasePage {
    /// Participant whose own bases are listed.
    pub reader: ParticipantId,
    /// True to include bases of other owners that the participant can read.
    pub named: bool,
    /// True to include all other bases.
    pub all: bool,
    /// Last base of the previous page. `None` for the first page.
    pub after: Option<BaseId>,
    /// Maximum number of bases.
    pub limit: u32,
}

/// Source of a passage.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum PassageSource {
    /// Document of a base.
    Document {
        /// Id of the base.
        base: BaseId,
        /// Name of the document.
        name: Arc<str>,
    },
    /// File of a session.
    Content {
        /// BLAKE3 digest of the file's content.
        digest: Arc<str>,
    },
}

/// Candidate passage, which contains at least one of the query's terms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CandidatePassage {
    /// Source of the passage.
    pub source: PassageSource,
    /// Number of the passage's first line, starting at 1.
    pub line: u32,
    /// Text of the passage.
    pub text: Arc<str>,
}

/// Knowledge bases, their documents, and the passages of all searchable texts.
///
/// Laws, each with a test in `tests/it/knowledge_laws.rs`:
/// 1. A document that `put_document` acknowledged is found by its terms, from any process; a replaced one is not.
/// 2. A text is found only in the requested scope: in these bases, or among these texts of a session.
/// 3. A session can use a base while the base's owner or one of its readers takes part in the session; guests are never
///    readers.
/// 4. The limits on an owner's bases and on a base's documents are never exceeded.
/// 5. A text that an earlier version indexed is found by the current terms once it is re-indexed.
/// 6. Passages are deleted with their session or content; incomplete texts are deleted when they reach a certain age.
#[async_trait]
pub trait KnowledgeStore: Send + Sync + 'static {
    /// Adds a base without documents. Returns `None` if its owner already has the maximum number of bases.
    async fn add_base(
        &self,
        owner: ParticipantId,
        name: &str,
        about: &str,
        readers: &BaseReaders,
        limit: u32,
    ) -> Result<Option<BaseId>, StoreError>;

    /// Returns a base, or `None` if there is no such base.
    async fn base(&self, id: BaseId) -> Result<Option<Base>, StoreError>;

    /// Returns a page of bases, oldest first.
    async fn bases(&self, page: &BasePage) -> Result<Vec<Base>, StoreError>;

    /// Changes a base.
    async fn change_base(&self, id: BaseId, change: &BaseChange) -> Result<(), StoreError>;

    /// Deletes a base with all its documents.
    async fn remove_base(&self, id: BaseId) -> Result<(), StoreError>;

    /// Returns the bases that a session can use because their owner or a reader takes part in it.
    async fn bases_of(&self, session: SessionId, bases: &[BaseId]) -> Result<Vec<Base>, StoreError>;

    /// Returns up to `limit` documents of a base whose names come after `after`, sorted by name.
    async fn documents(&self, base: BaseId, after: &str, limit: u32) -> Result<Vec<Document>, StoreError>;

    /// Returns the content of a document, or `None` if there is no such document.
    async fn document_content(&self, base: BaseId, name: &str) -> Result<Option<Vec<u8>>, StoreError>;

    /// Adds a document, or replaces the one with the same name. Returns `None` if the base has no room for it. Until
    /// the document is complete, searches find the previous one.
    async fn put_document(
        &self,
        base: BaseId,
        document: &NewDocument<'_>,
        limits: BaseLimits,
    ) -> Result<Option<Document>, StoreError>;

    /// Deletes a document. Returns whether there was one.
    async fn remove_document(&self, base: BaseId, name: &str) -> Result<bool, StoreError>;

    /// Returns the indexed contents of a session's files, by digest.
    async fn texts(&self, session: SessionId) -> Result<Vec<(Arc<str>, TextId)>, StoreError>;

    /// Indexes the content of a session file.
    async fn add_text(
        &self,
        session: SessionId,
        digest: &str,
        passages: &[IndexedPassage],
    ) -> Result<TextId, StoreError>;

    /// Returns the first text whose terms are from an earlier [`EDITION`](super::EDITION), starting after `after` if it
    /// is given. Returns `None` if there is no such text.
    async fn outdated(&self, after: Option<TextId>) -> Result<Option<TextId>, StoreError>;

    /// Re-indexes a text from its passages.
    async fn renew_terms(&self, text: TextId) -> Result<(), StoreError>;

    /// Returns passages of these bases, and of these texts of a session, with any of these terms: approximately the
    /// best `limit`, in no particular order.
    async fn find(
        &self,
        bases: &[BaseId],
        session: Option<(SessionId, &[TextId])>,
        terms: &[SearchTerm],
        limit: u32,
    ) -> Result<Vec<CandidatePassage>, StoreError>;

    /// Deletes texts older than `before` that are incomplete or belong to no document. Returns their number.
    async fn remove_unused(&self, before: Timestamp) -> Result<u64, StoreError>;
}
