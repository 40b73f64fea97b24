//! Projection of a session's frames to the events of its execution. Pure: frames in, events out.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use axum::response::sse::Event as SseEvent;
use serde_json::{Value, json};

use super::event::{ExecutionDecision, ExecutionEvent, ExecutionEventKind as Kind, ExecutionMessage};
use super::latest_message::LatestMessage;
use super::place::AgentPlace;
use super::result::{ExecutionResult, NodeStatus, UnfinishedWork};
use crate::agent::teams::{ExecutionId, ExecutionStatus, ExecutionUsage, TeamId};
use crate::doors::projection::Projection;
use crate::doors::sse;
use crate::doors::stream_end::StreamEnd;
use crate::doors::wording::{error_text, fallback_reason};
use crate::kernel::gate::Gate;
use crate::kernel::plan::PlanItemState;
use crate::kernel::planner_decision::{PlannerAction, PlannerDecision};
use crate::kernel::{
    AgentId, AttemptError, CallId, Event, Fact, Language, MessageId, RunId, Task, Team, Timestamp, is_blank,
};
use crate::protocol::ServerFrame;

/// Error code of output without the required structure, for example of a supervisor's decision.
const OUTPUT_REJECTED: &str = "output_rejected";
/// Time after which a stream without events is closed. The execution continues, and the stream can be resumed.
const MAX_SILENCE: Duration = Duration::from_secs(300);

/// Projection of one execution: the first run of its session.
pub(super) struct ExecutionProjection {
    team_id: TeamId,
    execution_id: ExecutionId,
    team: Arc<Team>,
    heartbeat_interval: Duration,
    places: HashMap<AgentId, AgentPlace>,
    run: Option<RunId>,
    timeout_seconds: Option<u32>,
    started_at: Timestamp,
    tasks: HashMap<MessageId, Task>,
    latest: LatestMessage,
    calls: HashMap<CallId, ExecutionCall>,
    result: ExecutionResult,
    unfinished: UnfinishedWork,
    usage: ExecutionUsage,
    end: Option<ExecutionEnd>,
}

struct ExecutionCall {
    agent: AgentId,
    tool: Arc<str>,
    arguments: Arc<str>,
}

/// End of an execution.
#[derive(Debug, Clone)]
pub(super) struct ExecutionEnd {
    pub(super) status: ExecutionStatus,
    pub(super) error: Option<AttemptError>,
    pub(super) usage: ExecutionUsage,
    pub(super) at: Timestamp,
}

impl Projection for ExecutionProjection {
    type Line = ExecutionEvent;

    fn take(&mut self, frame: ServerFrame, lines: &mut Vec<ExecutionEvent>) {
        if let ServerFrame::Event { event, .. } = frame {
            self.take_event(&event, lines);
        }
    }

    fn is_over(&self) -> bool {
        self.end.is_some()
    }

    fn close(&mut self, end: StreamEnd, lines: &mut Vec<ExecutionEvent>) {
        let error = end.error(self.team.language);
        let closing = Kind::ExecutionError {
            error_code: error_code(&error),
            error_message: error.message,
            fatal: false,
            status: None,
            duration_ms: None,
            partial_result: None,
        };
        lines.push(self.event(crate::clock::now(), None, closing));
    }

    fn heartbeat_interval(&self) -> Option<Duration> {
        Some(self.heartbeat_interval)
    }

    fn beat(&self) -> Option<ExecutionEvent> {
        Some(self.event(crate::clock::now(), None, Kind::Heartbeat))
    }

    fn max_silence(&self) -> Option<Duration> {
        Some(MAX_SILENCE)
    }

    fn sent(&self, line: &ExecutionEvent, seq: Option<u64>) -> SseEvent {
        sse::event(SseEvent::default().event(line.kind.name()), line, seq)
    }
}

impl ExecutionProjection {
    /// Creates the projection of an execution of this team.
    pub(super) fn new(
        team_id: TeamId,
        execution_id: ExecutionId,
        team: Arc<Team>,
        heartbeat_interval: Duration,
    ) -> Self {
        Self {
            team_id,
            execution_id,
            heartbeat_interval,
            places: AgentPlace::all(&team),
            run: None,
            timeout_seconds: None,
            started_at: Timestamp::default(),
            tasks: HashMap::new(),
            latest: LatestMessage::default(),
            calls: HashMap::new(),
            result: ExecutionResult::empty(&team),
            unfinished: UnfinishedWork::default(),
            usage: ExecutionUsage::default(),
            end: None,
            team,
        }
    }

    /// Returns the results so far.
    pub(super) fn result(&self) -> &ExecutionResult {
        &self.result
    }

    /// Returns the end of the execution, or `None` while it runs.
    pub(super) fn end(&self) -> Option<&ExecutionEnd> {
        self.end.as_ref()
    }

    pub(super) fn execution_id(&self) -> ExecutionId {
        self.execution_id
    }

    /// Adds the execution events for an event of the session.
    pub(super) fn take_event(&mut self, event: &Event, lines: &mut Vec<ExecutionEvent>) {
        let at = event.at;
        match &event.fact {
            Fact::MessagePosted { request: Some(request), .. } if self.run.is_none() => {
                self.timeout_seconds = request.timeout_seconds;
            }
            Fact::RunStarted { run, .. } if self.run.is_none() => {
                (self.run, self.started_at) = (Some(*run), at);
                lines.push(self.event(at, None, Kind::ExecutionStart { started_at: at }));
            }
            _ if self.run.is_none() || self.end.is_some() => {}
            Fact::MessageStarted { message, task, .. } => drop(self.tasks.insert(*message, *task)),
            Fact::MessageCompleted { message, agent, text, calls, .. } => {
                let task = self.tasks.remove(message);
                if *calls == 0 && task == Some(Task::Summarize) {
                    self.summarized(agent, text);
                }
                self.latest.set(*message, agent);
                lines.extend(self.written(at, agent, task, text, false));
            }
            Fact::MessageAborted { message, agent, text, .. } => {
                let task = self.tasks.remove(message);
                lines.extend(self.written(at, agent, task, text, true));
            }
            Fact::DecisionMade { agent, decision, .. } => lines.extend(self.decided(at, agent, decision)),
            Fact::ToolProposed { call, agent, name, arguments, .. } => {
                let (agent, tool, arguments) = (agent.clone(), name.clone(), arguments.clone());
                self.calls.insert(*call, ExecutionCall { agent, tool, arguments });
            }
            Fact::ToolCompleted { call, output, .. } => lines.extend(self.called(at, *call, json_or_text(output))),
            Fact::ToolFailed { call, error, .. } => {
                lines.extend(self.called(at, *call, json!({ "error": error })));
            }
            Fact::PlanItemChanged { number, state, note, .. } => {
                lines.extend(self.item_changed(at, *number, *state, note));
            }
            Fact::OutputRejected { message, reason, .. } => {
                let error = AttemptError { code: OUTPUT_REJECTED.into(), message: reason.clone() };
                let author = self.latest.take_author(*message);
                lines.extend(author.map(|agent| self.attempt_failed(at, &agent, &error)));
            }
            Fact::AttemptFailed { agent, error, .. } => lines.push(self.attempt_failed(at, agent, error)),
            Fact::UsageRecorded { run, input_tokens, output_tokens, cost_micros, .. } if Some(*run) == self.run => {
                self.usage.add(*input_tokens, *output_tokens, *cost_micros);
            }
            Fact::GateOpened { gate } if gate.holds_work() => lines.push(self.question(at, gate)),
            // The execution has no event for other facts.
            fact => {
                if let Some((status, error)) = ExecutionStatus::after(fact) {
                    lines.push(self.ended(ExecutionEnd { status, error, usage: self.usage, at }));
                }
            }
        }
    }

    fn event(&self, timestamp: Timestamp, by: Option<&AgentId>, kind: Kind) -> ExecutionEvent {
        let place = by.and_then(|agent| self.places.get(agent));
        ExecutionEvent {
            team_id: self.team_id,
            execution_id: self.execution_id,
            timestamp,
            node_id: place.and_then(AgentPlace::node),
            supervisor_id: by.filter(|_| place.is_some_and(AgentPlace::is_supervisor)).map(|id| id.as_str().into()),
            agent_id: place.and_then(AgentPlace::agent),
            kind,
        }
    }

    /// Returns the event of a message, or `None` if the message is blank or a decision. Keeps the text of an agent
    /// until its node has a result.
    fn written(
        &mut self,
        at: Timestamp,
        by: &AgentId,
        task: Option<Task>,
        text: &Arc<str>,
        aborted: bool,
    ) -> Option<ExecutionEvent> {
        // A decision has its own event.
        if task == Some(Task::Decide) || is_blank(text) {
            return None;
        }
        if let Some(AgentPlace::Agent { node, agent }) = self.places.get(by) {
            self.unfinished.set(node, agent, text);
        }
        let monitored = task.zip(self.team.topology.as_deref()).and_then(|(task, topology)| task.monitored(topology));
        let reports_on = monitored.map(|node| node.id.clone());
        Some(self.message_event(at, by, ExecutionMessage { message: text.clone(), gate_id: None, reports_on, aborted }))
    }

    fn message_event(&self, at: Timestamp, by: &AgentId, message: ExecutionMessage) -> ExecutionEvent {
        let kind = match self.places.get(by) {
            Some(AgentPlace::Global) | None => Kind::GlobalSupervisorMessage(message),
            Some(AgentPlace::Supervisor { .. }) => Kind::NodeSupervisorMessage(message),
            Some(AgentPlace::Agent { .. }) => Kind::AgentMessage(message),
        };
        self.event(at, Some(by), kind)
    }

    /// Stores the result of a supervisor, for the end of its node or of the execution.
    fn summarized(&mut self, by: &AgentId, text: &Arc<str>) {
        match self.places.get(by) {
            Some(AgentPlace::Global) => self.result.summary = text.clone(),
            Some(AgentPlace::Supervisor { node }) => {
                if let Some(result) = self.result.node_results.iter_mut().find(|result| result.node_id == *node) {
                    result.output = text.clone();
                }
            }
            Some(AgentPlace::Agent { .. }) | None => {}
        }
    }

    fn decided(&self, at: Timestamp, by: &AgentId, decision: &PlannerDecision) -> Option<ExecutionEvent> {
        let id_in_node = |id: &AgentId| self.places.get(id).and_then(AgentPlace::agent);
        let delegates = decision.agents.iter().map(|id| id_in_node(id).unwrap_or_else(|| id.as_str().into())).collect();
        let reason = if decision.fallback {
            fallback_reason(decision.action == PlannerAction::Delegate, self.team.language)
        } else {
            decision.reason.clone()
        };
        let decision = ExecutionDecision { decision: reason, delegates };
        let kind = match self.places.get(by)? {
            AgentPlace::Global => Kind::GlobalSupervisorDecision(decision),
            AgentPlace::Supervisor { .. } => Kind::NodeSupervisorDecision(decision),
            AgentPlace::Agent { .. } => return None,
        };
        Some(self.event(at, Some(by), kind))
    }

    fn called(&mut self, at: Timestamp, call: CallId, output: Value) -> Option<ExecutionEvent> {
        let ExecutionCall { agent, tool, arguments } = self.calls.remove(&call)?;
        Some(self.event(at, Some(&agent), Kind::ToolCall { tool, input: json_or_text(&arguments), output }))
    }

    fn item_changed(
        &mut self,
        at: Timestamp,
        number: u32,
        state: PlanItemState,
        note: &Arc<str>,
    ) -> Option<ExecutionEvent> {
        let result = self.result.node_results.get_mut(usize::try_from(number).ok()?.checked_sub(1)?)?;
        result.status = NodeStatus::of(state);
        if !state.is_over() {
            return None;
        }
        let unfinished = self.unfinished.take(&result.node_id);
        if result.status != NodeStatus::Success {
            (result.output, result.partial_output) = (note.clone(), unfinished);
        }
        let complete = Kind::NodeComplete { status: result.status, result: result.output.clone() };
        let node = result.node_id.clone();
        let supervisor = self.team.node_supervisor(&node).map(|supervisor| supervisor.id.clone());
        Some(self.event(at, supervisor.as_ref(), complete))
    }

    fn attempt_failed(&self, at: Timestamp, agent: &AgentId, error: &AttemptError) -> ExecutionEvent {
        let failed = Kind::ExecutionError {
            error_code: error_code(error),
            error_message: error_text(error, self.team.language),
            fatal: false,
            status: None,
            duration_ms: None,
            partial_result: None,
        };
        self.event(at, Some(agent), failed)
    }

    /// Returns the event of a question to people. Its author is the agent that asks or, if no agent asks, the global
    /// supervisor.
    fn question(&self, at: Timestamp, gate: &Gate) -> ExecutionEvent {
        let asking = gate.call.and_then(|call| self.calls.get(&call)).map(|call| call.agent.clone());
        let global = || self.team.global_supervisor().map(|supervisor| supervisor.id.clone());
        let message = crate::doors::question::prompt(gate, self.team.language);
        let message = ExecutionMessage { message, gate_id: Some(gate.id), reports_on: None, aborted: false };
        match asking.or_else(global) {
            Some(by) => self.message_event(at, &by, message),
            None => self.event(at, None, Kind::GlobalSupervisorMessage(message)),
        }
    }

    fn ended(&mut self, ExecutionEnd { status, error, usage, at }: ExecutionEnd) -> ExecutionEvent {
        let duration_ms = at.millis().saturating_sub(self.started_at.millis());
        let error = error.map(|error| self.final_error(error));
        self.end = Some(ExecutionEnd { status, error: error.clone(), usage, at });
        // A stopped node gets no result; its agents' texts show how far it got.
        for node in &mut self.result.node_results {
            match node.status {
                NodeStatus::Running => {
                    node.status = NodeStatus::Failed;
                    node.partial_output = self.unfinished.take(&node.node_id);
                }
                NodeStatus::Pending => node.status = NodeStatus::Skipped,
                NodeStatus::Success | NodeStatus::Failed | NodeStatus::Skipped => {}
            }
        }
        let result = self.result.clone();
        let kind = match error {
            None => Kind::ExecutionComplete { status, duration_ms, result },
            Some(error) => Kind::ExecutionError {
                error_code: error_code(&error),
                error_message: error.message,
                fatal: true,
                status: Some(status),
                duration_ms: Some(duration_ms),
                partial_result: Some(result),
            },
        };
        self.event(at, None, kind)
    }
}

impl ExecutionProjection {
    /// Returns the error that ends the execution, with its message in the language of the team. The message about the
    /// time limit has the specification's wording.
    fn final_error(&self, error: AttemptError) -> AttemptError {
        let message = match (&*error.code, self.timeout_seconds, self.team.language) {
            ("run_timeout", Some(limit), Language::En) => format!("Execution timed out after {limit} seconds").into(),
            ("run_timeout", Some(limit), Language::Zh) => format!("执行超时，时限为 {limit} 秒").into(),
            (_, _, language) => error_text(&error, language),
        };
        AttemptError { code: error.code, message }
    }
}

/// Returns the specification's code for an error.
pub(super) fn error_code(error: &AttemptError) -> Arc<str> {
    match &*error.code {
        "run_timeout" => "EXECUTION_TIMEOUT".into(),
        code => code.to_uppercase().into(),
    }
}

fn json_or_text(text: &Arc<str>) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::from(&**text))
}

#[cfg(test)]
#[path = "projection_tests.rs"]
mod tests;
