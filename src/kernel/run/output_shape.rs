//! Required structures of model output: their JSON Schemas, and how to read them.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::call::kernel_tools::ASK_PEOPLE_TOOL;
use crate::plan::planner_decision::{PlannerAction, PlannerDecision};
use crate::plan::{Plan, PlanItem};
use crate::schema::bounds::ValueBounds;
use crate::schema::output_schema::OutputSchema;
use crate::schema::violation::SchemaViolation;
use crate::{AgentId, schema};

/// Required structure of a model's output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OutputShape {
    /// A plan: items for agents, with risks.
    Plan {
        /// Ids of the agents that can execute the items.
        agents: Vec<Arc<str>>,
    },
    /// A decision after an item of such a plan.
    Decision {
        /// Ids of the agents that can execute the next item.
        agents: Vec<Arc<str>>,
    },
    /// A plan of tool calls, or a question to people.
    Investigation,
    /// The next action of an investigation.
    NextOfInvestigation,
    /// The findings of an investigation.
    Findings,
    /// The name of one of these flows.
    Route(Vec<Arc<str>>),
    /// The next agent of a node, or the end of the node's work.
    Delegation {
        /// Ids of the node's agents.
        agents: Vec<Arc<str>>,
        /// Agent that is picked if the output cannot be read. `None` ends the node's work.
        fallback: Option<AgentId>,
        /// False before an agent of the node has worked, because the node could otherwise end without any result.
        can_end: bool,
    },
    /// Any value that matches the schema of a caller.
    Given(Value),
}

/// Error in output, for the model that wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputError {
    /// Explanation of the error.
    pub reason: String,
    /// Violations of a caller's schema. Empty for other structures.
    pub violations: Vec<SchemaViolation>,
}

impl From<&str> for OutputError {
    fn from(reason: &str) -> Self {
        Self::from(reason.to_owned())
    }
}

impl From<String> for OutputError {
    fn from(reason: String) -> Self {
        Self { reason, violations: vec![] }
    }
}

impl From<Vec<SchemaViolation>> for OutputError {
    fn from(violations: Vec<SchemaViolation>) -> Self {
        let reasons: Vec<String> = violations.iter().map(|one| format!("{}: {}", one.path, one.message)).collect();
        Self { reason: reasons.join("; "), violations }
    }
}

/// Structured output that was read.
#[derive(Debug, Clone, PartialEq)]
pub enum ParsedOutput {
    /// A plan.
    Plan(Plan),
    /// A decision.
    Decision(PlannerDecision),
    /// Other output, which the kernel does not interpret.
    Output(Value),
}

/// Bounds of the value in an output. The text has a bound of its own.
const OUTPUT: ValueBounds = ValueBounds { max_bytes: usize::MAX, max_depth: 64 };

/// Name of the tool that asks people, as an item of a plan.
pub const USER_INPUT: &str = "user_input";

#[derive(Default, Deserialize)]
#[serde(default)]
struct OutputFields {
    action: Option<PlannerAction>,
    next_action: Option<PlannerAction>,
    analysis: Arc<str>,
    reason: Arc<str>,
    next_agent: Option<Arc<str>>,
    instruction: Arc<str>,
    question: Option<Arc<str>>,
    context: Arc<str>,
    next_steps: Vec<PlanItemFields>,
    steps: Vec<PlanItemFields>,
    title: Arc<str>,
    estimated_time: Arc<str>,
    risks: Vec<Arc<str>>,
    flow: Option<Arc<str>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct PlanItemFields {
    agent: Option<Arc<str>>,
    action: Arc<str>,
    reason: Arc<str>,
    tool_name: Option<Arc<str>>,
    tool_params: Option<Value>,
}

impl From<PlanItemFields> for PlanItem {
    fn from(item: PlanItemFields) -> Self {
        let agent = item.agent.and_then(|agent| agent.parse().ok());
        let (action, reason) = (item.action, item.reason);
        // Elsewhere models know this tool as `ask_people`.
        let tool = item.tool_name.map(|name| if *name == *ASK_PEOPLE_TOOL { USER_INPUT.into() } else { name });
        Self { agent, action, reason, tool, arguments: item.tool_params, ..Self::default() }
    }
}

impl OutputShape {
    /// Returns the name of the schema for providers with structured output.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Plan { .. } | Self::Investigation => "plan",
            Self::Decision { .. } | Self::NextOfInvestigation => "decision",
            Self::Findings => "findings",
            Self::Route(_) => "route",
            Self::Delegation { .. } => "delegation",
            Self::Given(_) => "output",
        }
    }

    /// Returns the JSON Schema of the structure.
    pub fn schema(&self) -> Value {
        let text = || json!({ "type": "string" });
        match self {
            Self::Plan { agents } => object(
                json!({
                    "title": text(),
                    "steps": {
                        "type": "array", "minItems": 1, "maxItems": Plan::MAX_ITEMS,
                        "items": object(
                            json!({ "agent": one_of(agents), "action": non_empty_text(), "reason": text() }),
                            &["agent", "action"],
                        ),
                    },
                    "estimated_time": text(),
                    "risks": { "type": "array", "items": text() },
                }),
                &["steps"],
            ),
            Self::Decision { agents } => {
                let mut agents = agents.clone();
                agents.push("END".into());
                object(
                    json!({
                        "analysis": text(),
                        "next_action": { "enum": ["continue", "retry", "skip", "end"] },
                        "next_agent": one_of(&agents),
                        "instruction": text(),
                        "reason": text(),
                    }),
                    &["next_action", "reason"],
                )
            }
            Self::Investigation => investigation(&["continue", "request_input"]),
            Self::NextOfInvestigation => investigation(&["continue", "request_input", "synthesize", "adjust_plan"]),
            Self::Findings => object(
                json!({
                    "summary": text(),
                    "root_cause": non_empty_text(),
                    "suggestions": { "type": "array", "items": text() },
                }),
                &["root_cause", "suggestions"],
            ),
            Self::Route(flows) => object(json!({ "flow": one_of(flows), "reason": text() }), &["flow"]),
            Self::Delegation { agents, can_end, .. } => {
                let actions: &[&str] = if *can_end { &["delegate", "end"] } else { &["delegate"] };
                let required: &[&str] =
                    if *can_end { &["next_action", "reason"] } else { &["next_action", "next_agent", "reason"] };
                let fields = json!({
                    "next_action": { "enum": actions },
                    "next_agent": one_of(agents),
                    "instruction": text(),
                    "reason": non_empty_text(),
                });
                object(fields, required)
            }
            Self::Given(schema) => schema.clone(),
        }
    }

    /// Reads output from `text`. The error message is for the model that wrote it.
    pub fn read(&self, text: &str) -> Result<ParsedOutput, OutputError> {
        if let Self::Given(schema) = self {
            let value = schema::value_in(text).ok_or("the output contains no JSON value; respond with one alone")?;
            OutputSchema::compile(schema)?.check(&value)?;
            return Ok(ParsedOutput::Output(value));
        }
        let value = schema::json_in(text).ok_or("the output contains no JSON object; respond with one")?;
        schema::check(&self.schema(), &value)?;
        // An event with more levels could not be read back.
        OUTPUT.check(&value).map_err(|error| error.to_string())?;
        if let Self::Findings = self {
            return Ok(ParsedOutput::Output(value));
        }
        let written: OutputFields = serde_json::from_value(value).map_err(|error| error.to_string())?;
        Ok(match self {
            Self::Plan { .. } => ParsedOutput::Plan(Plan {
                title: written.title,
                items: written.steps.into_iter().map(PlanItem::from).collect(),
                estimated_time: written.estimated_time,
                risks: written.risks,
                ..Plan::default()
            }),
            Self::Investigation => match plan_items(written)? {
                none if none.is_empty() => return Err("continue requires at least one entry in next_steps".into()),
                items => ParsedOutput::Plan(Plan { items, ..Plan::default() }),
            },
            Self::NextOfInvestigation => {
                let action = written.action.unwrap_or(PlannerAction::Synthesize);
                let (analysis, reason) = (written.analysis.clone(), written.reason.clone());
                let more = matches!(action, PlannerAction::Continue | PlannerAction::RequestInput);
                // The plan might already have enough items; in that case, the investigation continues with them.
                let items = if more { plan_items(written)? } else { vec![] };
                ParsedOutput::Decision(PlannerDecision { analysis, reason, items, ..PlannerDecision::bare(action) })
            }
            Self::Decision { .. } => ParsedOutput::Decision(PlannerDecision {
                analysis: written.analysis,
                reason: written.reason,
                agent: written.next_agent.and_then(|agent| agent.parse().ok()),
                instruction: written.instruction,
                ..PlannerDecision::bare(written.next_action.unwrap_or(PlannerAction::Continue))
            }),
            Self::Route(_) => ParsedOutput::Decision(PlannerDecision {
                reason: written.reason,
                flow: written.flow,
                ..PlannerDecision::bare(PlannerAction::Route)
            }),
            Self::Delegation { .. } => {
                let action = written.next_action.unwrap_or(PlannerAction::End);
                let agents = written.next_agent.and_then(|agent| agent.parse().ok()).into_iter().collect::<Vec<_>>();
                if action == PlannerAction::Delegate && agents.is_empty() {
                    return Err("delegate requires next_agent; name one of the node's agents".into());
                }
                let (reason, instruction) = (written.reason, written.instruction);
                let agents = if action == PlannerAction::Delegate { agents } else { vec![] };
                ParsedOutput::Decision(PlannerDecision { reason, instruction, agents, ..PlannerDecision::bare(action) })
            }
            Self::Findings | Self::Given(_) => unreachable!("other output is returned above"),
        })
    }

    /// Returns the replacement for an output that could not be read, even after `max_repairs` requests; `None` if
    /// nothing can replace it.
    pub fn fallback(&self, text: &str, whole: &str) -> Option<ParsedOutput> {
        Some(match self {
            Self::Given(_) => return None,
            Self::Plan { .. } => {
                let items = vec![PlanItem { action: whole.into(), ..PlanItem::default() }];
                ParsedOutput::Plan(Plan { items, fallback: true, ..Plan::default() })
            }
            // Without a plan, nothing is investigated: the findings are based on what is known.
            Self::Investigation => ParsedOutput::Plan(Plan { finished: true, fallback: true, ..Plan::default() }),
            Self::Decision { .. } => ParsedOutput::Decision(PlannerDecision {
                fallback: true,
                ..PlannerDecision::bare(PlannerAction::Continue)
            }),
            Self::NextOfInvestigation => ParsedOutput::Decision(PlannerDecision {
                fallback: true,
                ..PlannerDecision::bare(PlannerAction::Synthesize)
            }),
            Self::Findings => ParsedOutput::Output(json!({ "root_cause": text, "suggestions": [] })),
            Self::Route(flows) => ParsedOutput::Decision(PlannerDecision {
                flow: flows.first().cloned(),
                fallback: true,
                ..PlannerDecision::bare(PlannerAction::Route)
            }),
            Self::Delegation { fallback: Some(agent), .. } => ParsedOutput::Decision(PlannerDecision {
                agents: vec![agent.clone()],
                fallback: true,
                ..PlannerDecision::bare(PlannerAction::Delegate)
            }),
            Self::Delegation { fallback: None, .. } => {
                let end = PlannerDecision::bare(PlannerAction::End);
                ParsedOutput::Decision(PlannerDecision { fallback: true, ..end })
            }
        })
    }
}

fn plan_items(written: OutputFields) -> Result<Vec<PlanItem>, String> {
    if let (Some(PlannerAction::RequestInput), Some(question)) = (written.action, &written.question) {
        let arguments = json!({ "question": question, "context": written.context });
        let tool = Some(USER_INPUT.into());
        return Ok(vec![PlanItem {
            action: question.clone(),
            tool,
            arguments: Some(arguments),
            ..PlanItem::default()
        }]);
    }
    match written.action {
        Some(PlannerAction::RequestInput) => Err("request_input requires a question".into()),
        _ => Ok(written.next_steps.into_iter().map(PlanItem::from).collect()),
    }
}

fn investigation(actions: &[&str]) -> Value {
    let text = || json!({ "type": "string" });
    let step = object(
        json!({ "action": non_empty_text(), "tool_name": non_empty_text(), "tool_params": { "type": "object" } }),
        &["action", "tool_name", "tool_params"],
    );
    object(
        json!({
            "action": { "enum": actions },
            "analysis": text(),
            "reason": text(),
            "question": text(),
            "context": text(),
            "next_steps": { "type": "array", "items": step, "maxItems": Plan::MAX_ITEMS },
        }),
        &["action"],
    )
}

fn object(properties: Value, required: &[&str]) -> Value {
    json!({ "type": "object", "properties": properties, "required": required })
}

fn non_empty_text() -> Value {
    json!({ "type": "string", "minLength": 1 })
}

fn one_of(values: &[Arc<str>]) -> Value {
    json!({ "enum": values })
}
