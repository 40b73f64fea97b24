//! Knowledge bases and full-text search: texts are cut into passages, passages are found by their terms.
//!
//! Both databases keep the terms that [`terms`] makes, and find passages that have any of a query's; of very many the database
//! chooses about the best. Their order is decided here, the same for both.

mod base;
mod best;
pub mod passages;
mod settings;
mod shelf;
mod store;
pub mod terms;

pub use base::{Base, BaseChange, BaseId, BaseIdError, BaseReaders, Document};
pub use best::{Hit, best};
pub use passages::{Passage, passages};
pub use settings::KnowledgeSettings;
pub use shelf::{Answer, Knowledge, Origin, Scope};
pub use store::{BasePage, BaseRoom, Found, Indexed, KnowledgeStore, NewDocument, Source, TextId};
pub use terms::{EDITION, Term, asked, terms};
