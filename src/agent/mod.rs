//! Agents: the teams that they form, the prompts that they receive, and the models that respond for them.
//!
//! [`Models::turn`] makes one attempt at a turn. The orchestrator retries, and records each retry as an event so that
//! viewers see it.

mod completion;
mod error;
mod model_port;
mod prompts;
mod providers;
mod request;
mod session_title;
pub mod teams;

pub use completion::{Completion, StopReason};
pub use error::TurnError;
pub use model_port::ModelPort;
#[cfg(test)]
pub(crate) use prompts::reading_guide;
pub use prompts::{
    ContextLimitError, CutBehavior, Image, ImageError, MAX_IMAGE_BYTES, MAX_IMAGES, MAX_TOTAL_IMAGE_BYTES, PromptBlock,
    Tokenizer, Transcript, TranscriptEntry, add_bases, add_files, attached_files, fit, needs_bases, turn_request,
};
pub(crate) use prompts::{file_list_line, quote_id_if_needed, quote_lines, quote_name, to_single_line};
pub use providers::{
    ApiKey, BackoffSettings, Currency, LOG_TARGET, ModelSelection, ModelSettings, ModelSource, Models, OLLAMA_URL,
    Prices, ProviderKind, ProviderSettings, ProvidersError, ProvidersSettings, SourceKind, select_models,
};
pub use request::{ModelMessage, ResponseFormat, ToolCall, ToolDefinition, TurnRequest};
pub use session_title::Title;
