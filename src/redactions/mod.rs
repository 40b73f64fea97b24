//! Redactions that take longer than a request: of whole sessions, requested on the command line, and of participants in
//! all sessions. They are requests in the database. A server executes them, also after a crash, until every session is
//! redacted.

mod requests;
mod worker;

pub use requests::{PastRetention, RedactionRequest, RedactionRequests, RequestTarget};
pub use worker::Redactions;
