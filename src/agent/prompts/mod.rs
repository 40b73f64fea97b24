//! Prompts: the request for a turn, built from the session's view and cut to the model's context.

mod attachments;
mod bases;
mod brief;
mod context_budget;
mod envelope;
mod images;
mod node_events;
mod placeholders;
mod prompt;
mod prompt_texts;
mod supervision;
mod token_count_cache;
mod tokenizer;
mod tool_rounds;
mod transcript;
mod truncate;

pub(crate) use attachments::file_list_line;
pub use attachments::{add_files, attached_files};
pub use bases::{add_bases, needs_bases};
pub use context_budget::{ContextLimitError, fit};
pub use envelope::PromptBlock;
pub(crate) use envelope::{quote_id_if_needed, quote_lines, quote_name, to_single_line};
pub(super) use images::check_images;
pub use images::{Image, ImageError, MAX_IMAGE_BYTES, MAX_IMAGES, MAX_TOTAL_IMAGE_BYTES};
pub use prompt::turn_request;
pub(super) use token_count_cache::TokenCountCache;
pub use tokenizer::Tokenizer;
pub(super) use transcript::TranscriptTurn;
pub use transcript::{CutBehavior, Transcript, TranscriptEntry};

/// Returns the text at the end of every system prompt, which explains the format of a conversation.
#[cfg(test)]
pub(crate) fn reading_guide(language: crate::kernel::Language) -> &'static str {
    prompt_texts::PromptTexts::of(language).reading
}
