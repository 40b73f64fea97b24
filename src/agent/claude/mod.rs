//! Claude's Messages API, in its own format.

mod body;
mod reading;
mod schema;

use eventsource_stream::{EventStreamError, Eventsource};
use futures_util::StreamExt;
use serde_json::Value;

pub(super) use body::body;
pub(super) use schema::strict;

use self::reading::Reading;
use super::Failure;
use super::assembly::Ended;
use super::transport::{Address, Exchange};

/// The version of the interface that this is written for.
const VERSION: &str = "2023-06-01";

/// Tokens of an answer where nobody says how long it may be, which the interface insists on. What a model thinks before
/// it answers counts as well.
pub(super) const ANSWER: u32 = 16_384;

/// Send the body and read the answer to its end.
pub(super) async fn attempt(
    exchange: Exchange,
    address: &Address,
    body: &Value,
    on_text: &mut (dyn FnMut(&str) + Send),
) -> Result<Ended, Failure> {
    // People know the address with `/v1` from OpenAI's format, and without it from Claude's own libraries.
    let base = address.base.strip_suffix("/v1").unwrap_or(&address.base);
    let request = exchange.http.post(format!("{base}/v1/messages")).headers(address.headers.clone());
    let request = request.header("anthropic-version", VERSION).json(body).build().map_err(|_| {
        Failure::bad_request(format!("a request to {} cannot be made; look at its base_url", exchange.provider))
    })?;
    let mut reading = Reading::new(exchange.provider.clone(), exchange.model.clone());
    let (_, pieces) = exchange.send(request).await?;
    let mut events = std::pin::pin!(pieces.eventsource());
    while let Some(event) = events.next().await {
        let event = event.map_err(|error| match error {
            EventStreamError::Transport(failure) => failure,
            EventStreamError::Utf8(_) | EventStreamError::Parser(_) => reading.unreadable(),
        })?;
        // The end is an event of its own: nobody waits for the connection to close.
        if reading.take(&event.data, on_text)? {
            return reading.end();
        }
    }
    Err(reading.cut())
}
