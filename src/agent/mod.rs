//! Models behind one interface: turn requests, responses and failures.
//!
//! [`Models::turn`] makes one attempt. The orchestrator retries, and records each retry as an event so that viewers see
//! it.

mod adapt;
mod assembly;
mod attachments;
mod backoff;
mod bases;
mod brief;
pub mod builtin_teams;
mod claude;
mod completion;
mod context_budget;
mod currency;
mod default_model;
mod error;
mod images;
mod model_port;
mod models;
mod openai;
pub mod placeholders;
mod prompt;
mod prompt_texts;
mod provider;
mod quoting;
mod request;
mod session_title;
mod team_file;
pub mod teams;
mod token_count_cache;
mod tokenizer;
mod tool_rounds;
mod transcript;
mod transport;
mod truncate;
mod turn_metrics;

pub(crate) use attachments::file_list_line;
pub use attachments::{add_files, attached_files};
pub use backoff::BackoffSettings;
pub use bases::{add_bases, needs_bases};
pub use completion::{Completion, StopReason};
pub use context_budget::{ContextLimitError, fit};
pub use currency::Currency;
pub use default_model::{ModelSelection, ModelSource, OLLAMA_URL, SourceKind, select_models};
pub use error::TurnError;
pub use images::{Image, ImageError, MAX_IMAGE_BYTES, MAX_IMAGES, MAX_TOTAL_IMAGE_BYTES};
pub use model_port::ModelPort;
pub use models::{Models, ProvidersError};
pub use prompt::turn_request;
pub use provider::{ApiKey, ModelSettings, Prices, ProviderKind, ProviderSettings, ProvidersSettings};
pub use quoting::PromptBlock;
pub(crate) use quoting::{quote_id_if_needed, quote_lines, quote_name, to_single_line};
pub use request::{ModelMessage, ResponseFormat, ToolCall, ToolDefinition, TurnRequest};
pub use session_title::Title;
pub use tokenizer::Tokenizer;
pub use transcript::{CutBehavior, Transcript, TranscriptEntry};
pub(crate) use transport::{client as http_client, read_body};

/// Returns the text at the end of every system prompt that explains the form of a conversation.
#[cfg(test)]
pub(crate) fn reading_guide(language: crate::kernel::Language) -> &'static str {
    prompt_texts::PromptTexts::of(language).reading
}

/// Log directive that silences the client library. It logs a provider's response that it cannot parse, and the response
/// can contain people's messages.
pub const LOG_DIRECTIVE: &str = "async_openai=off";
