//! `GET /api/debug/session/{id}`: a conversation at a glance.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::Extensions;
use serde::Serialize;

use super::refusal::Refusal;
use super::{DOOR, conversation};
use crate::doors::caller::caller;
use crate::http::Path;
use crate::kernel::{ActorKind, Event, Fact, Message, SessionId, Timestamp};
use crate::node::Node;
use crate::protocol::Problem;
use crate::store::EventStore;

/// Characters of a message that are shown.
const SHOWN: usize = 100;

#[derive(Debug, Serialize)]
pub(super) struct Glance {
    session_id: String,
    message_count: usize,
    waiting_for_feedback: bool,
    last_agent: Option<Arc<str>>,
    messages: Vec<Line>,
}

#[derive(Debug, Serialize)]
struct Line {
    role: Arc<str>,
    content: String,
    timestamp: Timestamp,
}

pub(super) async fn debug(
    State(node): State<Arc<Node>>,
    extensions: Extensions,
    Path(conversation): Path<String>,
) -> Result<Json<Glance>, Refusal> {
    let who = caller(&node, &extensions, DOOR).await?;
    let session = conversation::seen_by(&node, &who, &conversation).await?;
    let state = node.orchestrators.state(session).await?;
    let view = state.view();
    let message_count = if view.more { count(&*node.events, session).await? } else { view.messages.len() };
    let last = view.messages.iter().rev().find(|message| message.by.kind == ActorKind::Agent);
    Ok(Json(Glance {
        session_id: conversation,
        message_count,
        waiting_for_feedback: !view.gates.is_empty(),
        last_agent: last.map(|message| message.by.id.clone()),
        messages: view.messages.iter().map(|message| line(message)).collect(),
    }))
}

fn line(message: &Message) -> Line {
    let role = if message.by.kind == ActorKind::Agent { message.by.id.clone() } else { "user".into() };
    let mut content: String = message.text.chars().take(SHOWN).collect();
    if content.len() < message.text.len() {
        content.push_str("...");
    }
    Line { role, content, timestamp: message.at }
}

/// All messages of a session that is too long for its view.
async fn count(store: &dyn EventStore, session: SessionId) -> Result<usize, Problem> {
    let (mut after, mut count) = (0, 0_usize);
    loop {
        let page = store.read(session, after, 1000).await?;
        let Some(last) = page.last() else { return Ok(count) };
        after = last.seq;
        for stored in &page {
            let event: Event = serde_json::from_slice(&stored.frame).map_err(Problem::internal)?;
            match event.fact {
                Fact::MessagePosted { .. } | Fact::MessageCompleted { .. } | Fact::MessageAborted { .. } => count += 1,
                Fact::MessageWithdrawn { .. } => count -= 1,
                _ => {}
            }
        }
    }
}
