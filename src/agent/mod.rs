//! Models behind one interface: turn requests, responses and failures.
//!
//! [`Models::turn`] makes one attempt. The orchestrator retries, and records each retry as an event so that viewers see
//! it.

mod asking;
mod assembly;
mod attachments;
mod backoff;
mod bases;
mod brief;
mod budget;
pub mod builtin_teams;
mod claude;
mod completion;
mod counts;
mod currency;
mod detect;
mod envelope;
mod exchanges;
mod failure;
mod images;
mod measured;
mod mind;
mod models;
mod openai;
pub mod placeholders;
mod prompt;
mod provider;
mod request;
mod squeeze;
mod team_file;
pub mod teams;
mod title;
mod tokens;
mod transcript;
mod transport;
mod wording;

pub(crate) use attachments::listed;
pub use attachments::{attached, show};
pub use backoff::Backoff;
pub use bases::{add_bases, needs_bases};
pub use budget::{TooLarge, fit};
pub use completion::{Completion, Finish};
pub use currency::Currency;
pub use detect::{Chosen, ModelSource, OLLAMA, SourceKind, choose};
pub use envelope::Envelope;
pub(crate) use envelope::{in_one_line, plain_id, quoted_lines, quoted_name};
pub use failure::Failure;
pub use images::{IMAGE_BYTES, IMAGES, IMAGES_BYTES, Image, ImageError};
pub use mind::Mind;
pub use models::{Models, ProvidersError};
pub use prompt::request;
pub use provider::{ApiKey, Model, Prices, Provider, ProviderKind, Providers};
pub use request::{Message, ResponseFormat, Tool, ToolCall, TurnRequest};
pub use title::Title;
pub use tokens::Tokenizer;
pub use transcript::{AtCut, Entry, Transcript};
pub(crate) use transport::{client as http_client, whole_body};

/// Returns the text at the end of every system prompt that explains the form of a conversation.
#[cfg(test)]
pub(crate) fn reading_guide(language: crate::kernel::Language) -> &'static str {
    wording::Wording::of(language).reading
}

/// Log directive that silences the client library. It logs a provider's response that it cannot parse, and the response
/// can contain people's messages.
pub const LOG_DIRECTIVE: &str = "async_openai=off";
