//! Projection of a session's frames to the events of the stream. Pure: frames in, events out.

use std::collections::HashMap;
use std::sync::Arc;

use axum::response::sse::Event as SseEvent;

use super::event::{AnalyzeEvent, AnalyzeStep, AnalyzeText, is_question};
use super::question_id::QuestionId;
use crate::doors::asked_request::{AskedChange, AskedRequest};
use crate::doors::projection::Projection;
use crate::doors::stream_end::StreamEnd;
use crate::doors::wording::{self, error_text, localized_error};
use crate::doors::{question, sse};
use crate::kernel::gate::{Gate, GateAction};
use crate::kernel::plan::{Plan, PlanItemState};
use crate::kernel::planner_decision::PlannerDecision;
use crate::kernel::{
    AttemptError, CallId, Event, Fact, FinishReason, GateId, Language, MessageId, Phase, RunId, SessionId, Task,
};
use crate::protocol::ServerFrame;

/// Projection of one analysis: the first run that starts in the frames.
pub(super) struct AnalyzeProjection {
    session: SessionId,
    language: Language,
    run: Option<RunId>,
    asked: AskedRequest,
    plan: Plan,
    /// Calls that execute plan items.
    calls: HashMap<CallId, AnalyzeCall>,
    /// Open questions, with the calls that wait for them.
    questions: HashMap<GateId, Option<CallId>>,
    /// Last posted message. A later event can identify it as an answer.
    last_message: Option<(MessageId, Arc<str>)>,
    /// Answer to send once its plan item is completed.
    answered: Option<AnalyzeEvent>,
    over: bool,
}

struct AnalyzeCall {
    number: u32,
    result: Option<Result<Arc<str>, AttemptError>>,
}

impl Projection for AnalyzeProjection {
    type Line = AnalyzeEvent;

    fn take(&mut self, frame: ServerFrame, lines: &mut Vec<AnalyzeEvent>) {
        if let ServerFrame::Event { event, .. } = frame {
            self.event(event, lines);
        }
    }

    fn is_over(&self) -> bool {
        self.over
    }

    fn close(&mut self, end: StreamEnd, lines: &mut Vec<AnalyzeEvent>) {
        let status = if end.is_final() { "failed" } else { "incomplete" };
        self.end(status, Some(end.error(self.language)), lines);
    }

    fn sent(&self, line: &AnalyzeEvent, seq: Option<u64>) -> SseEvent {
        sse::event(SseEvent::default().event(line.name()), line, seq)
    }
}

impl AnalyzeProjection {
    pub(super) fn new(session: SessionId, language: Language, asked: AskedRequest) -> Self {
        Self {
            asked,
            session,
            language,
            run: None,
            plan: Plan::default(),
            calls: HashMap::new(),
            questions: HashMap::new(),
            last_message: None,
            answered: None,
            over: false,
        }
    }

    fn event(&mut self, event: Event, lines: &mut Vec<AnalyzeEvent>) {
        if self.run.is_none() {
            match self.asked.apply(&event, false) {
                Some(AskedChange::Waiting) => {
                    lines.push(AnalyzeEvent::progress(wording::waits_for_owners(self.language)))
                }
                Some(AskedChange::Ended) => return self.close(StreamEnd::NotApproved, lines),
                None => {}
            }
        }
        match event.fact {
            Fact::RunStarted { run, .. } if self.run.is_none() && !self.asked.is_waiting() => {
                self.run = Some(run);
                let (message, session) = (AnalyzeText::Working.text(self.language), Some(self.session));
                lines.push(AnalyzeEvent::Progress { message, session, step: None, decision: None });
            }
            _ if self.run.is_none() => {}
            Fact::PlanProposed { plan, .. } => self.planned(plan, lines),
            // An edit with the same revision is not a new plan.
            Fact::PlanEdited { plan, .. } if plan.rev == self.plan.rev => self.plan = plan,
            Fact::PlanEdited { plan, .. } => self.planned(plan, lines),
            Fact::PlanItemChanged { number, state, .. } => self.item_changed(number, state, lines),
            Fact::DecisionMade { decision, .. } => lines.push(self.decided(decision)),
            Fact::ToolProposed { call, task: Task::Execute { number, .. }, .. } => {
                self.calls.insert(call, AnalyzeCall { number, result: None });
            }
            Fact::ToolCompleted { call, output, .. } => self.called(call, Ok(output)),
            Fact::ToolFailed { call, error, .. } => self.called(call, Err(error)),
            Fact::GateOpened { gate } if gate.holds_work() => lines.push(self.question(*gate)),
            Fact::MessagePosted { message, text, .. } => self.last_message = Some((message, text)),
            Fact::GateDecided { gate, message: Some(message), .. } => {
                self.replied(gate, message, &event.by.name, lines);
            }
            Fact::MessageCompleted { truncated: true, .. } => {
                lines.push(AnalyzeEvent::progress(wording::truncated(self.language)))
            }
            Fact::AttemptFailed { retry_at: Some(_), .. } => {
                lines.push(AnalyzeEvent::progress(wording::retrying(self.language)))
            }
            Fact::RunStateChanged { to: Phase::Paused, .. } => lines.push(self.progress(&AnalyzeText::Paused)),
            Fact::OutputProduced { output, .. } => {
                let mut findings = output.as_object().cloned().unwrap_or_default();
                // The `type` field is reserved for the name of the event.
                findings.remove("type");
                lines.push(AnalyzeEvent::Result { findings });
            }
            Fact::RunFinished { reason, .. } => {
                if reason == FinishReason::Completed {
                    return self.end("completed", None, lines);
                }
                lines.push(self.progress(&AnalyzeText::Limit));
                self.end("incomplete", None, lines);
            }
            Fact::RunFailed { error, .. } => self.end("failed", Some(localized_error(&error, self.language)), lines),
            Fact::RunCancelled { .. } => self.end("cancelled", None, lines),
            // The specification of this door has no event for other facts.
            _ => {}
        }
    }

    fn planned(&mut self, plan: Plan, lines: &mut Vec<AnalyzeEvent>) {
        self.plan = plan;
        let items = (1..).zip(&self.plan.items);
        let plan_steps: Vec<AnalyzeStep> =
            items.map(|(number, item)| AnalyzeStep::of(number, item, self.language)).collect();
        let done = u32::try_from(plan_steps.len()).unwrap_or(u32::MAX);
        let current_step = self.plan.current().map_or(done, |(number, _)| number - 1);
        lines.push(AnalyzeEvent::Plan { plan_steps, current_step });
    }

    fn item_changed(&mut self, number: u32, state: PlanItemState, lines: &mut Vec<AnalyzeEvent>) {
        let Some(item) = self.plan.item_mut(number) else { return };
        item.state = state;
        let shown = AnalyzeStep::of(number, item, self.language);
        match state {
            PlanItemState::InProgress if !is_question(item) => {
                let message = item.action.clone();
                lines.push(AnalyzeEvent::Progress { message, session: None, step: Some(number), decision: None });
            }
            PlanItemState::Completed | PlanItemState::Blocked => {
                let last = self.calls.iter().filter(|(_, called)| called.number == number).max_by_key(|(id, _)| **id);
                let (result, error) = match last.and_then(|(_, called)| called.result.clone()) {
                    Some(Ok(output)) => (Some(output), None),
                    Some(Err(error)) => (None, Some(error_text(&error, self.language))),
                    None => (None, None),
                };
                lines.push(AnalyzeEvent::StepExecution { step: shown, result, error });
                lines.extend(self.answered.take());
            }
            _ => {}
        }
    }

    fn called(&mut self, call: CallId, result: Result<Arc<str>, AttemptError>) {
        if let Some(called) = self.calls.get_mut(&call) {
            called.result = Some(result);
        }
    }

    fn decided(&self, decision: PlannerDecision) -> AnalyzeEvent {
        let explanation = [decision.reason, decision.analysis].into_iter().find(|text| !text.is_empty());
        let message = explanation.unwrap_or_else(|| AnalyzeText::Deciding.text(self.language));
        AnalyzeEvent::Progress { message, session: None, step: None, decision: Some(decision.action) }
    }

    fn question(&mut self, gate: Gate) -> AnalyzeEvent {
        let question = question::prompt(&gate, self.language);
        if !gate.kind.accepts_text() || !gate.allow.contains(&GateAction::Respond) {
            return AnalyzeEvent::progress(format!("{}: {question}", AnalyzeText::Waiting.text(self.language)));
        }
        self.questions.insert(gate.id, gate.call);
        AnalyzeEvent::UserInputRequest {
            request_id: self.request_id(gate.id),
            question,
            context: gate.context.unwrap_or_else(|| "".into()),
            schema: gate.schema,
        }
    }

    fn replied(&mut self, gate: GateId, message: MessageId, by: &Arc<str>, lines: &mut Vec<AnalyzeEvent>) {
        let Some(call) = self.questions.remove(&gate) else { return };
        let Some((_, reply)) = self.last_message.take().filter(|(reply_event, _)| *reply_event == message) else {
            return;
        };
        let reply_event = AnalyzeEvent::UserReply { request_id: self.request_id(gate), reply, by: by.clone() };
        // According to the specification, the step is completed before the answer is sent.
        if call.is_some_and(|call| self.calls.contains_key(&call)) {
            self.answered = Some(reply_event);
        } else {
            lines.push(reply_event);
        }
    }

    fn request_id(&self, gate: GateId) -> String {
        QuestionId { session: self.session, gate }.to_string()
    }

    fn progress(&self, message: &AnalyzeText) -> AnalyzeEvent {
        AnalyzeEvent::progress(message.text(self.language))
    }

    fn end(&mut self, status: &'static str, error: Option<AttemptError>, lines: &mut Vec<AnalyzeEvent>) {
        lines.push(AnalyzeEvent::Done { status, error });
        self.over = true;
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::doors::projection::frames;
    use crate::kernel::ParticipantId;

    /// Returns the events for these facts of a run, as JSON.
    fn lines(language: Language, facts: &[(&str, Value)]) -> Vec<Value> {
        let events = (2..).zip(facts).map(|(seq, (name, data))| frames::event(seq, name, data.clone()));
        let all: Vec<Value> = std::iter::once(frames::run_started("investigate")).chain(events).collect();
        let asked = AskedRequest::new(ParticipantId(uuid::Uuid::from_u128(7)), 0, None, 0);
        let lines = frames::lines(&mut AnalyzeProjection::new(frames::session(), language, asked), &all);
        lines.iter().map(|line| serde_json::to_value(line).expect("JSON")).collect()
    }

    #[test]
    fn an_answer_that_was_cut_is_followed_by_a_line_that_says_so() {
        let cut = json!({
            "message": "m_3", "run": "r_1", "step": "p_2", "agent": "A", "attempt": 1, "text": "half", "truncated": true
        });
        let lines = lines(Language::Zh, &[("message.completed", cut)]);
        assert_eq!(lines[1], json!({ "type": "progress", "message": "回答达到模型的 token 上限，已被截断" }));
    }

    #[test]
    fn a_question_of_a_server_says_who_asks_and_who_reads_the_answer() {
        let lines = lines(Language::Zh, &[("gate.opened", frames::question_of("maps", "哪个地区？"))]);
        let question = lines[1]["question"].as_str().expect("a question");
        assert!(question.starts_with("服务器 maps 提问。") && question.contains("模型"), "{question}");
        assert!(question.ends_with("\n\n哪个地区？"), "{question}");
    }
}
