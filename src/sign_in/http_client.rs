//! HTTP client for requests to the provider.

use std::pin::Pin;
use std::time::Duration;

use axum::http::{Request, Response};
use openidconnect::AsyncHttpClient;

use crate::http_client;

/// Maximum size of a response, in bytes.
const MAX_RESPONSE_BYTES: usize = 1 << 20;

/// Error of a request to the provider.
#[derive(Debug, thiserror::Error)]
pub(super) enum ProviderRequestError {
    #[error("{0}")]
    Http(#[from] reqwest::Error),
    #[error("the response is larger than {MAX_RESPONSE_BYTES} bytes")]
    TooLarge,
    #[error("the response is invalid: {0}")]
    Invalid(#[from] axum::http::Error),
}

/// HTTP client for the OpenID Connect library. It follows no redirects, because they would send the client's secret
/// elsewhere.
#[derive(Debug)]
pub(super) struct ProviderHttpClient(reqwest::Client);

impl ProviderHttpClient {
    /// Creates a client for the provider at `issuer`, with this timeout per request.
    pub(super) fn new(issuer: &reqwest::Url, timeout: Duration) -> reqwest::Result<Self> {
        Ok(Self(http_client::client(issuer).timeout(timeout).build()?))
    }

    async fn send(&self, request: Request<Vec<u8>>) -> Result<Response<Vec<u8>>, ProviderRequestError> {
        let response = self.0.execute(request.try_into()?).await?;
        let mut head = Response::builder().status(response.status());
        if let Some(headers) = head.headers_mut() {
            headers.clone_from(response.headers());
        }
        let body = http_client::read_body(response, MAX_RESPONSE_BYTES).await?;
        Ok(head.body(body.ok_or(ProviderRequestError::TooLarge)?)?)
    }
}

impl<'c> AsyncHttpClient<'c> for ProviderHttpClient {
    type Error = ProviderRequestError;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Vec<u8>>, ProviderRequestError>> + Send + 'c>>;

    fn call(&'c self, request: Request<Vec<u8>>) -> Self::Future {
        Box::pin(self.send(request))
    }
}
