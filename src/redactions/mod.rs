//! Redactions that take longer than a request: of whole sessions, requested on the command line, and of participants in
//! all sessions. They are stored as requests in the database. A server executes them, even after a crash, until every
//! session is redacted.

mod queue;
mod store;

pub use queue::RedactionQueue;
pub use store::{RedactionRequest, RedactionRequestTarget, RedactionStore, RetentionRow};
