//! Requests with the token of an authorized server.

use std::{collections::HashMap, sync::Arc};

use futures_util::stream::BoxStream;
use reqwest::header::{HeaderName, HeaderValue};
use rmcp::model::ClientJsonRpcMessage;
use rmcp::transport::streamable_http_client::{StreamableHttpClient, StreamableHttpPostResponse as Posted};
use sse_stream::{Error as SseError, Sse};

use super::super::http_client::{Failed, HttpClient};
use super::Tokens;

#[derive(Clone)]
pub(in super::super) struct AuthorizedClient {
    pub(in super::super) http: HttpClient,
    /// `None` if the settings contain a token.
    pub(in super::super) tokens: Option<Arc<Tokens>>,
}

type Headers = HashMap<HeaderName, HeaderValue>;
type Session = Option<Arc<str>>;

impl AuthorizedClient {
    /// Makes a request. If the server rejects its token, repeats the request with a new one.
    async fn with_token<T, F: Future<Output = Result<T, Failed>>>(
        &self,
        given: Option<String>,
        request: impl Fn(Option<String>) -> F,
    ) -> Result<T, Failed> {
        let Some(tokens) = self.tokens.as_ref().filter(|_| given.is_none()) else { return request(given).await };
        let token = tokens.current().await?;
        let answer = match request(token.clone()).await {
            Err(Failed::AuthRequired(refused)) => {
                tokens.challenged(&refused.www_authenticate_header);
                match tokens.renewed(token.as_deref()).await? {
                    Some(renewed) if Some(&renewed) != token.as_ref() => request(Some(renewed)).await,
                    _ => return Err(Failed::AuthRequired(refused)),
                }
            }
            answer => answer,
        };
        if let Err(Failed::InsufficientScope(wanting)) = &answer {
            tokens.challenged(&wanting.www_authenticate_header);
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
        session: Session,
        token: Option<String>,
        headers: Headers,
    ) -> Result<Posted, Failed> {
        let post =
            |token| self.http.post_message(Arc::clone(&uri), message.clone(), session.clone(), token, headers.clone());
        self.with_token(token, post).await
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<(), Failed> {
        let delete = |token| self.http.delete_session(Arc::clone(&uri), Arc::clone(&session), token, headers.clone());
        self.with_token(token, delete).await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Session,
        last: Option<String>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, Failed> {
        let get = |token| self.http.get_stream(Arc::clone(&uri), session.clone(), last.clone(), token, headers.clone());
        self.with_token(token, get).await
    }
}
