//! Events: the entries of a session's log. Clients receive them unchanged.

pub(super) mod actor;
pub(super) mod attribution;
pub(super) mod fact;
pub(super) mod log_change;

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Actor, CommandId, Fact, Redaction, RunId, Timestamp};

/// A recorded fact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Event {
    /// Position in the session's log, from 1, without gaps. Example: 1042.
    pub seq: u64,
    /// Time of the event, from the server's clock.
    pub at: Timestamp,
    /// Actor who caused the event, as the server knows them.
    pub by: Actor,
    /// Run that the event belongs to. Absent if it belongs to none. Example: `r_12`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
    /// Origin of the event. Absent if the event was caused by the passage of time alone, by a restart, or by a tool's
    /// question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
    /// Mark of the redaction that erased content of this event. Absent if nothing was erased.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redacted: Option<Arc<Redaction>>,
    /// Name and content of the event.
    #[serde(flatten)]
    pub fact: Fact,
}

/// Origin of an event: a participant's command, or an earlier event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Cause {
    /// Seq of the event that requested the work; this event is its result.
    Seq(u64),
    /// Id of the participant's command that led to the event.
    Command(CommandId),
}
