//! Description of an agent's task in its request, in addition to people's messages: the plan, the plan item, the
//! results of other agents, and the required shape of the response.

use super::envelope::ServerLine;
use super::prompt_texts::PromptTexts;
use super::supervision::Supervision;
use crate::agent::{CutBehavior, PromptBlock, TranscriptEntry};
use crate::kernel::call::{Call, ToolRound};
use crate::kernel::flow::{Flow, STRUCTURE};
use crate::kernel::kernel_tools::PLAN_TOOL;
use crate::kernel::output_shape::OutputShape;
use crate::kernel::plan::{Plan, PlanItemState};
use crate::kernel::{AgentRole, Assignment, Run, RunningMessage, Task, TaskResult, View, flow};

/// Renders a task as text.
pub(super) struct Brief<'a> {
    view: &'a View,
    run: &'a Run,
    running: &'a RunningMessage,
    wording: PromptTexts,
}

impl<'a> Brief<'a> {
    pub(super) fn new(view: &'a View, run: &'a Run, running: &'a RunningMessage) -> Self {
        Self { view, run, running, wording: PromptTexts::of(view.team.language) }
    }

    /// Returns the results of the tasks before this step, in the order of the plan.
    pub(super) fn results(&self) -> Vec<TranscriptEntry> {
        if let Some(supervision) = self.supervision() {
            return supervision.results();
        }
        let before = self.run.task_results.iter().filter(|done| done.step != self.running.step);
        let is_structure = self.running.task == Task::Structure;
        let work = before.filter(|done| match done.assignment.task {
            Task::Execute { .. } | Task::Reply => true,
            Task::Summarize => is_structure,
            Task::Route | Task::Plan | Task::Decide | Task::Report { .. } | Task::Structure => false,
        });
        let results = work.flat_map(|done| self.found(done).chain(self.result(done)).collect::<Vec<_>>());
        results.map(|text| TranscriptEntry::new(text, CutBehavior::Begins)).collect()
    }

    /// Returns the tool results of a finished task if the current agent continues or summarizes the work. The text of
    /// the earlier agent contains only the parts of the results that the agent chose to repeat.
    fn found(&self, done: &'a TaskResult) -> impl Iterator<Item = PromptBlock> {
        let wanted = matches!(self.running.task, Task::Execute { .. } | Task::Summarize | Task::Structure);
        let of_task = move |round: &&ToolRound| {
            wanted && round.message.is_some() && round.step == done.step && round.assignment == done.assignment
        };
        let calls = self.run.tool_rounds.iter().filter(of_task).flat_map(|round| &round.calls);
        calls.filter(|call| &*call.name != PLAN_TOOL).filter_map(move |call| {
            let output = self.view.call_memory.output(call.id);
            (output.is_some() || call.error.is_some()).then(|| self.called(done, call, output))
        })
    }

    /// Returns the description of the current task.
    pub(super) fn blocks(&self) -> Vec<PromptBlock> {
        let mut blocks = vec![];
        match self.supervision() {
            Some(supervision) => blocks.extend(supervision.task()),
            None => {
                if let Some(plan) = self.run.plan.as_ref().filter(|_| self.running.task != Task::Route) {
                    blocks.push(plan_block(plan));
                }
                blocks.extend(self.task());
            }
        }
        match flow::shape_of(self.view, self.run, &self.running.assignment()) {
            Some(OutputShape::Given(schema)) => blocks.push(PromptBlock::quoted(
                ServerLine::new("[schema]"),
                &serde_json::to_string_pretty(&schema).expect("JSON serializes"),
            )),
            Some(shape) => blocks.push(self.wording.shape(&shape.schema())),
            None => {}
        }
        let own = self.running.assignment();
        if let Some(rejected) = self.run.rejected_outputs.iter().rev().find(|rejected| rejected.assignment == own) {
            let text = self.view.message(rejected.message).map_or("", |message| &message.text);
            blocks.extend(self.wording.rejected(text, &rejected.reason));
        }
        blocks
    }

    /// Returns the renderer for a flow with supervisors, or for the structured output of a run of such a flow; `None`
    /// otherwise.
    fn supervision(&self) -> Option<Supervision<'a>> {
        let supervised = flow::flow_of(self.run).is_some_and(Flow::has_supervisors) || *self.run.flow == *STRUCTURE;
        supervised.then(|| Supervision::of(self.view, self.run, self.running, self.wording)).flatten()
    }

    fn task(&self) -> Vec<PromptBlock> {
        let shape = |task: Task| flow::shape_of(self.view, self.run, &Assignment::new(&self.running.agent, task));
        match self.running.task {
            Task::Reply | Task::Report { .. } => vec![],
            Task::Route => match shape(Task::Route) {
                Some(OutputShape::Route(choices)) => vec![self.wording.route(&choices)],
                _ => vec![],
            },
            Task::Plan => vec![match shape(Task::Plan) {
                None => self.wording.task(self.wording.plan_with_tool),
                Some(OutputShape::Investigation) => self.wording.task(self.wording.plan_investigation),
                Some(_) => self.wording.plan(self.view.team.in_role(AgentRole::Executor)),
            }],
            Task::Execute { number, part } => {
                let Some(planned) = self.run.plan.as_ref().and_then(|plan| plan.item(number)) else { return vec![] };
                let parts = planned.parts();
                let divided = flow::flow_of(self.run).is_some_and(|flow| flow.runs_parts_in_parallel());
                let own = parts.get(part as usize).filter(|_| divided).map(|part| (*part).to_owned());
                let instruction = self.run.guidance(number).map_or("", |decision| &decision.instruction);
                let action = own.unwrap_or_else(|| parts.join("; "));
                let parts = [("action]", &*action), ("reason]", &*planned.reason), ("instruction]", instruction)];
                let quoted = parts.iter().filter(|(_, text)| !text.is_empty()).map(|(part, text)| {
                    let header = ServerLine::new("[step number=").number(u64::from(number)).push(" part=").push(part);
                    PromptBlock::quoted(header, text)
                });
                [self.wording.execute(number)].into_iter().chain(quoted).collect()
            }
            Task::Decide => vec![self.wording.task(match shape(Task::Decide) {
                Some(OutputShape::NextOfInvestigation) => self.wording.decide_in_investigation,
                _ => self.wording.decide,
            })],
            Task::Summarize => vec![self.wording.task(self.wording.summarize)],
            Task::Structure => vec![self.wording.task(self.wording.structure)],
        }
    }

    /// Returns a call with its result, as an agent reads it. An answer that a person gave in place of the tool is
    /// attributed to that person.
    fn called(&self, done: &TaskResult, call: &Call, output: Option<&str>) -> PromptBlock {
        let answer = self.view.call_memory.answer(call.id);
        let header = ServerLine::new(if answer.is_some() { "[answer" } else { "[result" }).step(&done.assignment.task);
        let header = header.push(" for=").id(done.assignment.agent.as_str());
        let header = match answer {
            Some(answer) => header.answered(answer).push(" tool="),
            None if call.attempt > 0 => header.sources(&call.result_sources).push(" from=tool name="),
            None => header.push(" from=tool name="),
        };
        let arguments =
            serde_json::from_str(&call.arguments).unwrap_or_else(|_| serde_json::Value::from(&*call.arguments));
        let header = header.quoted(&call.name).push(" arguments=").json(&arguments).push("]");
        match (output, answer, &call.error) {
            (Some(output), _, _) => PromptBlock::quoted(header, output),
            (None, Some(answer), _) => PromptBlock::quoted(header, &answer.text),
            (None, None, Some(error)) => PromptBlock::quoted(header, &format!("{}: {}", error.code, error.message)),
            (None, None, None) => PromptBlock::quoted(header, ""),
        }
    }

    fn result(&self, done: &TaskResult) -> Option<PromptBlock> {
        let header = match done.assignment.task {
            Task::Execute { .. } => ServerLine::new("[result").step(&done.assignment.task),
            _ => ServerLine::new("[message"),
        };
        let who = done.assignment.agent.as_str();
        Some(match (done.call.and_then(|call| self.run.call(call)), done.message) {
            (Some(call), None) => self.called(done, call, call.output.as_deref()),
            (_, Some(message)) => {
                let message = self.view.message(message)?;
                PromptBlock::quoted(header.author(&message.by).push("]"), &message.text)
            }
            (None, None) => {
                let failure = &*done.failure.as_ref()?.message;
                PromptBlock::quoted(header.push(" for=").id(who).push(" failed]"), failure)
            }
        })
    }
}

impl ServerLine {
    /// Appends the number of the plan item that the task executes, if any.
    fn step(self, task: &Task) -> Self {
        match task {
            Task::Execute { number, .. } => self.push(" step=").number(u64::from(*number)),
            _ => self,
        }
    }
}

/// Returns the block that shows the plan. The server writes the marks of the items; the plan's own text is quoted.
fn plan_block(plan: &Plan) -> PromptBlock {
    let title = ServerLine::new("[plan title=").quoted(&plan.title).push("]");
    let items = (1..).zip(&plan.items).fold(title, |line, (number, item)| {
        let mark = match item.state {
            PlanItemState::NotStarted => ". [ ] ",
            PlanItemState::InProgress => ". [→] ",
            PlanItemState::Completed => ". [✓] ",
            PlanItemState::Blocked => ". [!] ",
            PlanItemState::Skipped => ". [–] ",
        };
        let mut line = line.push("\n").number(number).push(mark).quoted(&item.action);
        if let Some(agent) = &item.agent {
            line = line.push(" agent=").id(agent.as_str());
        }
        if item.note.is_empty() { line } else { line.push(" note=").quoted(&item.note) }
    });
    let removed = plan.removed.iter();
    PromptBlock::server(removed.fold(items, |line, action| line.push("\n[removed by people] ").quoted(action)))
}
