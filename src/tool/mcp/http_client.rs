//! Requests to a server over streamable HTTP. This client replaces the library's own, which has a fixed limit for plain
//! JSON, and in which a single event that is too large would end the stream and all of its calls.

use std::{collections::HashMap, sync::Arc};

use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use reqwest::{RequestBuilder, Response, StatusCode};
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, ErrorData, JsonRpcMessage, RequestId, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, HttpStatusError, InsufficientScopeError, StreamableHttpClient, StreamableHttpError,
    StreamableHttpPostResponse as Posted,
};
use sse_stream::{Error as SseError, Sse, SseStream};

use super::event_limiter::limit_events;
use super::oversized_message;

#[derive(Clone)]
pub(super) struct McpHttpClient {
    pub(super) client: reqwest::Client,
    /// Maximum number of bytes in one message, whether it is sent as JSON or as an event.
    pub(super) message_bytes: usize,
}

pub(super) type McpHttpError = StreamableHttpError<reqwest::Error>;
type McpHeaders = HashMap<HeaderName, HeaderValue>;
type McpSessionId = Option<Arc<str>>;
type McpEvents = BoxStream<'static, Result<Sse, SseError>>;

const EVENTS: &str = "text/event-stream";
const JSON: &str = "application/json";
const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");

/// Maximum number of bytes in the body of an error response.
const MAX_ERROR_BYTES: usize = 64 * 1024;

impl StreamableHttpClient for McpHttpClient {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: McpSessionId,
        token: Option<String>,
        headers: McpHeaders,
    ) -> Result<Posted, McpHttpError> {
        let in_session = session.is_some();
        let request = build_request(self.client.post(&*uri), session, token, headers).json(&message);
        let response = check_authorization(request.send().await?)?;
        let id = match &message {
            JsonRpcMessage::Request(request) => Some(request.id.clone()),
            _ => None,
        };
        match response.status() {
            StatusCode::ACCEPTED | StatusCode::NO_CONTENT => Ok(Posted::Accepted),
            StatusCode::NOT_FOUND if in_session => Err(McpHttpError::SessionExpired),
            status if !status.is_success() => read_error(&message, in_session, response).await,
            _ if has_content_type(&response, EVENTS) => {
                let session = session_id_of(&response);
                Ok(Posted::Sse(read_events(response, self.message_bytes, id), session))
            }
            _ => self.answer(response, id, in_session).await,
        }
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        token: Option<String>,
        headers: McpHeaders,
    ) -> Result<(), McpHttpError> {
        let response = build_request(self.client.delete(&*uri), Some(session), token, headers).send().await?;
        if response.status() != StatusCode::METHOD_NOT_ALLOWED {
            response.error_for_status()?;
        }
        Ok(())
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: McpSessionId,
        last: Option<String>,
        token: Option<String>,
        headers: McpHeaders,
    ) -> Result<McpEvents, McpHttpError> {
        let mut request = build_request(self.client.get(&*uri), session, token, headers);
        if let Some(last) = last {
            request = request.header(LAST_EVENT, last);
        }
        let response = check_authorization(request.send().await?)?;
        if response.status() == StatusCode::METHOD_NOT_ALLOWED {
            return Err(McpHttpError::ServerDoesNotSupportSse);
        }
        if let Some(failed) = overload_error(&response) {
            return Err(failed);
        }
        let response = response.error_for_status()?;
        if !has_content_type(&response, EVENTS) {
            return Err(McpHttpError::UnexpectedContentType(content_type(&response)));
        }
        Ok(read_events(response, self.message_bytes, None))
    }
}

impl McpHttpClient {
    /// Reads a response that is a single JSON message. Some servers send an empty response to notifications.
    async fn answer(
        &self,
        response: Response,
        id: Option<RequestId>,
        in_session: bool,
    ) -> Result<Posted, McpHttpError> {
        let (json, session) = (has_content_type(&response, JSON), session_id_of(&response));
        let Some(id) = id else { return Ok(Posted::Accepted) };
        if !json {
            return Err(McpHttpError::UnexpectedContentType(content_type(&response)));
        }
        let Some(body) = crate::http_client::read_body(response, self.message_bytes).await? else {
            return Ok(Posted::Json(oversized_message::too_large_response(id, self.message_bytes), session));
        };
        match serde_json::from_slice(&body) {
            // The server has lost the session, for example in a restart, and its error does not name the rejected
            // request. Without this case, the library would wait for a response forever.
            Ok(JsonRpcMessage::Error(error)) if error.id.is_none() && in_session => Err(McpHttpError::SessionExpired),
            Ok(message) => Ok(Posted::Json(message, session)),
            Err(_) => Err(McpHttpError::UnexpectedServerResponse("the response is not a JSON-RPC message".into())),
        }
    }
}

fn build_request(
    request: RequestBuilder,
    session: McpSessionId,
    token: Option<String>,
    headers: McpHeaders,
) -> RequestBuilder {
    let mut request = request.header(ACCEPT, format!("{EVENTS}, {JSON}"));
    for (name, value) in headers {
        request = request.header(name, value);
    }
    if let Some(token) = token {
        request = request.bearer_auth(token);
    }
    match session {
        Some(session) => request.header(SESSION, &*session),
        None => request,
    }
}

/// Returns the response unless it asks for authorization or for more scopes.
fn check_authorization(response: Response) -> Result<Response, McpHttpError> {
    let challenge = response.headers().get(WWW_AUTHENTICATE).and_then(|value| value.to_str().ok());
    match (response.status(), challenge.map(str::to_owned)) {
        (StatusCode::UNAUTHORIZED, Some(challenge)) => {
            Err(McpHttpError::AuthRequired(AuthRequiredError::new(challenge)))
        }
        (StatusCode::FORBIDDEN, Some(challenge)) => {
            Err(McpHttpError::InsufficientScope(InsufficientScopeError::new(challenge, None)))
        }
        _ => Ok(response),
    }
}

/// Converts a response with an error status. If the body contains the server's own JSON-RPC error, returns that error.
async fn read_error(
    message: &ClientJsonRpcMessage,
    in_session: bool,
    response: Response,
) -> Result<Posted, McpHttpError> {
    let (status, json, overloaded) = (response.status(), has_content_type(&response, JSON), overload_error(&response));
    let body = if json && status != StatusCode::TOO_MANY_REQUESTS {
        crate::http_client::read_body(response, MAX_ERROR_BYTES).await?
    } else {
        None
    };
    let error = match body.map(|body| serde_json::from_slice::<ServerJsonRpcMessage>(&body)) {
        Some(Ok(JsonRpcMessage::Error(error))) => Some(error),
        _ => None,
    };
    let unauthorized = matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
    if let (JsonRpcMessage::Request(request), false, false) = (message, in_session, unauthorized)
        && matches!(request.request, ClientRequest::DiscoverRequest(_))
        && status.is_client_error()
    {
        // This is how servers with the older handshake reject the newer one. Their error can lack the id of the
        // request.
        let error = error.map_or_else(|| ErrorData::invalid_request(status.to_string(), None), |error| error.error);
        return Ok(Posted::Json(JsonRpcMessage::error(error, Some(request.id.clone())), None));
    }
    match error.filter(|_| !unauthorized) {
        Some(error) if error.id.is_none() && in_session => Err(McpHttpError::SessionExpired),
        Some(error) if error.id.is_some() => Ok(Posted::Json(JsonRpcMessage::Error(error), None)),
        _ => Err(overloaded.unwrap_or_else(|| McpHttpError::UnexpectedServerResponse(format!("HTTP {status}").into()))),
    }
}

fn overload_error(response: &Response) -> Option<McpHttpError> {
    let status = response.status();
    let after = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()).map(str::to_owned);
    (status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error())
        .then(|| HttpStatusError::new(status.as_u16(), after).into())
}

fn read_events(response: Response, max_bytes: usize, request: Option<RequestId>) -> McpEvents {
    SseStream::from_bytes_stream(limit_events(response.bytes_stream(), max_bytes, request)).boxed()
}

fn content_type(response: &Response) -> Option<String> {
    response.headers().get(CONTENT_TYPE).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
}

fn has_content_type(response: &Response, kind: &str) -> bool {
    content_type(response).is_some_and(|given| given.starts_with(kind))
}

fn session_id_of(response: &Response) -> Option<String> {
    response.headers().get(SESSION).and_then(|value| value.to_str().ok()).map(Into::into)
}
