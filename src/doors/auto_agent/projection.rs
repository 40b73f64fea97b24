//! Projection of a session's frames to the lines of the stream. Pure: frames in, lines out.

use std::collections::{BTreeMap, HashMap};
use std::{sync::Arc, time::Duration};

use axum::response::sse::Event as SseEvent;
use serde_json::{Value, json};

use super::message::{AutoAgentContext, AutoAgentKind, AutoAgentMessage, file_json, plan_json, summary_json};
use super::resume::{AutoAgentPosition, StreamStart};
use super::wording::{cancelled_text, limit_text, truncated_text};
use crate::doors::asked_request::{AskedChange, AskedRequest};
use crate::doors::projection::Projection;
use crate::doors::running_messages::RunningMessages;
use crate::doors::stream_end::StreamEnd;
use crate::doors::wording::{self, error_text};
use crate::doors::{question, sse};
use crate::kernel::kernel_tools::PLAN_TOOL;
use crate::kernel::plan::{Plan, PlanItemState};
use crate::kernel::{AgentId, AttemptError, CallId, Event, Fact, MessageId, RunId, StepId, Task};
use crate::protocol::{CallProgress, ServerFrame};

/// Projection of one request: the first run that starts in the frames.
pub(super) struct AutoAgentProjection {
    request: AutoAgentContext,
    /// True if texts are streamed in fragments.
    streams: bool,
    run: Option<RunId>,
    asked: AskedRequest,
    plan: Plan,
    messages: RunningMessages<AutoAgentTurn>,
    calls: HashMap<CallId, AutoAgentCall>,
    /// Finished texts. The end of the run identifies one of them as its output.
    texts: BTreeMap<MessageId, FinishedText>,
    heartbeat_interval: Duration,
    /// Files that the run has created so far, each with its task.
    files: Vec<(AutoAgentTask, Value)>,
    over: bool,
}

/// A task: an agent's part in a step.
#[derive(Debug, Clone, PartialEq, Eq)]
struct AutoAgentTask {
    step: StepId,
    agent: AgentId,
}

/// A tool call.
struct AutoAgentCall {
    work: AutoAgentTask,
    name: Arc<str>,
    arguments: Arc<str>,
}

/// A finished text, with an error message if the token limit cut it.
struct FinishedText {
    text: Arc<str>,
    error: Option<Arc<str>>,
}

/// A message that is being written.
struct AutoAgentTurn {
    task: Task,
    work: AutoAgentTask,
}

impl Projection for AutoAgentProjection {
    type Line = AutoAgentLine;

    fn take(&mut self, frame: ServerFrame, lines: &mut Vec<AutoAgentLine>) {
        let mut output = vec![];
        match frame {
            ServerFrame::Signal { name, data, .. } if &*name == "progress" => output.extend(self.progress(data)),
            ServerFrame::Delta { message, attempt, at, text, .. } => {
                output.extend(self.delta(message, attempt, at, &text));
            }
            ServerFrame::Event { session, event } => {
                if let Some((call, file)) = file_json(session, &event.fact) {
                    self.files.extend(self.calls.get(&call).map(|call| (call.work.clone(), file)));
                }
                self.event(event, &mut output);
            }
            _ => {}
        }
        lines.extend(output.iter().map(|output| self.line(output)));
    }

    fn is_over(&self) -> bool {
        self.over
    }

    fn close(&mut self, end: StreamEnd, lines: &mut Vec<AutoAgentLine>) {
        let mut output = vec![];
        self.close_with(end, &mut output);
        lines.extend(output.iter().map(|output| self.line(output)));
    }

    fn heartbeat_interval(&self) -> Option<Duration> {
        Some(self.heartbeat_interval)
    }

    fn beat(&self) -> Option<AutoAgentLine> {
        Some(self.line(&AutoAgentMessage::fragment(AutoAgentKind::Heartbeat, "heartbeat", "heartbeat")))
    }

    fn sent(&self, line: &AutoAgentLine, seq: Option<u64>) -> SseEvent {
        sse::event(SseEvent::default(), &line.json, seq.map(|after| AutoAgentPosition { start: line.start, after }))
    }
}

impl AutoAgentCall {
    fn brought(&self, id: CallId, text: &str, error: Option<Arc<str>>) -> AutoAgentMessage {
        // A model can write arguments that are not valid JSON.
        let arguments: Value = serde_json::from_str(&self.arguments).unwrap_or_else(|_| json!(self.arguments));
        let content = json!({ "toolName": self.name, "toolParam": arguments, "toolResult": text });
        AutoAgentMessage { error, ..AutoAgentMessage::whole(AutoAgentKind::ToolResult, id, content) }
    }
}

/// A line with the start of its stream.
pub(super) struct AutoAgentLine {
    start: StreamStart,
    json: Value,
}

impl AutoAgentProjection {
    fn line(&self, output: &AutoAgentMessage) -> AutoAgentLine {
        AutoAgentLine { start: self.request.from, json: output.json(&self.request) }
    }

    pub(super) fn new(
        request: AutoAgentContext,
        streams: bool,
        heartbeat_interval: Duration,
        asked: AskedRequest,
    ) -> Self {
        Self {
            asked,
            request,
            streams,
            run: None,
            plan: Plan::default(),
            messages: RunningMessages::new(),
            calls: HashMap::new(),
            texts: BTreeMap::new(),
            heartbeat_interval,
            files: vec![],
            over: false,
        }
    }

    fn delta(&mut self, id: MessageId, attempt: u32, at: u64, text: &str) -> Option<AutoAgentMessage> {
        let (turn, new) = self.messages.delta(id, attempt, at, text).filter(|_| self.streams)?;
        Some(AutoAgentMessage::fragment(delta_kind(turn.task)?, id, new))
    }

    fn event(&mut self, event: Event, output: &mut Vec<AutoAgentMessage>) {
        let (seq, language) = (event.seq, self.request.language);
        match self.asked.apply(&event, self.run.is_some()) {
            Some(AskedChange::Waiting) => {
                let text = json!(wording::waits_for_owners(language));
                output.push(AutoAgentMessage::whole(AutoAgentKind::AgentStream, format!("e_{seq}"), text));
            }
            Some(AskedChange::Ended) => return self.close_with(StreamEnd::NotApproved, output),
            None => {}
        }
        match event.fact {
            Fact::RunStarted { run, .. } if self.run.is_none() && !self.asked.is_waiting() => self.run = Some(run),
            _ if self.run.is_none() => {}
            Fact::MessageStarted { message, step, agent, task, attempt, .. } => {
                self.messages.start(message, attempt, AutoAgentTurn { task, work: AutoAgentTask { step, agent } });
            }
            Fact::MessageCompleted { message, text, calls, out_of_turns, truncated: cut, .. } => {
                let error = truncated_text(cut, language);
                let whole = self.written(message, &text, calls > 0 && !out_of_turns);
                output.extend(whole.map(|whole| AutoAgentMessage { error: error.clone(), ..whole }));
                self.texts.insert(message, FinishedText { text, error });
            }
            Fact::MessageAborted { message, text, .. } => output.extend(self.written(message, &text, true)),
            Fact::PlanProposed { plan: made, .. } | Fact::PlanEdited { plan: made, .. } => {
                self.plan = made;
                output.push(AutoAgentMessage::whole(AutoAgentKind::Plan, format!("e_{seq}"), plan_json(&self.plan)));
            }
            Fact::PlanItemChanged { number, state, note, .. } => self.item_changed(seq, number, state, note, output),
            Fact::ToolProposed { call, step, agent, name, arguments, .. } if &*name != PLAN_TOOL => {
                self.calls.insert(call, AutoAgentCall { work: AutoAgentTask { step, agent }, name, arguments });
            }
            Fact::ToolCompleted { call, output: result, .. } => output.extend(self.called(call, Ok(result))),
            Fact::ToolFailed { call, error, .. } => output.extend(self.called(call, Err(error))),
            Fact::DecisionMade { message: Some(message), decision, .. } if !decision.reason.is_empty() => {
                output.push(AutoAgentMessage::whole(AutoAgentKind::ToolThought, message, json!(decision.reason)));
            }
            // The specification defines no questions, so a question is sent as agent text, and the next request answers
            // it.
            Fact::GateOpened { gate } if gate.holds_work() => {
                let prompt = question::prompt(&gate, language);
                output.push(AutoAgentMessage::whole(AutoAgentKind::AgentStream, gate.id, json!(prompt)));
            }
            Fact::RunFinished { final_message: answer, reason, .. } => {
                let finished = match answer {
                    Some(answer) => self.texts.remove(&answer),
                    None => self.texts.pop_last().map(|(_, finished)| finished),
                };
                let (text, cut) =
                    finished.map_or_else(|| ("".into(), None), |FinishedText { text, error }| (text, error));
                self.end(seq, &text, limit_text(reason, language).or(cut), output);
            }
            Fact::RunFailed { error, .. } => self.end(seq, "", Some(error_text(&error, language)), output),
            Fact::RunCancelled { reason, .. } => self.end(seq, "", Some(cancelled_text(&reason, language)), output),
            // The specification of this door has no line for other facts.
            _ => {}
        }
    }

    /// Returns the line of a finished message, or `None` if there is none. `on_the_way` is true if the message does not
    /// end its task: its text is then a thought. Text that ends a task for a plan item is the summary of that task.
    fn written(&mut self, message: MessageId, text: &str, on_the_way: bool) -> Option<AutoAgentMessage> {
        let (AutoAgentTurn { task, work }, _) = self.messages.end(message, text)?;
        let own = self.files.iter().filter(|(of, _)| *of == work).map(|(_, file)| file);
        let (kind, content) = match (delta_kind(task)?, task) {
            (AutoAgentKind::ToolThought, Task::Execute { .. }) if !on_the_way => {
                (AutoAgentKind::TaskSummary, summary_json(text, own))
            }
            (AutoAgentKind::AgentStream, _) if on_the_way => (AutoAgentKind::ToolThought, text.into()),
            (kind, _) => (kind, text.into()),
        };
        (!text.is_empty()).then(|| AutoAgentMessage::whole(kind, message, content))
    }

    fn item_changed(
        &mut self,
        seq: u64,
        number: u32,
        state: PlanItemState,
        note: Arc<str>,
        output: &mut Vec<AutoAgentMessage>,
    ) {
        let Some(item) = self.plan.item_mut(number) else { return };
        // An item with many parts is reported in progress again for its remaining parts, whose lines were already sent.
        let begins = state == PlanItemState::InProgress && item.state != state;
        item.state = state;
        if !note.is_empty() {
            item.note = note;
        }
        let parts: Vec<Value> = item.parts().into_iter().filter(|_| begins).map(Value::from).collect();
        output.push(AutoAgentMessage::whole(AutoAgentKind::Plan, format!("e_{seq}"), plan_json(&self.plan)));
        let part = |(at, part)| AutoAgentMessage::whole(AutoAgentKind::Task, format!("e_{seq}_{at}"), part);
        output.extend(parts.into_iter().enumerate().map(part));
    }

    fn called(&mut self, id: CallId, result: Result<Arc<str>, AttemptError>) -> Option<AutoAgentMessage> {
        let result = result.map_err(|error| error_text(&error, self.request.language));
        let error = result.as_ref().err().cloned();
        let text = result.unwrap_or_else(|message| message);
        Some(self.calls.get(&id)?.brought(id, &text, error))
    }

    /// Returns a line with the last part of a running program's output. It replaces the output in the previous line.
    fn progress(&self, data: Value) -> Option<AutoAgentMessage> {
        let CallProgress { call: id, output, .. } = serde_json::from_value(data).ok()?;
        let (call, output) = (self.calls.get(&id).filter(|_| self.streams)?, output?);
        Some(AutoAgentMessage { is_final: false, ..call.brought(id, &output, None) })
    }

    /// Ends the stream before its run ends. The run can continue, unless it never started.
    fn close_with(&mut self, end: StreamEnd, output: &mut Vec<AutoAgentMessage>) {
        let files = summary_json("", self.files.iter().map(|(_, file)| file));
        let last = AutoAgentMessage::whole(AutoAgentKind::Result, "closing", files);
        let (finished, error) = (end.is_final() && self.run.is_none(), end.error(self.request.language).message);
        output.push(AutoAgentMessage { finished, error: Some(error), ..last });
        self.over = true;
    }

    fn end(&mut self, seq: u64, text: &str, error: Option<Arc<str>>, output: &mut Vec<AutoAgentMessage>) {
        let whole = AutoAgentMessage::whole(
            AutoAgentKind::Result,
            format!("e_{seq}"),
            summary_json(text, self.files.iter().map(|(_, file)| file)),
        );
        output.push(AutoAgentMessage { finished: true, error, ..whole });
        self.over = true;
    }
}

/// Returns the type of the lines with a task's text while it is being written, or `None` if only the server reads the
/// text.
fn delta_kind(task: Task) -> Option<AutoAgentKind> {
    match task {
        Task::Reply | Task::Summarize | Task::Report { .. } => Some(AutoAgentKind::AgentStream),
        Task::Plan | Task::Execute { .. } => Some(AutoAgentKind::ToolThought),
        Task::Route | Task::Decide | Task::Structure => None,
    }
}

#[cfg(test)]
#[path = "projection_tests.rs"]
mod tests;
