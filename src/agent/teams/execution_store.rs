//! Interface of the store for executions of stored teams. An execution is the first run of a session whose team is a
//! copy of a stored team; its entry here is derived from the log.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::TeamId;
use crate::kernel::{AttemptError, Event, Fact, FinishReason, ParticipantId, SessionId, State, Timestamp, UsageTotals};
use crate::store_error::StoreError;

/// Id of an execution: the UUID of its session. Example: `0190f3c0-7a1b-7c3d-8e5f-60718293a4b5`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct ExecutionId(
    #[schemars(with = "String", regex(pattern = "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"))] pub Uuid,
);

impl ExecutionId {
    /// Returns the session of the execution.
    pub fn session(self) -> SessionId {
        SessionId(self.0)
    }
}

impl From<SessionId> for ExecutionId {
    fn from(session: SessionId) -> Self {
        Self(session.0)
    }
}

impl fmt::Display for ExecutionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.hyphenated().fmt(f)
    }
}

impl FromStr for ExecutionId {
    type Err = uuid::Error;

    /// Accepts only the form used in responses, so that an execution has exactly one id.
    fn from_str(text: &str) -> Result<Self, uuid::Error> {
        text.parse().map(|TeamId(id)| Self(id))
    }
}

/// Status of an execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExecutionStatus {
    /// The run is not over. It can be paused or waiting for people.
    Running,
    /// The run is complete.
    Success,
    /// The run failed or reached a limit.
    Failed,
    /// The run timed out.
    Timeout,
    /// The run was cancelled.
    Cancelled,
}

impl ExecutionStatus {
    const ALL: [Self; 5] = [Self::Running, Self::Success, Self::Failed, Self::Timeout, Self::Cancelled];

    /// Returns the name in the store and on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Success => "success",
            Self::Failed => "failed",
            Self::Timeout => "timeout",
            Self::Cancelled => "cancelled",
        }
    }

    /// Parses a name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == name)
    }

    /// Returns the status of a run after this fact, with the error, if any; `None` if the run continues.
    pub fn after(fact: &Fact) -> Option<(Self, Option<AttemptError>)> {
        let limit = |message: &str| AttemptError { code: "limit_reached".into(), message: message.into() };
        match fact {
            Fact::RunFinished { reason, .. } => Some(match reason {
                FinishReason::Completed => (Self::Success, None),
                FinishReason::MessageLimit => {
                    (Self::Failed, Some(limit("the run reached max_messages_per_run of its session; raise it")))
                }
                FinishReason::StepLimit => {
                    (Self::Failed, Some(limit("the run reached max_steps_per_run of its session; raise it")))
                }
                FinishReason::TurnLimit => {
                    (Self::Failed, Some(limit("an agent called tools in every turn; raise max_turns_per_task")))
                }
                FinishReason::Budget => {
                    (Self::Failed, Some(limit("the budget of the session is spent, and nobody raised it; raise it")))
                }
            }),
            Fact::RunFailed { error, .. } if &*error.code == "run_timeout" => {
                Some((Self::Timeout, Some(error.clone())))
            }
            Fact::RunFailed { error, .. } => Some((Self::Failed, Some(error.clone()))),
            Fact::RunCancelled { .. } => {
                let message = "somebody cancelled the run; execute the team again";
                let error = AttemptError { code: "execution_cancelled".into(), message: message.into() };
                Some((Self::Cancelled, Some(error)))
            }
            _ => None,
        }
    }
}

/// Tokens and cost of an execution from its start to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ExecutionUsage {
    /// Total tokens in requests to models and in their responses.
    pub tokens: u64,
    /// Cost in millionths of the configured currency.
    pub cost_micros: u64,
}

impl ExecutionUsage {
    /// Adds the tokens and the cost of a request to a model.
    pub fn add(&mut self, input_tokens: u64, output_tokens: u64, cost_micros: u64) {
        self.tokens = self.tokens.saturating_add(input_tokens).saturating_add(output_tokens);
        self.cost_micros = self.cost_micros.saturating_add(cost_micros);
    }

    /// Returns the usage of the current run.
    fn of_run(state: &State) -> Self {
        let UsageTotals { input_tokens, output_tokens, cost_micros, .. } = state.view().usage_of_run;
        let mut usage = Self::default();
        usage.add(input_tokens, output_tokens, cost_micros);
        usage
    }
}

/// Change that an event makes to an execution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExecutionChange {
    /// A run started. Has an effect only if it is the first run of its session.
    Started {
        /// Team that is executed.
        team: TeamId,
        /// Version of the team.
        version: u64,
        /// Time of the event.
        at: Timestamp,
    },
    /// A run ended. Has an effect only if the execution is not over.
    Ended {
        /// New status of the execution.
        status: ExecutionStatus,
        /// Error that ended the run, if any.
        error: Option<AttemptError>,
        /// Usage of the run.
        usage: ExecutionUsage,
        /// Time of the event.
        at: Timestamp,
    },
    /// The session was redacted.
    Erased,
}

impl ExecutionChange {
    /// Returns the change that an event makes to its session's execution; `None` if the team is not a copy of a stored
    /// team, or if the event changes no execution.
    pub fn of(event: &Event, state: &State) -> Option<Self> {
        let origin = state.view().team.origin?;
        let at = event.at;
        if let Some((status, error)) = ExecutionStatus::after(&event.fact) {
            return Some(Self::Ended { status, error, usage: ExecutionUsage::of_run(state), at });
        }
        match event.fact {
            Fact::RunStarted { .. } => Some(Self::Started { team: TeamId(origin.team), version: origin.version, at }),
            Fact::SessionRedacted { .. } => Some(Self::Erased),
            _ => None,
        }
    }
}

/// An execution in lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExecutionListing {
    /// Id of the execution.
    pub id: ExecutionId,
    /// Team that is executed.
    pub team: TeamId,
    /// Version of the team.
    pub team_version: u64,
    /// Status after the last event.
    pub status: ExecutionStatus,
    /// Time when the run started.
    pub started_at: Timestamp,
    /// Time when the run ended.
    pub completed_at: Option<Timestamp>,
    /// Error that ended the run, if any.
    pub error: Option<AttemptError>,
    /// Usage of the run. `None` while it runs.
    pub usage: Option<ExecutionUsage>,
    /// Title of the session.
    pub title: Arc<str>,
}

/// Filter and page of a list of executions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExecutionQuery {
    /// Team of the executions.
    pub team: TeamId,
    /// Participant who makes the request. Only executions of sessions that they participate in are listed.
    pub reader: ParticipantId,
    /// True to list the executions of all participants.
    pub all: bool,
    /// Only executions with this status.
    pub status: Option<ExecutionStatus>,
    /// Number of executions before the page.
    pub offset: u64,
    /// Maximum number of executions.
    pub limit: u32,
}

/// Page of a list of executions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExecutionPage {
    /// Executions, newest first.
    pub executions: Vec<ExecutionListing>,
    /// Number of executions on all pages.
    pub total: u64,
}

/// Executions of stored teams. They are written together with the events that change them.
///
/// Laws, each with a test in `tests/it/execution_laws.rs`:
/// 1. The first run of a session is its execution; later runs change nothing.
/// 2. An execution ends once, with the status of its run.
/// 3. A participant sees the executions of the sessions that they participate in.
/// 4. An execution outlives its team, but not its session.
/// 5. Structured output is stored in the log and the files of the execution's session, and ends with them.
#[async_trait]
pub trait ExecutionStore: Send + Sync + 'static {
    /// Returns an execution.
    async fn execution(&self, id: ExecutionId) -> Result<Option<ExecutionListing>, StoreError>;

    /// Returns a page of the executions of a team, newest first.
    async fn executions(&self, query: &ExecutionQuery) -> Result<ExecutionPage, StoreError>;
}
