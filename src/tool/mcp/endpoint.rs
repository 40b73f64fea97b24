//! Connections to a server over streamable HTTP.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use reqwest::header::{HeaderName, HeaderValue};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::common::client_side_sse::NeverRetry;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;

use super::http_client::McpHttpClient;
use super::oauth::{AuthorizedClient, TokenSource};
use super::{McpServerSettings, environment};
use crate::http_client;

/// HTTP client and transport settings of one server.
pub(super) struct McpHttpEndpoint {
    client: AuthorizedClient,
    config: StreamableHttpClientTransportConfig,
}

pub(super) type McpHttpTransport = StreamableHttpClientTransport<AuthorizedClient>;

impl McpHttpEndpoint {
    /// Returns the endpoint with the secrets that its settings name.
    ///
    /// # Errors
    /// Fails if a setting is invalid or an environment variable is not set, with a message for the operator.
    pub(super) fn new(
        server: &str,
        settings: &McpServerSettings,
        folder: &Path,
        environment: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, String> {
        let url = reqwest::Url::parse(&settings.url).map_err(|error| format!("its url: {error}"))?;
        let client = http_client::client(&url).connect_timeout(settings.start()).build();
        let client = client
            .map_err(|_| "its HTTP client cannot be created; install the system's root certificates for https")?;
        let mut config = StreamableHttpClientTransportConfig::with_uri(settings.url.as_str())
            .max_concurrent_requests(settings.max_concurrent_calls)
            .max_sse_event_size(settings.max_message_bytes)
            .custom_headers(headers(settings, &environment)?);
        // Only the supervisor of the connection reconnects. Retries of the transport would compete with it.
        config.retry_config = Arc::new(NeverRetry::default());
        config.reinit_on_expired_session = false;
        let tokens = if settings.token_env.is_empty() {
            Some(Arc::new(TokenSource::new(server, &settings.url, &settings.oauth, folder, environment)?))
        } else {
            config = config.auth_header(environment::value(&settings.token_env, environment)?.trim());
            None
        };
        let http = McpHttpClient { client, message_bytes: settings.max_message_bytes };
        Ok(Self { client: AuthorizedClient { http, tokens }, config })
    }

    pub(super) fn transport(&self) -> McpHttpTransport {
        McpHttpTransport::with_client(self.client.clone(), self.config.clone())
    }
}

fn headers(
    settings: &McpServerSettings,
    environment: impl Fn(&str) -> Option<String>,
) -> Result<HashMap<HeaderName, HeaderValue>, String> {
    let open = settings.headers.iter().map(|(name, value)| (name.clone(), value.clone(), false));
    let secret = environment::resolve(&settings.headers_from, environment)?.into_iter();
    let all = open.chain(secret.map(|(name, value)| (name, value, true)));
    all.map(|(name, value, secret)| {
        let invalid = || format!("its header {name} is not valid; use a name like X-Key and a value of one line");
        let mut value = HeaderValue::from_str(value.trim()).map_err(|_| invalid())?;
        value.set_sensitive(secret);
        Ok((HeaderName::try_from(&name).map_err(|_| invalid())?, value))
    })
    .collect()
}
