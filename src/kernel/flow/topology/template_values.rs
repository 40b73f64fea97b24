//! Values of the variables in the agents' prompt templates.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::Value;

use crate::message::request::MessageRequest;
use crate::plan::PlanItemState;
use crate::template::{Template, TemplateVariable};
use crate::{Agent, AgentId, Rejection, Run, Task, Team, View};

/// Checks that a run with this input has a value for every variable of the agents' templates, and that the templates do
/// not become too long with these values. Otherwise, an agent would have no task and fail in the middle of the run.
pub fn check_templates(team: &Team, input: &str, request: Option<&MessageRequest>) -> Result<(), Rejection> {
    let topology = team.topology.as_deref();
    // Computed once, not for each of thousands of agents.
    let values = request.into_iter().flat_map(|request| &request.context);
    let context: HashMap<&str, usize> = values.map(|(key, value)| (&**key, plain(value).len())).collect();
    let mut missing = vec![];
    for agent in &team.agents {
        let Some(text) = &agent.prompt_template else { continue };
        let template = Template::parse(text).map_err(|errors| {
            let message = errors.first().map_or_else(String::new, ToString::to_string);
            Rejection::Invalid(format!("agent {}: prompt_template: {message}", agent.id).into())
        })?;
        let without_value = template.variables().filter(|variable| match variable {
            TemplateVariable::Context(key) => !context.contains_key(&**key),
            TemplateVariable::Task | TemplateVariable::Node(_) | TemplateVariable::Upstream(_) => false,
        });
        missing.extend(without_value.map(|variable| (&agent.id, variable.to_string())));
        let node =
            topology.and_then(|topology| topology.nodes.iter().find(|node| Some(&node.id) == agent.node.as_ref()));
        let bytes = template.rendered_bytes(|variable| match variable {
            TemplateVariable::Task => input.len(),
            TemplateVariable::Context(key) => context.get(&**key).copied().unwrap_or_default(),
            TemplateVariable::Node(key) => {
                node.and_then(|node| node.attributes.get(&**key)).map_or(0, |value| plain(value).len())
            }
            // Not known yet. `task_of` truncates the result if it is too long.
            TemplateVariable::Upstream(_) => 0,
        });
        if bytes > Template::MAX_RENDERED_BYTES {
            let message = format!(
                "agent {}: its template, filled with the task and the context, has {bytes} bytes; shorten them to {}",
                agent.id,
                Template::MAX_RENDERED_BYTES
            );
            return Err(Rejection::Invalid(message.into()));
        }
    }
    missing_values(&missing)
}

/// Returns a rejection that names the first ten of these variables, which have no value; `Ok` if there are none.
fn missing_values(missing: &[(&AgentId, String)]) -> Result<(), Rejection> {
    const MAX_NAMED: usize = 10;
    let Some((agent, variable)) = missing.first() else { return Ok(()) };
    let first = format!("agent {agent}: {{{variable}}} has no value");
    let others = missing.iter().take(MAX_NAMED).skip(1).map(|(agent, variable)| format!("; {agent}: {{{variable}}}"));
    let more = missing.len().saturating_sub(MAX_NAMED);
    let more = if more == 0 { String::new() } else { format!("; and {more} more") };
    let keys = if missing.len() == 1 { "key" } else { "keys" };
    let message = format!(
        "{first}{}{more}; add the {keys} to context, which only executions and the command start have",
        others.collect::<String>()
    );
    Err(Rejection::Invalid(message.into()))
}

/// Returns the task of an agent from its template. `None` if the agent has no template or no node, or if the template
/// cannot be rendered.
pub fn task_of(view: &View, run: &Run, agent: &Agent) -> Option<String> {
    let template = Template::parse(agent.prompt_template.as_deref()?).ok()?;
    let input = view.message(run.input)?;
    let topology = view.team.topology.as_deref()?;
    let node = topology.nodes.iter().find(|node| Some(&node.id) == agent.node.as_ref())?;
    let context = input.request.as_ref().map(|request| &request.context);
    let value = |variable: &TemplateVariable| match variable {
        TemplateVariable::Task => Cow::Borrowed(&*input.text),
        // The keys were checked when the run started; a redacted request no longer has any.
        TemplateVariable::Context(key) => context.and_then(|context| context.get(&**key)).map_or("".into(), plain),
        TemplateVariable::Node(key) => node.attributes.get(&**key).map_or("".into(), plain),
        TemplateVariable::Upstream(id) => result_of_node(view, run, id).into(),
    };
    let is_result = |variable: &TemplateVariable| matches!(variable, TemplateVariable::Upstream(_));
    // Each result gets an equal share of the space that the rest leaves, so that long results do not crowd out the
    // task.
    let rest = template.rendered_bytes(|variable| if is_result(variable) { 0 } else { value(variable).len() });
    let results = template.variables().filter(|variable| is_result(variable)).count().max(1);
    let share = Template::MAX_RENDERED_BYTES.saturating_sub(rest) / results;
    let rendered = template.render(|variable| Some(value(variable))).or_else(|_| {
        template.render(|variable| {
            let value = value(variable);
            match is_result(variable) {
                true => Some(value[..value.floor_char_boundary(share)].to_owned().into()),
                false => Some(value),
            }
        })
    });
    rendered.ok()
}

/// Returns the result of a node; empty if it has none.
fn result_of_node<'a>(view: &View, run: &'a Run, id: &str) -> &'a str {
    let at = view.team.topology.as_ref().and_then(|topology| topology.nodes.iter().position(|node| *node.id == *id));
    let state = at.and_then(|at| Some(run.plan.as_ref()?.items.get(at)?.state));
    let Some(supervisor) = view.team.node_supervisor(id).filter(|_| state == Some(PlanItemState::Completed)) else {
        return "";
    };
    let done = run.task_results.iter().rev().find(|done| {
        done.assignment.agent == supervisor.id && done.assignment.task == Task::Summarize && done.text.is_some()
    });
    done.and_then(|done| done.text.as_deref()).unwrap_or_default()
}

/// Returns a value as text: a string unchanged, anything else as JSON.
fn plain(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(text) => Cow::Borrowed(text),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            Cow::Owned(value.to_string())
        }
    }
}
