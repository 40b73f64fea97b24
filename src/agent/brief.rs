//! Description of an agent's task in its request, in addition to people's messages: the plan, the plan item, the
//! results of other agents, and the required shape of the response.

use super::envelope::Line;
use super::wording::Wording;
use super::{AtCut, Entry, Envelope};
use crate::kernel::call::{Call, Exchange};
use crate::kernel::inner::PLAN;
use crate::kernel::plan::{Plan, StepState};
use crate::kernel::shape::Shape;
use crate::kernel::{AgentRole, Done, Item, Run, Task, View, flow};

/// Renders a task as text.
pub(super) struct Brief<'a> {
    view: &'a View,
    run: &'a Run,
    item: &'a Item,
    wording: Wording,
}

impl<'a> Brief<'a> {
    pub(super) fn new(view: &'a View, run: &'a Run, item: &'a Item) -> Self {
        Self { view, run, item, wording: Wording::of(view.team.language) }
    }

    /// Returns the results of the tasks before this step, in the order of the plan.
    pub(super) fn results(&self) -> Vec<Entry> {
        let before = self.run.done.iter().filter(|done| done.step != self.item.step);
        let work = before.filter(|done| matches!(done.assignment.task, Task::Execute { .. } | Task::Reply));
        let results = work.flat_map(|done| self.found(done).chain(self.result(done)).collect::<Vec<_>>());
        results.map(|words| Entry::new(words, AtCut::Begins)).collect()
    }

    /// Returns the tool results of a finished task, for agents that continue or summarize the work. The agent's own
    /// text contains only the part of them that it chose to repeat.
    fn found(&self, done: &'a Done) -> impl Iterator<Item = Envelope> {
        let wanted = matches!(self.item.task, Task::Execute { .. } | Task::Summarize);
        let of_task = move |exchange: &&Exchange| {
            wanted && exchange.message.is_some() && exchange.step == done.step && exchange.assignment == done.assignment
        };
        let calls = self.run.exchanges.iter().filter(of_task).flat_map(|exchange| &exchange.calls);
        calls.filter(|call| &*call.name != PLAN).filter_map(move |call| {
            let output = self.view.call_memory.output(call.id);
            (output.is_some() || call.error.is_some()).then(|| self.called(done, call, output))
        })
    }

    /// Returns the description of the current task.
    pub(super) fn words(&self) -> Vec<Envelope> {
        let mut words = vec![];
        if let Some(plan) = self.run.plan.as_ref().filter(|_| self.item.task != Task::Route) {
            words.push(plan_words(plan));
        }
        words.extend(self.task());
        let shape = flow::of(self.run).and_then(|flow| flow.shape(self.view, &self.item.task));
        if let Some(shape) = &shape {
            words.push(self.wording.shape(&shape.schema()));
        }
        let own = self.item.assignment();
        if let Some(rejected) = self.run.rejected.iter().rev().find(|rejected| rejected.assignment == own) {
            let text = self.view.message(rejected.message).map_or("", |message| &message.text);
            words.extend(self.wording.rejected(text, &rejected.reason));
        }
        words
    }

    fn task(&self) -> Vec<Envelope> {
        let shape = |task| flow::of(self.run).and_then(|flow| flow.shape(self.view, task));
        match self.item.task {
            Task::Reply => vec![],
            Task::Route => match shape(&Task::Route) {
                Some(Shape::Route(choices)) => vec![self.wording.route(&choices)],
                _ => vec![],
            },
            Task::Plan => vec![match shape(&Task::Plan) {
                None => self.wording.task(self.wording.plan_with_tool),
                Some(Shape::Investigation) => self.wording.task(self.wording.plan_investigation),
                Some(_) => self.wording.plan(self.view.team.in_role(AgentRole::Executor)),
            }],
            Task::Execute { number, part } => {
                let Some(step) = self.run.plan.as_ref().and_then(|plan| plan.step(number)) else { return vec![] };
                let parts = step.parts();
                let divided = flow::of(self.run).is_some_and(|flow| flow.divides_steps());
                let own = parts.get(part as usize).filter(|_| divided).map(|part| (*part).to_owned());
                let told = self.run.guidance(number).map_or("", |judgement| &judgement.instruction);
                let action = own.unwrap_or_else(|| parts.join("; "));
                let parts = [("action]", &*action), ("reason]", &*step.reason), ("instruction]", told)];
                let quoted = parts.iter().filter(|(_, text)| !text.is_empty()).map(|(part, text)| {
                    let header = Line::new("[step number=").number(u64::from(number)).words(" part=").words(part);
                    Envelope::quoted(header, text)
                });
                [self.wording.execute(number)].into_iter().chain(quoted).collect()
            }
            Task::Judge => vec![self.wording.task(match shape(&Task::Judge) {
                Some(Shape::NextOfInvestigation) => self.wording.judge_investigation,
                _ => self.wording.judge,
            })],
            Task::Summarize => vec![self.wording.task(self.wording.summarize)],
        }
    }

    /// Returns a call with its result, as an agent reads it. An answer that people gave in place of a tool is
    /// attributed to them.
    fn called(&self, done: &Done, call: &Call, output: Option<&str>) -> Envelope {
        let answer = self.view.call_memory.answer(call.id);
        let header = Line::new(if answer.is_some() { "[answer" } else { "[result" }).step(&done.assignment.task);
        let header = header.words(" for=").id(done.assignment.agent.as_str());
        let header = match answer {
            Some(answer) => header.answered(answer).words(" tool="),
            None => header.words(" from=tool name="),
        };
        let arguments =
            serde_json::from_str(&call.arguments).unwrap_or_else(|_| serde_json::Value::from(&*call.arguments));
        let header = header.quoted(&call.name).words(" arguments=").json(&arguments).words("]");
        match (output, answer, &call.error) {
            (Some(output), _, _) => Envelope::quoted(header, output),
            (None, Some(answer), _) => Envelope::quoted(header, &answer.text),
            (None, None, Some(error)) => Envelope::quoted(header, &format!("{}: {}", error.code, error.message)),
            (None, None, None) => Envelope::quoted(header, ""),
        }
    }

    fn result(&self, done: &Done) -> Option<Envelope> {
        let header = match done.assignment.task {
            Task::Execute { .. } => Line::new("[result").step(&done.assignment.task),
            _ => Line::new("[message"),
        };
        let who = done.assignment.agent.as_str();
        Some(match (done.call.and_then(|call| self.run.call(call)), done.message) {
            (Some(call), None) => self.called(done, call, call.output.as_deref()),
            (_, Some(message)) => {
                let message = self.view.message(message)?;
                Envelope::quoted(header.author(&message.by).words("]"), &message.text)
            }
            (None, None) => {
                let failure = done.failure.as_deref()?;
                Envelope::quoted(header.words(" for=").id(who).words(" failed]"), failure)
            }
        })
    }
}

impl Line {
    /// Appends the number of the plan item that a task executes, if any.
    fn step(self, task: &Task) -> Self {
        match task {
            Task::Execute { number, .. } => self.words(" step=").number(u64::from(*number)),
            _ => self,
        }
    }
}

/// Returns the plan. The server writes the marks; the plan's own text is quoted.
fn plan_words(plan: &Plan) -> Envelope {
    let title = Line::new("[plan title=").quoted(&plan.title).words("]");
    Envelope::server((1..).zip(&plan.steps).fold(title, |line, (number, step)| {
        let mark = match step.state {
            StepState::NotStarted => ". [ ] ",
            StepState::InProgress => ". [→] ",
            StepState::Completed => ". [✓] ",
            StepState::Blocked => ". [!] ",
            StepState::Skipped => ". [–] ",
        };
        let mut line = line.words("\n").number(number).words(mark).quoted(&step.action);
        if let Some(agent) = &step.agent {
            line = line.words(" agent=").id(agent.as_str());
        }
        if step.note.is_empty() { line } else { line.words(" note=").quoted(&step.note) }
    }))
}
