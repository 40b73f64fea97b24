//! HTTP client of a provider: sends a request once, classifies errors, and enforces timeouts and size limits on the
//! body.

use std::{sync::Arc, time::Duration};

use axum::http::response::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use bytes::Bytes;
use futures_util::{Stream, StreamExt, stream};
use http_body_util::BodyDataStream;
use tokio::time::timeout;

use crate::agent::{ProviderKind, ProviderSettings, TurnError};

/// Byte order mark, which some servers send at the beginning of a body.
const BOM: &[u8] = "\u{feff}".as_bytes();

/// Maximum number of bytes that are read from an error body.
const MAX_ERROR_BODY_BYTES: usize = 16 * 1024;

/// URL and API key of a provider.
#[derive(Clone)]
pub(super) struct ProviderAddress {
    pub(super) base: Arc<str>,
    pub(super) headers: HeaderMap,
}

impl ProviderAddress {
    /// Creates the URL and the headers.
    ///
    /// # Errors
    /// Fails if an HTTP header cannot contain the key.
    pub(super) fn new(kind: ProviderKind, base: &str, key: &str) -> Result<Self, &'static str> {
        let (name, value): (HeaderName, _) = match kind {
            ProviderKind::Openai => (header::AUTHORIZATION, format!("Bearer {key}")),
            ProviderKind::Claude => (HeaderName::from_static("x-api-key"), key.to_owned()),
        };
        let mut headers = HeaderMap::new();
        if !key.is_empty() {
            let mut value = HeaderValue::from_str(&value)
                .map_err(|_| "api_key contains an invalid character, such as a line break; remove it")?;
            value.set_sensitive(true);
            headers.insert(name, value);
        }
        Ok(Self { base: base.trim_end_matches('/').into(), headers })
    }
}

/// HTTP client for one request to a provider, used for every API.
#[derive(Clone)]
pub(super) struct ProviderClient {
    pub(super) http: reqwest::Client,
    pub(super) provider: Arc<str>,
    pub(super) model: Arc<str>,
    pub(super) limits: Arc<ProviderSettings>,
}

impl ProviderClient {
    /// Sends the request once. Returns the head of the response and its body, with the provider's timeouts and size
    /// limit applied.
    ///
    /// # Errors
    /// Fails if the provider cannot be reached, times out, responds with an error status or does not stream.
    pub(super) async fn send(
        self,
        request: reqwest::Request,
    ) -> Result<(Parts, impl Stream<Item = Result<Bytes, TurnError>> + Send + 'static), TurnError> {
        let answered = timeout(Duration::from_millis(self.limits.first_byte_ms), self.http.execute(request)).await;
        let response = match answered {
            Err(elapsed) => return Err(self.silent(self.limits.first_byte_ms).caused_by(elapsed)),
            Ok(Err(error)) => return Err(self.unreachable(&error).caused_by(error.without_url())),
            Ok(Ok(response)) => response,
        };
        let (status, headers) = (response.status(), response.headers());
        if !status.is_success() {
            let headers = headers.clone();
            let body = read_prefix(response, Duration::from_millis(self.limits.idle_ms)).await;
            return Err(TurnError::of_status(&self.provider, &self.model, status, &headers, &body));
        }
        let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        if kind.starts_with("application/json") || kind.starts_with("text/html") {
            return Err(TurnError::bad_response(format!(
                "{} does not stream its responses; check that its base_url is {}",
                self.provider,
                self.limits.kind.base_url()
            ))
            .retryable(false));
        }
        let (parts, body) = axum::http::Response::from(response).into_parts();
        Ok((parts, self.watch(BodyDataStream::new(body))))
    }

    fn watch(
        self,
        chunks: impl Stream<Item = reqwest::Result<Bytes>> + Send + 'static,
    ) -> impl Stream<Item = Result<Bytes, TurnError>> + Send + 'static {
        let first = self.limits.first_byte_ms;
        let start = (self, Box::pin(chunks), 0u64, first, false);
        stream::unfold(start, |(client, mut chunks, mut bytes, stall_timeout, over)| async move {
            if over {
                return None;
            }
            let limits = &client.limits;
            let piece = match timeout(Duration::from_millis(stall_timeout), chunks.next()).await {
                Ok(None) => return None,
                Ok(Some(Ok(piece))) => {
                    // The event parser fails on a byte order mark.
                    let piece = if bytes == 0 {
                        piece.strip_prefix(BOM).map_or(piece.clone(), |rest| piece.slice_ref(rest))
                    } else {
                        piece
                    };
                    bytes += piece.len() as u64;
                    if bytes > limits.max_response_bytes { Err(client.endless()) } else { Ok(piece) }
                }
                Ok(Some(Err(error))) => {
                    let failure = if bytes == 0 { client.connection_closed() } else { client.connection_broken() };
                    Err(failure.caused_by(error.without_url()))
                }
                Err(elapsed) => Err(client.silent(stall_timeout).caused_by(elapsed)),
            };
            let (over, idle) = (piece.is_err(), limits.idle_ms);
            Some((piece, (client, chunks, bytes, idle, over)))
        })
    }

    fn silent(&self, ms: u64) -> TurnError {
        let seconds = ms.div_ceil(1000);
        TurnError::timeout(format!("{} sent nothing for {seconds} s", self.provider))
    }

    fn endless(&self) -> TurnError {
        TurnError::bad_response(format!(
            "the response from {} exceeds max_response_bytes; raise the limit",
            self.provider
        ))
        .retryable(false)
    }

    fn unreachable(&self, error: &reqwest::Error) -> TurnError {
        if error.is_timeout() {
            let ms = self.limits.connect_ms;
            return TurnError::timeout(format!("{} could not be reached within {ms} ms", self.provider));
        }
        if !error.is_connect() {
            return self.connection_closed();
        }
        TurnError::unavailable(format!(
            "{} cannot be reached; check that it runs and that its base_url is correct",
            self.provider
        ))
    }

    fn connection_broken(&self) -> TurnError {
        TurnError::stream_cut(format!("the connection to {} broke in the middle of the response", self.provider))
    }

    fn connection_closed(&self) -> TurnError {
        TurnError::unavailable(format!(
            "{} closed the connection without a response; check its log, or retry",
            self.provider
        ))
    }
}

/// Reads the first bytes of an error body. Stops at the timeout if the body is slow; the error is then classified by
/// the bytes read so far, or by the status alone.
async fn read_prefix(response: reqwest::Response, stall_timeout: Duration) -> Vec<u8> {
    let mut body = vec![];
    let mut chunks = response.bytes_stream();
    while let Ok(Some(Ok(piece))) = timeout(stall_timeout, chunks.next()).await {
        body.extend_from_slice(&piece[..piece.len().min(MAX_ERROR_BODY_BYTES - body.len())]);
        if body.len() == MAX_ERROR_BODY_BYTES {
            break;
        }
    }
    body
}
