//! Redactions that take longer than a request: of whole sessions, requested on the command line, and of participants in
//! all sessions. They are requests in the database. A server executes them, also after a crash, until every session is
//! redacted.

mod store;
mod worker;

pub use store::{RedactionRequest, RedactionRequestTarget, RedactionStore, RetentionRow};
pub use worker::RedactionWorker;
