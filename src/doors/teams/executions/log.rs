//! `GET /api/v1/executions/{execution}/log`: the events of an execution as a list with filters.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use uuid::{Builder, Uuid};

use super::event::{ExecutionEvent, ExecutionEventKind};
use super::lookup;
use crate::agent::teams::ExecutionId;
use crate::doors::teams::caller::TeamCaller;
use crate::doors::teams::error::TeamError;
use crate::doors::teams::page::PageNumber;
use crate::http::{PathParameters, QueryParameters};
use crate::kernel::{Timestamp, first_chars};
use crate::node::Node;
use crate::protocol::{Code, Problem};

/// Query of a page of the log.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ExecutionLogParameters {
    /// Number of the page, from 1. Default 1.
    #[schemars(range(min = 1))]
    page: Option<u32>,
    /// Maximum number of entries on a page, 1 to 100. Default 20.
    #[schemars(range(min = 1, max = PageNumber::MAX_SIZE))]
    size: Option<u32>,
    /// Name of the events, such as `tool_call`. If absent, all events.
    event_type: Option<String>,
    /// Node of the events. If absent, all events.
    node_id: Option<String>,
    /// Agent or supervisor of the events. If absent, all events.
    agent_id: Option<String>,
}

/// Page of the log of an execution.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ExecutionLogResponse {
    /// Entries, oldest first.
    log: Vec<ExecutionLogEntry>,
    /// Number of the page, from 1.
    page: u32,
    /// Maximum number of entries on a page.
    size: u32,
    /// Number of entries on all pages.
    total: u64,
}

/// Entry of the log of an execution.
#[derive(Debug, Serialize, JsonSchema)]
struct ExecutionLogEntry {
    /// Id of the entry, always the same for the same event.
    #[schemars(with = "String", regex(pattern = "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"))]
    id: Uuid,
    /// Id of the execution.
    execution_id: ExecutionId,
    /// Name of the event, such as `agent_message`.
    event_type: &'static str,
    /// Agent or supervisor of the event, or null.
    agent_id: Option<Arc<str>>,
    /// Node of the event, or null.
    node_id: Option<Arc<str>>,
    /// Text of the event; can be empty.
    message: Arc<str>,
    /// Further fields of the event, as in the stream.
    metadata: Map<String, Value>,
    /// Time of the event.
    timestamp: Timestamp,
}

pub(super) async fn log(
    State(node): State<Arc<Node>>,
    TeamCaller(who): TeamCaller,
    path: Result<PathParameters<String>, Problem>,
    parameters: Result<QueryParameters<ExecutionLogParameters>, Problem>,
) -> Result<Json<ExecutionLogResponse>, TeamError> {
    let listing = lookup::execution(&node, &who, &path?.0).await?;
    let filter = parameters?.0;
    let number = PageNumber::new(filter.page, filter.size)?;
    if let Some(name) = filter.event_type.as_deref().filter(|name| !ExecutionEventKind::NAMES.contains(name)) {
        let names = ExecutionEventKind::NAMES.join(", ");
        let message = format!("event_type {:?} is unknown; use one of {names}", first_chars(name, 64));
        return Err(Problem::new(Code::InvalidArgument, message).into());
    }
    let (mut projection, _) = lookup::projection(&node, &listing).await?;
    let (mut log, mut total, mut lines) = (vec![], 0, vec![]);
    lookup::read_events(&node, listing.id, |event| {
        projection.take_event(event, &mut lines);
        for (at, line) in lines.drain(..).enumerate().filter(|(_, line)| filter.fits(line)) {
            if total >= number.offset() && log.len() < number.size as usize {
                log.push(ExecutionLogEntry::new(line, (event.seq, at)));
            }
            total += 1;
        }
        projection.end().is_none()
    })
    .await?;
    Ok(Json(ExecutionLogResponse { log, page: number.page, size: number.size, total }))
}

impl ExecutionLogParameters {
    fn fits(&self, event: &ExecutionEvent) -> bool {
        let is = |wanted: &Option<String>, value: Option<&str>| {
            wanted.as_deref().is_none_or(|wanted| value.is_some_and(|value| value == wanted))
        };
        is(&self.event_type, Some(event.kind.name()))
            && is(&self.node_id, event.node_id.as_deref())
            && is(&self.agent_id, event.author())
    }
}

impl ExecutionLogEntry {
    /// Creates the entry of an event at this position: a seq, and the index among the execution's events with that seq.
    fn new(event: ExecutionEvent, (seq, at): (u64, usize)) -> Self {
        let mut hash = blake3::Hasher::new();
        hash.update(event.execution_id.0.as_bytes()).update(&seq.to_be_bytes()).update(&(at as u64).to_be_bytes());
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&hash.finalize().as_bytes()[..16]);
        let fields = serde_json::to_value(&event.kind).expect("an event serializes: its keys are strings");
        let Value::Object(mut metadata) = fields else { unreachable!("an event is an object") };
        metadata.retain(|field, _| !matches!(&**field, "event" | "message"));
        Self {
            id: Builder::from_custom_bytes(bytes).into_uuid(),
            execution_id: event.execution_id,
            event_type: event.kind.name(),
            agent_id: event.author().map(Into::into),
            node_id: event.node_id.clone(),
            message: event.kind.text(),
            metadata,
            timestamp: event.timestamp,
        }
    }
}
