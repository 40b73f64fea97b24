//! Checks agents and supervisors: ids, names, titles, prompts, templates, empty model names, numbers, tool names and
//! call rules.

use super::error_place::{ErrorPlace, all_agents};
use super::ids::IdSet;
use super::texts::{check_agent_name, check_line, check_prompt, check_range};
use crate::agent::teams::permissions;
use crate::agent::teams::topology::limits;
use crate::agent::teams::topology::outline::{AgentOutline, TeamOutline};
use crate::agent::teams::topology::report::{TopologyErrorCode, TopologyReport};
use crate::kernel::is_within_chars;
use crate::kernel::topology::Topology;

pub(super) fn check(team: &TeamOutline<'_>, report: &mut TopologyReport) {
    for (at, node) in team.nodes.iter().flatten().enumerate() {
        let mut ids = IdSet::default();
        for (index, agent) in node.agents.iter().flatten().enumerate() {
            let place = ErrorPlace::agent(at, node, index, agent);
            ids.check(report, &place, "agent_id", agent.id);
            if is_of_supervisor(agent.id, node.id) {
                let message = "the id is that of the node's supervisor; choose another id";
                report.fault(&place, "agent_id", TopologyErrorCode::ReservedId, message);
            }
        }
    }
    for (at, _, agent) in all_agents(team) {
        check_agent(report, &at, agent);
    }
}

/// Returns whether an agent has the id of its node's supervisor, ignoring case. With the same id, the events and usage
/// of the two could not be distinguished.
fn is_of_supervisor(agent: Option<&str>, node: Option<&str>) -> bool {
    let suffix = Topology::SUPERVISOR_SUFFIX;
    agent.zip(node).is_some_and(|(agent, node)| {
        agent.len() == node.len() + suffix.len()
            && agent.get(..node.len()).is_some_and(|start| start.eq_ignore_ascii_case(node))
            && agent.get(node.len()..).is_some_and(|end| end.eq_ignore_ascii_case(suffix))
    })
}

fn check_agent(report: &mut TopologyReport, at: &ErrorPlace<'_>, agent: &AgentOutline<'_>) {
    // In an agent, these fields are next to each other; in a supervisor, some of them are in `options`.
    let is_agent = at.is_agent();
    let field = |name: &'static str, option: &'static str| if is_agent { name } else { option };
    check_agent_name(report, at, field("agent_name", "options/name"), agent.name);
    check_prompt(report, at, ("system_prompt", "system prompt"), agent.prompt);
    check_prompt(report, at, ("user_prompt_template", "template"), agent.template);
    if let Some(title) = agent.title {
        check_line(report, at, (field("title", "options/title"), "title"), title, limits::MAX_TEAM_NAME_CHARS);
    }
    for (name, value, what) in
        [("model_provider", agent.provider, "model provider"), ("model_id", agent.model, "model")]
    {
        if value.is_some_and(str::is_empty) {
            report.fault(at, name, TopologyErrorCode::Empty, format_args!("the {what} is empty; set it"));
        }
    }
    let temperature = (field("temperature", "options/temperature"), "temperature");
    check_range(report, at, temperature, agent.temperature, (0.0, 2.0));
    let max_tokens = (field("max_tokens", "options/max_tokens"), "maximum number of tokens");
    check_range(report, at, max_tokens, agent.max_tokens, (1.0, f64::from(limits::MAX_TOKENS)));
    let range = (f64::from(i32::MIN), f64::from(i32::MAX));
    check_range(report, at, ("priority", "priority"), agent.priority, range);
    let tools = field("tools", "options/tools");
    if agent.tools.len() > limits::MAX_TOOLS {
        let message = format!("it has too many tools; use at most {}, or patterns with *", limits::MAX_TOOLS);
        report.fault(at, tools, TopologyErrorCode::TooLong, message);
    }
    for (index, tool) in agent.tools.iter().enumerate() {
        let code = if tool.is_empty() { TopologyErrorCode::Empty } else { TopologyErrorCode::TooLong };
        if tool.is_empty() || !is_within_chars(tool, limits::MAX_TOOL_CHARS) {
            let message = format!("the name of a tool has 1 to {} characters; correct it", limits::MAX_TOOL_CHARS);
            report.fault(at, &format!("{tools}/{index}"), code, message);
        }
    }
    for message in permissions::check_permissions(&agent.permissions) {
        report.fault(at, field("permissions", "options/permissions"), TopologyErrorCode::InvalidPermission, message);
    }
}
