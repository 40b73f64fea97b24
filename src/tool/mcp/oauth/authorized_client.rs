//! Requests with the token of an authorized server.

use std::{collections::HashMap, sync::Arc};

use futures_util::stream::BoxStream;
use reqwest::header::{HeaderName, HeaderValue};
use rmcp::model::ClientJsonRpcMessage;
use rmcp::transport::streamable_http_client::{StreamableHttpClient, StreamableHttpPostResponse as Posted};
use sse_stream::{Error as SseError, Sse};

use super::super::http_client::{McpHttpClient, McpHttpError};
use super::TokenSource;

#[derive(Clone)]
pub(in super::super) struct AuthorizedClient {
    pub(in super::super) http: McpHttpClient,
    /// `None` if the settings name an environment variable with a token.
    pub(in super::super) tokens: Option<Arc<TokenSource>>,
}

type AuthorizedHeaders = HashMap<HeaderName, HeaderValue>;
type AuthorizedSessionId = Option<Arc<str>>;

impl AuthorizedClient {
    /// Makes a request. If the server rejects its token, repeats the request with a new one.
    async fn with_token<T, F: Future<Output = Result<T, McpHttpError>>>(
        &self,
        given: Option<String>,
        request: impl Fn(Option<String>) -> F,
    ) -> Result<T, McpHttpError> {
        let Some(tokens) = self.tokens.as_ref().filter(|_| given.is_none()) else { return request(given).await };
        let token = tokens.current().await?;
        let answer = match request(token.clone()).await {
            Err(McpHttpError::AuthRequired(refused)) => {
                tokens.save_challenge(&refused.www_authenticate_header);
                match tokens.renewed(token.as_deref()).await? {
                    Some(renewed) if Some(&renewed) != token.as_ref() => request(Some(renewed)).await,
                    _ => return Err(McpHttpError::AuthRequired(refused)),
                }
            }
            answer => answer,
        };
        if let Err(McpHttpError::InsufficientScope(wanting)) = &answer {
            tokens.save_challenge(&wanting.www_authenticate_header);
        }
        answer
    }
}

impl StreamableHttpClient for AuthorizedClient {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: AuthorizedSessionId,
        token: Option<String>,
        headers: AuthorizedHeaders,
    ) -> Result<Posted, McpHttpError> {
        let post =
            |token| self.http.post_message(Arc::clone(&uri), message.clone(), session.clone(), token, headers.clone());
        self.with_token(token, post).await
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        token: Option<String>,
        headers: AuthorizedHeaders,
    ) -> Result<(), McpHttpError> {
        let delete = |token| self.http.delete_session(Arc::clone(&uri), Arc::clone(&session), token, headers.clone());
        self.with_token(token, delete).await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: AuthorizedSessionId,
        last: Option<String>,
        token: Option<String>,
        headers: AuthorizedHeaders,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, McpHttpError> {
        let get = |token| self.http.get_stream(Arc::clone(&uri), session.clone(), last.clone(), token, headers.clone());
        self.with_token(token, get).await
    }
}
