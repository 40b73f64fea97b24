//! One attempt at a turn: one HTTP request, read to its end.

use std::{sync::Arc, time::Duration};

use async_openai::{Client, error::OpenAIError, middleware::HttpRequestFactory};
use futures_util::StreamExt;
use parking_lot::Mutex;
use serde_json::Value;
use tokio::time::timeout;

use super::assembly::{Assembly, Ended};
use super::transport::{Address, Exchange};
use super::{Failure, Provider};

/// Where an attempt goes.
pub(super) struct Attempt<'a> {
    pub(super) http: &'a reqwest::Client,
    pub(super) address: &'a Address,
    pub(super) limits: &'a Arc<Provider>,
    pub(super) provider: &'a Arc<str>,
    pub(super) model: &'a Arc<str>,
}

impl Attempt<'_> {
    /// Send the request and read the answer; `on_text` gets each fragment of its text. Dropping the future closes the
    /// connection, so that nobody pays for what nobody reads.
    pub(super) async fn make(&self, body: &Value, on_text: &mut (dyn FnMut(&str) + Send)) -> Result<Ended, Failure> {
        let failure = Arc::new(Mutex::new(None));
        let exchange = Exchange {
            http: self.http.clone(),
            provider: self.provider.clone(),
            model: self.model.clone(),
            limits: self.limits.clone(),
            failure: failure.clone(),
        };
        let client = Client::build(self.http.clone(), self.address.clone())
            .with_http_service(tower::service_fn(move |request: HttpRequestFactory| exchange.clone().send(request)));
        let mut assembly = Assembly::new(self.provider.clone(), self.model.clone());
        let opened: Result<_, OpenAIError> = client.chat().create_stream_byot::<_, Value>(body).await;
        let mut stream = opened.map_err(|_| noted(&failure).unwrap_or_else(|| assembly.unreadable()))?;
        loop {
            let next = if assembly.is_finished() {
                // Some servers keep the connection open when all is said.
                match timeout(Duration::from_millis(self.limits.trailer_ms), stream.next()).await {
                    Ok(next) => next,
                    Err(_) => break,
                }
            } else {
                stream.next().await
            };
            match next {
                None => break,
                Some(Ok(chunk)) => assembly.take(&chunk, on_text)?,
                // What breaks after the model's last word costs nothing but the provider's figures.
                Some(Err(_)) if assembly.is_finished() => break,
                Some(Err(_)) => return Err(noted(&failure).unwrap_or_else(|| assembly.unreadable())),
            }
        }
        if !assembly.is_finished()
            && let Some(failure) = noted(&failure)
        {
            return Err(failure);
        }
        assembly.end()
    }
}

fn noted(failure: &Mutex<Option<Failure>>) -> Option<Failure> {
    failure.lock().take()
}
