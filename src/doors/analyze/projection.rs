//! From a session's frames to what the stream says. Pure: frames in, lines out.

use std::collections::HashMap;
use std::sync::Arc;

use axum::response::sse;

use super::request_id::RequestId;
use super::said::{Said, Step, Words, asks};
use crate::doors::lines::{self, Projection};
use crate::kernel::gate::{Act, Gate};
use crate::kernel::judgement::Judgement;
use crate::kernel::plan::{Plan, StepState};
use crate::kernel::{
    CallId, Event, Fact, FinishReason, GateId, Language, MessageId, Phase, RunId, SessionId, StepError, Task,
};
use crate::protocol::ServerFrame;

/// The lines of one analysis: of the first run that is seen to begin.
pub(super) struct Analysis {
    session: SessionId,
    language: Language,
    run: Option<RunId>,
    plan: Plan,
    /// Calls that are steps of the plan.
    calls: HashMap<CallId, Called>,
    /// Open questions, with the call that waits.
    questions: HashMap<GateId, Option<CallId>>,
    /// The words that were said last, which may turn out to be an answer.
    words: Option<(MessageId, Arc<str>)>,
    /// An answer that its step is to be completed with.
    answered: Option<Said>,
    over: bool,
}

struct Called {
    number: u32,
    result: Option<Result<Arc<str>, StepError>>,
}

impl Projection for Analysis {
    type Line = Said;

    fn take(&mut self, frame: ServerFrame, lines: &mut Vec<Said>) {
        if let (ServerFrame::Event { event, .. }, false) = (frame, self.over) {
            self.event(event, lines);
        }
    }

    fn is_over(&self) -> bool {
        self.over
    }

    fn sent(line: &Said, seq: Option<u64>) -> sse::Event {
        let event = sse::Event::default().event(line.name()).data(lines::json(line));
        match seq {
            Some(seq) => event.id(seq.to_string()),
            None => event,
        }
    }
}

impl Analysis {
    pub(super) fn new(session: SessionId, language: Language) -> Self {
        Self {
            session,
            language,
            run: None,
            plan: Plan::default(),
            calls: HashMap::new(),
            questions: HashMap::new(),
            words: None,
            answered: None,
            over: false,
        }
    }

    fn event(&mut self, event: Event, lines: &mut Vec<Said>) {
        match event.fact {
            Fact::RunStarted { run, .. } if self.run.is_none() => {
                self.run = Some(run);
                let (message, session) = (Words::Working.text(self.language), Some(self.session));
                lines.push(Said::Progress { message, session, step: None, decision: None });
            }
            _ if self.run.is_none() => {}
            Fact::PlanProposed { plan, .. } => self.planned(plan, lines),
            // It is another plan only where it has another revision.
            Fact::PlanEdited { plan, .. } if plan.rev == self.plan.rev => self.plan = plan,
            Fact::PlanEdited { plan, .. } => self.planned(plan, lines),
            Fact::PlanStepChanged { number, state, .. } => self.step_changed(number, state, lines),
            Fact::DecisionMade { decision, .. } => lines.push(self.decided(decision)),
            Fact::ToolProposed { call, task: Task::Execute { number, .. }, .. } => {
                self.calls.insert(call, Called { number, result: None });
            }
            Fact::ToolCompleted { call, output, .. } => self.called(call, Ok(output)),
            Fact::ToolFailed { call, error, .. } => self.called(call, Err(error)),
            Fact::GateOpened { gate } => lines.push(self.asked(gate)),
            Fact::MessagePosted { message, text, .. } => self.words = Some((message, text)),
            Fact::GateDecided { gate, message: Some(message), .. } => {
                self.replied(gate, message, &event.by.name, lines);
            }
            Fact::StepFailed { retry_at: Some(_), .. } => lines.push(self.progress(&Words::Retrying)),
            Fact::RunStateChanged { to: Phase::Paused, .. } => lines.push(self.progress(&Words::Paused)),
            Fact::OutputProduced { output, .. } => {
                let mut findings = output.as_object().cloned().unwrap_or_default();
                // The name of the event stands there.
                findings.remove("type");
                lines.push(Said::Result { findings });
            }
            Fact::RunFinished { reason, .. } => {
                if reason == FinishReason::Completed {
                    return self.end("completed", None, lines);
                }
                lines.push(self.progress(&Words::Limit));
                self.end("incomplete", None, lines);
            }
            Fact::RunFailed { error, .. } => self.end("failed", Some(error), lines),
            Fact::RunCancelled { .. } => self.end("cancelled", None, lines),
            _ => {}
        }
    }

    fn planned(&mut self, plan: Plan, lines: &mut Vec<Said>) {
        self.plan = plan;
        let steps = (1..).zip(&self.plan.steps);
        let plan_steps: Vec<Step> = steps.map(|(number, step)| Step::of(number, step, self.language)).collect();
        let done = u32::try_from(plan_steps.len()).unwrap_or(u32::MAX);
        let current_step = self.plan.current().map_or(done, |(number, _)| number - 1);
        lines.push(Said::Plan { plan_steps, current_step });
    }

    fn step_changed(&mut self, number: u32, state: StepState, lines: &mut Vec<Said>) {
        let Some(step) = self.plan.step_mut(number) else { return };
        step.state = state;
        let shown = Step::of(number, step, self.language);
        match state {
            StepState::InProgress if !asks(step) => {
                let message = step.action.clone();
                lines.push(Said::Progress { message, session: None, step: Some(number), decision: None });
            }
            StepState::Completed | StepState::Blocked => {
                let last = self.calls.iter().filter(|(_, called)| called.number == number).max_by_key(|(id, _)| **id);
                let (result, error) = match last.and_then(|(_, called)| called.result.clone()) {
                    Some(Ok(output)) => (Some(output), None),
                    Some(Err(error)) => (None, Some(error.message)),
                    None => (None, None),
                };
                lines.push(Said::StepExecution { step: shown, result, error });
                lines.extend(self.answered.take());
            }
            _ => {}
        }
    }

    fn called(&mut self, call: CallId, result: Result<Arc<str>, StepError>) {
        if let Some(called) = self.calls.get_mut(&call) {
            called.result = Some(result);
        }
    }

    fn decided(&self, decision: Judgement) -> Said {
        let words = [decision.reason, decision.analysis].into_iter().find(|words| !words.is_empty());
        let message = words.unwrap_or_else(|| Words::Deciding.text(self.language));
        Said::Progress { message, session: None, step: None, decision: Some(decision.action) }
    }

    fn asked(&mut self, gate: Gate) -> Said {
        if !gate.kind.takes_words() || !gate.allow.contains(&Act::Respond) {
            return Said::progress(format!("{}: {}", Words::Waiting.text(self.language), gate.prompt));
        }
        self.questions.insert(gate.id, gate.call);
        Said::UserInputRequest {
            request_id: self.request_id(gate.id),
            question: gate.prompt,
            context: gate.context.unwrap_or_else(|| "".into()),
            schema: gate.schema,
        }
    }

    fn replied(&mut self, gate: GateId, message: MessageId, by: &Arc<str>, lines: &mut Vec<Said>) {
        let Some(call) = self.questions.remove(&gate) else { return };
        let Some((_, reply)) = self.words.take().filter(|(said, _)| *said == message) else { return };
        let said = Said::UserReply { request_id: self.request_id(gate), reply, by: by.clone() };
        // The document completes the step first, then shows the answer.
        if call.is_some_and(|call| self.calls.contains_key(&call)) {
            self.answered = Some(said);
        } else {
            lines.push(said);
        }
    }

    fn request_id(&self, gate: GateId) -> String {
        RequestId { session: self.session, gate }.to_string()
    }

    fn progress(&self, words: &Words) -> Said {
        Said::progress(words.text(self.language))
    }

    fn end(&mut self, status: &'static str, error: Option<StepError>, lines: &mut Vec<Said>) {
        lines.push(Said::Done { status, error });
        self.over = true;
    }
}
