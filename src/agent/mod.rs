//! Models behind one interface: what a turn is asked, what it answers, and every way in which it can fail.
//!
//! [`Models::turn`] makes one attempt. Trying again is the orchestrator's, as recorded events, so that everybody sees it.

mod assembly;
mod attempt;
mod backoff;
mod brief;
mod budget;
pub mod builtin_teams;
mod completion;
mod detect;
mod exchanges;
mod failure;
mod measured;
mod mind;
mod models;
pub mod placeholders;
mod prompt;
mod provider;
mod request;
mod tokens;
mod transport;
mod wording;

pub use backoff::Backoff;
pub use budget::{TooLarge, fit};
pub use completion::{Completion, Finish};
pub use detect::{Chosen, ModelSource, OLLAMA, SourceKind, choose};
pub use failure::Failure;
pub use mind::Mind;
pub use models::{Models, ProvidersError};
pub use prompt::request;
pub use provider::{ApiKey, Model, Prices, Provider, Providers};
pub use request::{Entry, Message, ResponseFormat, Tool, ToolCall, Transcript, TurnRequest};
pub use tokens::Tokenizer;
pub(crate) use transport::client as http_client;

/// Directive for the log's filter: the client library writes what a provider answered into the log when it cannot read
/// it, and that may hold anybody's words.
pub const LOG_DIRECTIVE: &str = "async_openai=off";
