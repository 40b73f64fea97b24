//! `GET /api/debug/session/{id}`: overview of a conversation.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::Extensions;
use schemars::JsonSchema;
use serde::Serialize;

use super::error::TeamChatError;
use super::{DOOR, conversation_id};
use crate::doors::caller::caller;
use crate::http::PathParameters;
use crate::kernel::gate::Gate;
use crate::kernel::{ActorKind, Event, LogChange, Message, MessageChange, SessionId, Timestamp, first_chars};
use crate::node::Node;
use crate::protocol::Problem;
use crate::store::EventStore;

/// Maximum number of characters in a message in the overview.
const MAX_PREVIEW_CHARS: usize = 100;

/// Overview of a conversation.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct DebugResponse {
    /// Id of the conversation, such as `team_session_…`.
    session_id: String,
    /// Number of all messages.
    message_count: usize,
    /// True if the run waits for people.
    waiting_for_feedback: bool,
    /// Id of the agent that wrote the last message, or null.
    last_agent: Option<Arc<str>>,
    /// Newest messages, oldest first.
    messages: Vec<DebugMessage>,
}

/// Message of the overview.
#[derive(Debug, Serialize, JsonSchema)]
struct DebugMessage {
    /// Id of the agent, or `user`.
    role: Arc<str>,
    /// First 100 characters of the text, followed by `...` if there are more.
    content: String,
    /// Time of the message.
    timestamp: Timestamp,
}

pub(super) async fn debug(
    State(node): State<Arc<Node>>,
    extensions: Extensions,
    PathParameters(conversation): PathParameters<String>,
) -> Result<Json<DebugResponse>, TeamChatError> {
    let who = caller(&node, &extensions, DOOR).await?;
    let session = conversation_id::visible_session(&node, &who, &conversation).await?;
    let state = node.session_registry.state(session).await?;
    let view = state.view();
    let message_count = if view.more { count(&*node.events, session).await? } else { view.messages.len() };
    let last = view.messages.iter().rev().find(|message| message.by.kind == ActorKind::Agent);
    Ok(Json(DebugResponse {
        session_id: conversation,
        message_count,
        waiting_for_feedback: view.gates.iter().any(Gate::holds_work),
        last_agent: last.map(|message| message.by.id.clone()),
        messages: view.messages.iter().map(|message| line(message)).collect(),
    }))
}

fn line(message: &Message) -> DebugMessage {
    let role = if message.by.kind == ActorKind::Agent { message.by.id.clone() } else { "user".into() };
    let beginning = first_chars(&message.text, MAX_PREVIEW_CHARS);
    let more = if beginning.len() < message.text.len() { "..." } else { "" };
    let content = format!("{beginning}{more}");
    DebugMessage { role, content, timestamp: message.at }
}

/// Counts all messages of a session in its log, because the view keeps only the newest ones.
async fn count(store: &dyn EventStore, session: SessionId) -> Result<usize, Problem> {
    let (mut after, mut count) = (0, 0_usize);
    loop {
        let page = store.read(session, after, 1000).await?;
        let Some(last) = page.last() else { return Ok(count) };
        after = last.seq;
        for stored in &page {
            let event: Event = serde_json::from_slice(&stored.frame).map_err(Problem::internal)?;
            let LogChange::Message(_, change) = event.fact.log_change() else { continue };
            match change {
                MessageChange::Posted | MessageChange::Ended => count += 1,
                MessageChange::Withdrawn => count -= 1,
                MessageChange::Started(_) => {}
            }
        }
    }
}
