//! A session's log: events page by page, messages backwards.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};

use super::extract::Parameters;
use super::messages;
use super::session_access::SessionAccess;
use crate::kernel::{Message, MessageId};
use crate::node::Node;
use crate::protocol::Problem;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LogParameters {
    #[serde(default)]
    after: u64,
    limit: Option<u32>,
}

/// `{"events": […], "head": n}`: the very frames that a socket gets.
pub(super) async fn log(
    State(node): State<Arc<Node>>,
    SessionAccess { session, .. }: SessionAccess,
    Parameters(asked): Parameters<LogParameters>,
) -> Result<Response, Problem> {
    let limit = node.page(asked.limit)?;
    let stored = node.events.read(session, asked.after, limit).await?;
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

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MessageParameters {
    before: Option<MessageId>,
    limit: Option<u32>,
}

#[derive(Debug, Serialize)]
pub(super) struct Messages {
    /// Oldest first, as in a snapshot.
    messages: Vec<Message>,
    /// Whether there are older ones.
    more: bool,
}

pub(super) async fn older(
    State(node): State<Arc<Node>>,
    SessionAccess { session, .. }: SessionAccess,
    Parameters(asked): Parameters<MessageParameters>,
) -> Result<Json<Messages>, Problem> {
    let limit = node.page(asked.limit)? as usize;
    // One more than asked for tells whether there are older ones.
    let mut messages = messages::before(&*node.events, session, asked.before, limit + 1).await?;
    let more = messages.len() > limit;
    if more {
        messages.remove(0);
    }
    Ok(Json(Messages { messages, more }))
}
