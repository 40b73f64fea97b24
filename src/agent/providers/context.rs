//! Cuts a request to fit the context of its model.

use std::sync::Arc;

use crate::agent::prompts::{ContextLimitError, TokenCountCache, check_images, fit};
use crate::agent::{ModelMessage, ModelSettings, Tokenizer, TurnError, TurnRequest};

/// Cuts the request to the model's context. If a budget or a quota bounds the request, this context is smaller than
/// what the model supports.
pub(super) async fn fit_context(
    mut request: TurnRequest,
    model: &ModelSettings,
    is_bound: bool,
    counts: &Arc<TokenCountCache>,
) -> Result<TurnRequest, TurnError> {
    let tools: usize = request.tools.iter().map(|tool| tool.schema.to_string().len() + tool.description.len()).sum();
    let format = request.response_format.as_ref().map_or(0, |format| format.schema.to_string().len());
    let answer = u64::from(request.max_tokens.unwrap_or(0));
    // If there is no limit on the response, reserve a quarter of the context for it, up to the length of a long
    // response.
    let window = u64::from(model.context_window);
    let answer = if answer == 0 { (window / 4).min(4_096) } else { answer };
    let room = window.saturating_sub(answer).saturating_sub((tools + format) as u64 / 2);
    if !model.images {
        for message in &mut request.messages {
            if let ModelMessage::Transcript(transcript) = message {
                transcript.images.clear();
            }
        }
    }
    check_images(&request.messages)?;
    let messages = std::mem::take(&mut request.messages);
    // A text never has more tokens than bytes, so most conversations need no counting.
    request.messages = match fit_by_bytes(messages, room, &model.name) {
        Ok(messages) => messages,
        Err(messages) => {
            let (spare, name) = (messages.clone(), model.name.clone());
            let (tokenizer, counts) = (model.tokenizer(), counts.clone());
            let cut = move || fit(messages, room, |text| counts.count(tokenizer, text), |image| image.tokens(&name));
            let cut = tokio::task::spawn_blocking(cut).await;
            // A tokenizer that panics on a text must not fail the turn.
            let cut = cut.unwrap_or_else(|_| {
                fit(spare, room, |text| Tokenizer::Estimate.count(text), |image| image.tokens(&model.name))
            });
            cut.map_err(|ContextLimitError { own, needed, room }| {
                let (what, less) = match own {
                    true => ("the agent's last calls and their results", "ask it for less at a time"),
                    false => ("the system prompt and the newest message", "shorten the message"),
                };
                let (limit, more) = match is_bound {
                    true => (
                        "the bound of one turn",
                        "raise max_turn_tokens or max_turn_cost_micros of the budget or the quota",
                    ),
                    false => (&*model.name, "choose a model with a larger context"),
                };
                TurnError::context_too_large(format!(
                    "{what} need about {needed} tokens, but {limit} has room for {room}; {less}, or {more}"
                ))
            })?
        }
    };
    Ok(request)
}

fn fit_by_bytes(messages: Vec<ModelMessage>, room: u64, model: &str) -> Result<Vec<ModelMessage>, Vec<ModelMessage>> {
    let bytes: u64 = messages.iter().map(|message| message.bytes() + 16).sum();
    let seen: u64 = messages.iter().flat_map(ModelMessage::images).map(|image| image.tokens(model)).sum();
    if bytes + seen <= room { Ok(messages) } else { Err(messages) }
}
