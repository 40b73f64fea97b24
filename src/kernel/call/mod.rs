//! Tool calls of agents, from the proposal to the result.

pub(super) mod guard;
pub(super) mod history;
pub(super) mod inquiry;
pub mod kernel_tools;
pub(super) mod learned_rules;
pub(super) mod lifecycle;
pub(super) mod memory;
mod risk;
pub mod rule;
pub(super) mod source;
pub(super) mod standing_permission;

use std::collections::BTreeSet;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use history::{AskedCall, CallFeatures, CallHistory, PastOutcome};
pub use learned_rules::{PastCall, RulePattern, RuleSuggestion};
pub use risk::Risk;
pub use source::{CallSource, CallSourceId, CallSourceKind, CallSources, SourceLedger};
pub use standing_permission::{StandingArguments, StandingPermission, StandingTerms};

use super::{Assignment, AttemptError, CallId, GateId, MessageId, PermissionId, StepId, Timestamp};

/// Permission for a call, from the rules of its agent and its tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Permission {
    /// The call is made.
    Allow,
    /// People are asked first.
    Ask,
    /// The call is not made.
    Deny,
}

/// State of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CallState {
    /// An agent has proposed it; the rules have not been checked yet.
    Proposed,
    /// A gate asks people about it.
    Asked,
    /// It is allowed, but not sent yet.
    Allowed,
    /// It was sent.
    Started,
    /// It was sent, and its result was lost: a gate asks people how to continue.
    Uncertain,
    /// It has a result.
    Completed,
    /// It failed and will never have a result.
    Failed,
}

impl CallState {
    /// Returns whether the state is final.
    pub fn is_over(self) -> bool {
        matches!(self, Self::Completed | Self::Failed)
    }
}

/// A tool call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Call {
    /// Id of the call. Example: `t_21`.
    pub id: CallId,
    /// Name of the tool. Example: `web_search`.
    pub name: Arc<str>,
    /// Arguments as the model or an editor wrote them. Not necessarily valid JSON.
    pub arguments: Arc<str>,
    /// Revision of the arguments, from 1. People can edit them before they allow the call (law 11).
    pub rev: u32,
    /// State of the call.
    pub state: CallState,
    /// True if the call can safely be repeated. Default false.
    #[serde(default)]
    pub idempotent: bool,
    /// Risk of the call. `high` until the rules have been checked.
    #[serde(default = "unknown_risk")]
    pub risk: Risk,
    /// Sources that its agent could have read before it proposed the call.
    #[serde(default)]
    pub sources: Arc<CallSources>,
    /// Kinds of source that its result represents for its readers. Empty: nothing in it comes from outside.
    #[serde(default = "CallSourceKind::unknown")]
    pub result_sources: BTreeSet<CallSourceKind>,
    /// Standing permission that allowed it. Absent if no standing permission did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standing: Option<PermissionId>,
    /// Number of attempts so far; 0 before it was sent.
    #[serde(default)]
    pub attempt: u32,
    /// Gate that asks about the call. Absent if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<GateId>,
    /// Time at which it was last sent. Absent until then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
    /// Time at which it completed or failed. Absent until then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Timestamp>,
    /// Result for the agent to read. Absent until the call has a result, and again once the agent's task is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Arc<str>>,
    /// Reason why the call has no result. Absent if the call did not fail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<AttemptError>,
}

/// Returns the risk of an unknown call.
pub(super) fn unknown_risk() -> Risk {
    Risk::High
}

impl Call {
    /// Creates a call that an agent has just proposed.
    pub(super) fn proposed(id: CallId, name: &Arc<str>, arguments: &Arc<str>) -> Self {
        Self {
            id,
            name: name.clone(),
            arguments: arguments.clone(),
            rev: 1,
            state: CallState::Proposed,
            idempotent: false,
            risk: unknown_risk(),
            sources: Arc::default(),
            result_sources: CallSourceKind::unknown(),
            standing: None,
            attempt: 0,
            gate: None,
            started_at: None,
            ended_at: None,
            output: None,
            error: None,
        }
    }

    /// Returns the BLAKE3 hash of the arguments, in hexadecimal. The arguments that are sent must have the digest that
    /// was decided on.
    pub fn digest(&self) -> Arc<str> {
        digest(&self.arguments)
    }
}

/// Returns the BLAKE3 hash of `text`, in hexadecimal.
pub fn digest(text: &str) -> Arc<str> {
    blake3::hash(text.as_bytes()).to_hex().as_str().into()
}

/// A turn that called tools, with its calls; or a single call that is an item of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToolRound {
    /// Message that contains the calls. Absent if the flow itself made the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<MessageId>,
    /// Agent and task that the calls are for.
    #[serde(flatten)]
    pub assignment: Assignment,
    /// Step in which the calls were made.
    pub step: StepId,
    /// Ordinal of the turn in its task, from 1.
    pub turn: u32,
    /// The calls, in the order in which the model made them.
    pub calls: Vec<Call>,
    /// Number of calls in the turn; `calls` grows to this length.
    pub expected: u32,
    /// True if an agent has read the results, or if none will.
    pub closed: bool,
}

impl ToolRound {
    /// Returns the position of the turn in the log: the seq at which its message or, without one, its step began.
    pub fn seq(&self) -> Option<u64> {
        Some(self.message.map_or(self.step.0, |message| message.0))
    }

    /// Returns whether all calls of the turn have ended.
    pub fn is_over(&self) -> bool {
        self.calls.len() >= self.expected as usize && self.calls.iter().all(|call| call.state.is_over())
    }
}
