//! Client of Claude's Messages API.

mod assembly;
mod body;
mod schema;

use eventsource_stream::{EventStreamError, Eventsource};
use serde_json::Value;

pub(in crate::agent) use body::body;
pub(super) use schema::strict_schema;

use self::assembly::ClaudeAssembly;
use super::assembly::RawCompletion;
use super::gathered_text::GatheredText;
use super::provider_client::{ProviderAddress, ProviderClient};
use crate::agent::TurnError;

/// API version that this client uses.
const API_VERSION: &str = "2023-06-01";

/// Maximum number of tokens in a response if neither the agent nor the model sets a limit, because the API requires
/// one. Reasoning counts toward it.
pub(super) const DEFAULT_MAX_TOKENS: u32 = 16_384;

/// Sends the body and reads the response to its end.
pub(super) async fn attempt(
    client: ProviderClient,
    address: &ProviderAddress,
    body: &Value,
    on_text: &mut (dyn FnMut(&str) + Send),
) -> Result<RawCompletion, TurnError> {
    // Accept a URL with `/v1`, as in OpenAI's format, or without it, as in Claude's own libraries.
    let base = address.base.strip_suffix("/v1").unwrap_or(&address.base);
    let request = client.http.post(format!("{base}/v1/messages")).headers(address.headers.clone());
    let request = request.header("anthropic-version", API_VERSION).json(body).build().map_err(|_| {
        TurnError::bad_request(format!("a request to {} cannot be created; check its base_url", client.provider))
    })?;
    let mut reading = ClaudeAssembly::new(client.provider.clone(), client.model.clone());
    let (_, pieces) = client.send(request).await?;
    let mut events = std::pin::pin!(pieces.eventsource());
    let mut gathered = GatheredText::new(on_text);
    while let Some(event) = gathered.next(events.as_mut()).await {
        let event = event.map_err(|error| match error {
            EventStreamError::Transport(failure) => failure,
            EventStreamError::Utf8(_) | EventStreamError::Parser(_) => reading.unreadable(),
        })?;
        // An event marks the end, so there is no need to wait for the connection to close.
        if reading.take(&event.data, &mut |text| gathered.push(text))? {
            return reading.end();
        }
    }
    Err(reading.cut())
}
