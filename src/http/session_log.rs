//! Log of a session over REST: pages of events, and pages of older messages.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::extract::QueryParameters;
use super::message_history;
use super::session_access::SessionAccess;
use crate::kernel::{Message, MessageId};
use crate::node::Node;
use crate::protocol::{Problem, ServerFrame};

/// Query of a page of the log.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LogParameters {
    /// Seq after which the page starts. Default 0.
    #[serde(default)]
    after: u64,
    /// Maximum number of events. Default `http.default_page_size`, at most `http.max_page_size`.
    limit: Option<u32>,
}

/// Page of the log. The response is written from the stored JSON, which is not parsed.
#[derive(JsonSchema)]
#[allow(dead_code, reason = "only its schema is used")]
pub(super) struct LogResponse {
    /// `event` frames, the same as on a socket, in the order of their seqs.
    events: Vec<ServerFrame>,
    /// Seq of the newest event of the session.
    head: u64,
}

/// Responds with a [`LogResponse`].
pub(super) async fn log(
    State(node): State<Arc<Node>>,
    SessionAccess { session, .. }: SessionAccess,
    QueryParameters(parameters): QueryParameters<LogParameters>,
) -> Result<Response, Problem> {
    let limit = node.page(parameters.limit)?;
    let stored = node.events.read(session, parameters.after, limit).await?;
    let head = node.events.head(session).await?;
    let mut body = b"{\"events\":[".to_vec();
    for (at, stored) in stored.iter().enumerate() {
        if at > 0 {
            body.push(b',');
        }
        body.extend_from_slice(&stored.frame);
    }
    body.extend_from_slice(format!("],\"head\":{head}}}").as_bytes());
    Ok(([(header::CONTENT_TYPE, "application/json")], body).into_response())
}

/// Query of a page of messages.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct MessageParameters {
    /// Id of the message before which the page ends, for example `m_120`. If absent, the newest messages.
    before: Option<MessageId>,
    /// Maximum number of messages. Default `http.default_page_size`, at most `http.max_page_size`.
    limit: Option<u32>,
}

/// Page of messages.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct MessagesResponse {
    /// Messages, oldest first, in the form of a snapshot.
    messages: Vec<Message>,
    /// True if there are older messages.
    more: bool,
}

pub(super) async fn older(
    State(node): State<Arc<Node>>,
    SessionAccess { session, .. }: SessionAccess,
    QueryParameters(parameters): QueryParameters<MessageParameters>,
) -> Result<Json<MessagesResponse>, Problem> {
    let limit = node.page(parameters.limit)? as usize;
    // One more than requested shows whether there are older messages.
    let mut messages = message_history::messages_before(&*node.events, session, parameters.before, limit + 1).await?;
    let more = messages.len() > limit;
    if more {
        messages.remove(0);
    }
    Ok(Json(MessagesResponse { messages, more }))
}
