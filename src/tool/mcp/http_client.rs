//! The library's HTTP client, but for one thing: a server that does not know the session any more, as after its restart,
//! may refuse a request with an error that does not say which request it is about. The library would wait on.

use std::{collections::HashMap, sync::Arc};

use futures_util::stream::BoxStream;
use reqwest::header::{HeaderName, HeaderValue};
use rmcp::model::{ClientJsonRpcMessage, JsonRpcMessage};
use rmcp::transport::streamable_http_client::{
    StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse as Posted,
};
use sse_stream::{Error as SseError, Sse};

#[derive(Clone)]
pub(super) struct HttpClient(pub(super) reqwest::Client);

type Failed = StreamableHttpError<reqwest::Error>;
type Headers = HashMap<HeaderName, HeaderValue>;
type Session = Option<Arc<str>>;
type Events = BoxStream<'static, Result<Sse, SseError>>;

/// What never bounds an event; the library always says how long one may be.
const UNBOUNDED: usize = usize::MAX;

impl StreamableHttpClient for HttpClient {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Session,
        token: Option<String>,
        headers: Headers,
    ) -> Result<Posted, Failed> {
        self.post_message_with_max_sse_event_size(uri, message, session, token, headers, UNBOUNDED).await
    }

    async fn post_message_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Session,
        token: Option<String>,
        headers: Headers,
        most: usize,
    ) -> Result<Posted, Failed> {
        let posted = self.0.post_message_with_max_sse_event_size(uri, message, session, token, headers, most).await?;
        match posted {
            Posted::Json(JsonRpcMessage::Error(error), _) if error.id.is_none() => Err(Failed::SessionExpired),
            posted => Ok(posted),
        }
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<(), Failed> {
        self.0.delete_session(uri, session, token, headers).await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Session,
        last: Option<String>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<Events, Failed> {
        self.get_stream_with_max_sse_event_size(uri, session, last, token, headers, UNBOUNDED).await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session: Session,
        last: Option<String>,
        token: Option<String>,
        headers: Headers,
        most: usize,
    ) -> Result<Events, Failed> {
        self.0.get_stream_with_max_sse_event_size(uri, session, last, token, headers, most).await
    }
}
