//! Knowledge bases and full-text search: texts are split into passages, and passages are found by their terms.
//!
//! Both databases store the terms that [`terms`] creates, and return candidate passages with any term of a query. If
//! there are very many, the database selects approximately the best. The ranking is done here, the same for both.

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
