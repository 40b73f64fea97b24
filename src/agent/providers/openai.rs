//! OpenAI's chat completions through the `async-openai` library, which only this file uses. The library builds the
//! request for the endpoint and splits the response stream into chunks up to `[DONE]`. Bodies and chunks are our own
//! JSON values (the library's `byot` feature), because compatible servers use fields that the library's types lack.
//!
//! The library sends requests through our own HTTP client (`middleware`). Its own client would retry by itself,
//! write error bodies to the log and hide `Retry-After`.

use std::{sync::Arc, time::Duration};

use async_openai::{Client, config::Config, error::OpenAIError, middleware::HttpRequestFactory};
use axum::http::HeaderMap;
use futures_util::StreamExt;
use parking_lot::Mutex;
use secrecy::SecretString;
use serde_json::Value;
use tokio::time::timeout;

use super::assembly::{RawCompletion, ResponseAssembly};
use super::gathered_text::GatheredText;
use super::provider_client::{ProviderAddress, ProviderClient};
use crate::agent::TurnError;

/// Log target of the library. It must be silenced, because the library logs every provider response that it cannot
/// parse, and such a response can contain people's messages.
pub const LOG_TARGET: &str = "async_openai";

/// Sends the body and reads the response to its end.
pub(super) async fn attempt(
    client: ProviderClient,
    address: &ProviderAddress,
    body: &Value,
    on_text: &mut (dyn FnMut(&str) + Send),
) -> Result<RawCompletion, TurnError> {
    // The library returns errors as text only, so the client stores the failure here.
    let failure = Arc::new(Mutex::new(None));
    let mut assembly = ResponseAssembly::new(client.provider.clone(), client.model.clone());
    let trailer = Duration::from_millis(client.limits.trailer_ms);
    let address = OpenAiConfig { address: address.clone(), unused: SecretString::default() };
    let recording = RecordingClient { client: client.clone(), failure: failure.clone() };
    let library = Client::build(client.http, address)
        .with_http_service(tower::service_fn(move |request: HttpRequestFactory| recording.clone().send(request)));
    let opened: Result<_, OpenAIError> = library.chat().create_stream_byot::<_, Value>(body).await;
    let mut stream = opened.map_err(|_| take_failure(&failure).unwrap_or_else(|| assembly.unreadable()))?;
    let mut gathered = GatheredText::new(on_text);
    loop {
        let next = if assembly.is_finished() {
            // Some servers keep the connection open after the end of the response.
            match timeout(trailer, gathered.next(stream.as_mut())).await {
                Ok(next) => next,
                Err(_) => break,
            }
        } else {
            gathered.next(stream.as_mut()).await
        };
        match next {
            None => break,
            Some(Ok(chunk)) => assembly.take(&chunk, &mut |text| gathered.push(text))?,
            // A connection error after the end of the response loses only the provider's usage figures.
            Some(Err(_)) if assembly.is_finished() => break,
            Some(Err(_)) => return Err(take_failure(&failure).unwrap_or_else(|| assembly.unreadable())),
        }
    }
    if !assembly.is_finished()
        && let Some(failure) = take_failure(&failure)
    {
        return Err(failure);
    }
    assembly.end()
}

fn take_failure(failure: &Mutex<Option<TurnError>>) -> Option<TurnError> {
    failure.lock().take()
}

/// HTTP service through which the library sends requests. It uses our client and stores the client's failure.
#[derive(Clone)]
struct RecordingClient {
    client: ProviderClient,
    failure: Arc<Mutex<Option<TurnError>>>,
}

impl RecordingClient {
    async fn send(self, request: HttpRequestFactory) -> Result<reqwest::Response, OpenAIError> {
        let note = move |failure| {
            self.failure.lock().get_or_insert(failure);
            OpenAIError::InvalidArgument(String::new())
        };
        let (parts, pieces) = self.client.send(request.build().await?).await.map_err(&note)?;
        let body = reqwest::Body::wrap_stream(pieces.map(move |piece| piece.map_err(&note)));
        Ok(axum::http::Response::from_parts(parts, body).into())
    }
}

/// URL and API key for the library. The library's own configuration would read the organization, project and URL from
/// the environment and use them for every provider.
#[derive(Clone)]
struct OpenAiConfig {
    address: ProviderAddress,
    unused: SecretString,
}

impl Config for OpenAiConfig {
    fn headers(&self) -> HeaderMap {
        self.address.headers.clone()
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.address.base)
    }

    fn query(&self) -> Vec<(&str, &str)> {
        vec![]
    }

    fn api_base(&self) -> &str {
        &self.address.base
    }

    fn api_key(&self) -> &SecretString {
        &self.unused
    }
}
