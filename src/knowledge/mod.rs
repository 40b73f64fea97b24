//! Knowledge bases and full-text search: texts are split into passages, and passages are found by their terms.
//!
//! Both databases store the terms that [`terms`] creates, and return candidate passages with any term of a query. If
//! there are very many candidates, the database returns approximately the best ones. This module ranks the candidates,
//! in the same way for both databases.

mod base;
mod bm25;
pub mod passages;
mod repository;
mod settings;
mod store;
pub mod terms;

pub use base::{Base, BaseChange, BaseId, BaseIdError, BaseReaders, Document};
pub use bm25::{PassageHit, rank};
pub use passages::{Passage, passages};
pub use repository::{HitOrigin, KnowledgeRepository, SearchResults, SearchScope};
pub use settings::KnowledgeSettings;
pub use store::{
    BaseLimits, BasePage, CandidatePassage, IndexedPassage, KnowledgeStore, NewDocument, PassageSource, TextId,
};
pub use terms::{EDITION, SearchTerm, query_terms, terms};
