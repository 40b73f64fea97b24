//! Events: the entries of a session's log, which are also what clients receive.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Actor, CommandId, Fact, Redaction, RunId, Timestamp};

/// A recorded fact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Event {
    /// Its place in the session's log: gapless, from 1.
    pub seq: u64,
    /// When the server decided it.
    pub at: Timestamp,
    /// Who did it, as the server knows it.
    pub by: Actor,
    /// The run that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
    /// What led to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
    /// Some of what it said was erased since, and by whom.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redacted: Option<Arc<Redaction>>,
    /// The fact itself.
    #[serde(flatten)]
    pub fact: Fact,
}

/// What led to an event: a participant's command, or an earlier event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Cause {
    /// The event whose work this is the result of.
    Seq(u64),
    /// The command of the participant in `by`.
    Command(CommandId),
}
