//! Tools that the kernel executes itself, because they change the session: the plan, and questions to people.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};

use super::lifecycle::{self, complete, error, fail};
use crate::draft::Draft;
use crate::flow::{self, Flow};
use crate::plan::{Plan, PlanItem, PlanItemState};
use crate::run::output_shape::{OutputShape, USER_INPUT};
use crate::{Assignment, CallId, Fact, Task, ToolChoice, View, gate, schema};

/// A tool, as it is described to models.
pub struct KernelTool {
    /// Name of the tool in calls.
    pub name: &'static str,
    /// Description for models: the effect of the tool, and when to use it.
    pub description: &'static str,
    /// Returns the JSON Schema of the arguments.
    pub schema: fn() -> Value,
}

/// Name of the tool that maintains the plan of a run.
pub const PLAN_TOOL: &str = "plan";
/// Name of the tool that asks people a question.
pub const ASK_PEOPLE_TOOL: &str = "ask_people";

/// All tools of the kernel.
pub const KERNEL_TOOLS: [KernelTool; 2] = [
    KernelTool {
        name: PLAN_TOOL,
        description: "Maintain the plan of the work. create: a title and items in order; within an item, separate parts \
                      that can run in parallel with <sep>. update: a new title or new items; completed items stay. \
                      mark_item: item_index (from 0), item_status and item_notes. finish: the work is done.",
        schema: plan_schema,
    },
    KernelTool {
        name: ASK_PEOPLE_TOOL,
        description: "Ask the people who watch this run, and wait for their answer. Use it only for what they alone can \
                      know or decide. schema: JSON Schema of the answer, if a form suits the question better than free \
                      text.",
        schema: question_schema,
    },
];

/// Returns whether the name belongs to a tool of the kernel.
pub(crate) fn is_known(name: &str) -> bool {
    matches!(name, PLAN_TOOL | ASK_PEOPLE_TOOL | USER_INPUT)
}

fn plan_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "command": { "enum": ["create", "update", "mark_item", "finish"] },
            "title": { "type": "string" },
            "items": { "type": "array", "items": { "type": "string", "minLength": 1 }, "minItems": 1, "maxItems": Plan::MAX_ITEMS },
            "item_index": { "type": "integer", "minimum": 0, "maximum": Plan::MAX_ITEMS },
            "item_status": { "enum": ["not_started", "in_progress", "completed", "blocked"] },
            "item_notes": { "type": "string" },
        },
        "required": ["command"],
    })
}

fn question_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "question": { "type": "string", "minLength": 1 },
            "context": { "type": "string" },
            "schema": { "type": "object" },
        },
        "required": ["question"],
    })
}

#[derive(Deserialize)]
struct PlanArguments {
    command: Arc<str>,
    title: Option<Arc<str>>,
    items: Option<Vec<Arc<str>>>,
    item_index: Option<u32>,
    item_status: Option<PlanItemState>,
    item_notes: Option<Arc<str>>,
}

#[derive(Deserialize)]
struct QuestionArguments {
    question: Arc<str>,
    context: Option<Arc<str>>,
    schema: Option<Value>,
}

/// Returns the kernel's tools that an agent is offered for a task, according to the agent's rules.
pub fn offered_tools(view: &View, by: &Assignment) -> impl Iterator<Item = &'static KernelTool> {
    // A provider can ignore the tool choice of a request.
    let agent = view.team.agent(&by.agent).filter(|agent| agent.tool_choice != ToolChoice::None);
    // In a flow that does not read plans from text, the planner must use the tool.
    let flow = view.active_run().and_then(flow::flow_of);
    let planned = flow.map(|flow| flow.shape(view, &Assignment::new(&by.agent, Task::Plan)));
    let plans = planned == Some(None) && by.task == Task::Plan && !flow.is_some_and(Flow::has_supervisors);
    let replies = by.task.is_reply();
    // In an investigation, questions are items of the plan. The plan would not contain a question that was asked with
    // the tool.
    let asks = replies || planned != Some(Some(OutputShape::Investigation));
    KERNEL_TOOLS.iter().filter(move |tool| {
        let may = by.task != Task::Structure && agent.is_some_and(|agent| agent.may_call(tool.name));
        if tool.name == PLAN_TOOL { plans || (may && replies) } else { may && asks }
    })
}

/// Returns whether the kernel executes this call. All other calls are checked by the orchestrator, including calls of
/// kernel tools that the agent was not offered.
pub(super) fn is_kernel_tool(view: &View, id: CallId) -> bool {
    let Some(run) = view.active_run() else { return false };
    let (Some(call), Some(round)) = (run.call(id), run.tool_round_of(id)) else { return false };
    match round.message {
        Some(_) => offered_tools(view, &round.assignment).any(|tool| tool.name == &*call.name),
        None => *call.name == *USER_INPUT,
    }
}

/// Executes the call, or opens the gate whose decision is its result.
pub(super) fn answer_call(draft: &mut Draft, id: CallId) {
    let Some((_, call)) = lifecycle::current(draft, id) else { return };
    let schema = if &*call.name == PLAN_TOOL { plan_schema() } else { question_schema() };
    let arguments = serde_json::from_str::<Value>(&call.arguments).map_err(|fault| fault.to_string());
    let arguments = arguments.and_then(|value| schema::check(&schema, &value).map(|()| value));
    let done = arguments.and_then(|value| match &*call.name {
        PLAN_TOOL => {
            let command = serde_json::from_value(value).map_err(|fault| fault.to_string())?;
            plan(draft, command).map(|output| complete(draft, id, output.into()))
        }
        _ => {
            let QuestionArguments { question, context, schema } =
                serde_json::from_value(value).map_err(|fault| fault.to_string())?;
            if let Some(schema) = &schema {
                schema::check_form(schema)?;
            }
            gate::opening::open_question(draft, id, question, context, schema);
            Ok(())
        }
    });
    if let Err(message) = done {
        fail(draft, id, error("arguments_invalid", message));
    }
}

fn plan(draft: &mut Draft, command: PlanArguments) -> Result<String, String> {
    let Some(run) = draft.view().active_run() else { return Err("no run is in progress".into()) };
    let (id, known) = (run.id, run.plan.clone());
    let fresh = |action: &Arc<str>| PlanItem { action: action.clone(), ..PlanItem::default() };
    match (&*command.command, known) {
        ("create", known) => {
            let items = command.items.ok_or("create requires items")?.iter().map(fresh).collect();
            let title = command.title.unwrap_or_else(|| "".into());
            let plan = Plan::succeed(known.as_ref(), Plan { title, items, ..Plan::default() });
            draft.emit(Fact::PlanProposed { run: id, message: None, plan });
        }
        (_, None) => return Err("there is no plan yet; create one first".into()),
        ("update", Some(known)) => {
            let is_done = |item: &PlanItem| item.state == PlanItemState::Completed;
            let done = |action: &Arc<str>| known.items.iter().any(|item| is_done(item) && item.action == *action);
            let items = match command.items {
                Some(items) => items.iter().filter(|action| !done(action)).map(fresh).collect(),
                None => known.items.iter().filter(|item| !item.state.is_over()).cloned().collect(),
            };
            let title = command.title.unwrap_or_else(|| known.title.clone());
            let plan = Plan::succeed(Some(&known), Plan { title, items, ..known.clone() });
            draft.emit(Fact::PlanProposed { run: id, message: None, plan });
        }
        ("mark_item", Some(plan)) => {
            let number = command.item_index.ok_or("mark_item requires item_index")? + 1;
            plan.item(number).ok_or_else(|| format!("item_index must be less than {}", plan.items.len()))?;
            let state = command.item_status.unwrap_or(PlanItemState::Completed);
            let note = command.item_notes.unwrap_or_else(|| "".into());
            draft.emit(Fact::PlanItemChanged { run: id, number, state, note });
        }
        ("finish", Some(plan)) => {
            draft.emit(Fact::PlanEdited { run: id, plan: Plan { finished: true, ..plan } });
        }
        (other, _) => return Err(format!("there is no command {other}; use create, update, mark_item or finish")),
    }
    let plan = draft.view().active_run().and_then(|run| run.plan.as_ref());
    Ok(plan
        .map_or_else(String::new, |plan| serde_json::to_string(plan).expect("a plan serializes: its keys are strings")))
}
