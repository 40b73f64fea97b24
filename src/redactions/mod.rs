//! Redactions that take longer than a request: of whole sessions, asked for beside the server, and of people in all sessions.
//! They are requests in the database, which a server carries out, again after a crash, until each session has answered.

mod requests;
mod worker;

pub use requests::{PastRetention, RedactionRequest, RedactionRequests, RequestTarget};
pub use worker::Redactions;
