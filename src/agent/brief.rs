//! What an agent is told about its task, beside what people said: the plan, its step, what others have found, and the
//! shape that the answer must have.

use super::wording::Wording;
use super::{AtCut, Entry};
use crate::kernel::call::Call;
use crate::kernel::plan::{Plan, StepState};
use crate::kernel::shape::Shape;
use crate::kernel::{AgentRole, Done, Item, Run, Task, View, flow};

/// A task in words.
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

    /// What the tasks before this step have brought, in the order of the plan.
    pub(super) fn results(&self) -> Vec<Entry> {
        let before = self.run.done.iter().filter(|done| done.step != self.item.step);
        let work = before.filter(|done| matches!(done.assignment.task, Task::Execute { .. } | Task::Reply));
        work.filter_map(|done| Some(Entry { text: self.result(done)?.into(), at_cut: AtCut::Begins })).collect()
    }

    /// What is to be done now.
    pub(super) fn words(&self) -> Vec<String> {
        let mut words = vec![];
        if let Some(plan) = self.run.plan.as_ref().filter(|_| self.item.task != Task::Route) {
            words.push(self.plan(plan));
        }
        words.extend(self.task());
        let shape = flow::of(self.run).and_then(|flow| flow.shape(self.view, &self.item.task));
        if let Some(shape) = &shape {
            words.push(self.wording.shape(&shape.schema().to_string()));
        }
        let own = self.item.assignment();
        if let Some(rejected) = self.run.rejected.iter().rev().find(|rejected| rejected.assignment == own) {
            let text = self.view.message(rejected.message).map_or("", |message| &message.text);
            words.push(self.wording.rejected(text, &rejected.reason));
        }
        words
    }

    fn task(&self) -> Option<String> {
        let shape = |task| flow::of(self.run).and_then(|flow| flow.shape(self.view, task));
        match self.item.task {
            Task::Reply => None,
            Task::Route => match shape(&Task::Route) {
                Some(Shape::Route(choices)) => Some(self.wording.route(&choices)),
                _ => None,
            },
            Task::Plan => Some(match shape(&Task::Plan) {
                None => self.wording.plan_with_tool.into(),
                Some(Shape::Investigation) => self.wording.plan_investigation.into(),
                Some(_) => self.wording.plan(&self.people()),
            }),
            Task::Execute { number, part } => {
                let step = self.run.plan.as_ref()?.step(number)?;
                let parts = step.parts();
                let divided = flow::of(self.run).is_some_and(|flow| flow.divides_steps());
                let own = parts.get(part as usize).filter(|_| divided).map(|part| (*part).to_owned());
                let told = self.run.guidance(number).map_or("", |judgement| &judgement.instruction);
                Some(self.wording.execute(number, &own.unwrap_or_else(|| parts.join("; ")), &step.reason, told))
            }
            Task::Judge => Some(match shape(&Task::Judge) {
                Some(Shape::NextOfInvestigation) => self.wording.judge_investigation.into(),
                _ => self.wording.judge.into(),
            }),
            Task::Summarize => Some(self.wording.summarize.into()),
        }
    }

    /// Who there is for the steps.
    fn people(&self) -> Vec<String> {
        let executors = self.view.team.in_role(AgentRole::Executor);
        executors.map(|agent| format!("{}: {} {}", agent.id, agent.name, agent.title)).collect()
    }

    fn plan(&self, plan: &Plan) -> String {
        let steps = (1..).zip(&plan.steps).map(|(number, step): (u32, _)| {
            let mark = match step.state {
                StepState::NotStarted => "[ ]",
                StepState::InProgress => "[→]",
                StepState::Completed => "[✓]",
                StepState::Blocked => "[!]",
                StepState::Skipped => "[–]",
            };
            let who = step.agent.as_ref().map(|agent| format!(" ({agent})")).unwrap_or_default();
            let note = if step.note.is_empty() { String::new() } else { format!(" – {}", step.note) };
            format!("{number}. {mark} {}{who}{note}", step.action)
        });
        format!("{}{}\n{}", self.wording.plan_is, plan.title, steps.collect::<Vec<_>>().join("\n"))
    }

    fn result(&self, done: &Done) -> Option<String> {
        let who = &done.assignment.agent;
        let text = match (done.call.and_then(|call| self.run.call(call)), done.message) {
            (Some(call), None) => said(call),
            (_, Some(message)) => self.view.message(message)?.text.to_string(),
            _ => return None,
        };
        Some(match done.assignment.task {
            Task::Execute { number, .. } => format!("{}{number} ({who}): {text}", self.wording.result_of_step),
            _ => format!("{who}: {text}"),
        })
    }
}

/// A call and what it brought, as an agent reads it.
fn said(call: &Call) -> String {
    let brought = match (&call.output, &call.error) {
        (Some(output), _) => output.to_string(),
        (None, Some(error)) => format!("{}: {}", error.code, error.message),
        (None, None) => String::new(),
    };
    format!("{} {}\n{brought}", call.name, call.arguments)
}
