//! Checks that the providers, models and tools of agents and supervisors exist on this server.

use super::error_place::{ErrorPlace, all_agents, quote};
use crate::agent::teams::topology::catalog::{ModelStatus, ReferenceCatalog};
use crate::agent::teams::topology::limits;
use crate::agent::teams::topology::outline::{AgentOutline, TeamOutline};
use crate::agent::teams::topology::report::{TopologyErrorCode, TopologyReport};
use crate::kernel::is_within_chars;

pub(super) fn check(team: &TeamOutline<'_>, catalog: &ReferenceCatalog, report: &mut TopologyReport) {
    for (at, _, agent) in all_agents(team) {
        check_model(report, &at, agent, catalog);
        let tools = if at.is_agent() { "tools" } else { "options/tools" };
        for (index, tool) in agent.tools.iter().enumerate() {
            let is_text = !tool.is_empty() && is_within_chars(tool, limits::MAX_TOOL_CHARS);
            if is_text && !catalog.has_tool(tool) {
                let message = format!("undefined tool {}; use {}", quote(tool), catalog.tools_text());
                let field = format!("{tools}/{index}");
                missing(report, &at, &field, (TopologyErrorCode::UnknownTool, tool), message);
            }
        }
        let permissions = if at.is_agent() { "permissions" } else { "options/permissions" };
        for (index, rule) in agent.permissions.iter().enumerate() {
            if let Some(advice) = catalog.advice_for_rule(&rule.tool) {
                let message = format!("undefined tool {}; {advice}", quote(&rule.tool));
                let field = format!("{permissions}/{index}/tool");
                missing(report, &at, &field, (TopologyErrorCode::UnknownTool, &rule.tool), message);
            }
        }
    }
}

fn check_model(report: &mut TopologyReport, at: &ErrorPlace<'_>, agent: &AgentOutline<'_>, catalog: &ReferenceCatalog) {
    let Some(provider) = agent.provider.filter(|provider| !provider.is_empty()) else { return };
    match catalog.model_status(provider, agent.model.unwrap_or_default()) {
        ModelStatus::UnknownProvider => {
            let message = format!("undefined model provider {}; use {}", quote(provider), catalog.providers_text());
            missing(report, at, "model_provider", (TopologyErrorCode::UnknownProvider, provider), message);
        }
        ModelStatus::UnknownModel if agent.model.is_some_and(|model| !model.is_empty()) => {
            let model = agent.model.unwrap_or_default();
            let message = format!(
                "undefined model {} of provider {}; use {}",
                quote(model),
                quote(provider),
                catalog.models_text(provider)
            );
            missing(report, at, "model_id", (TopologyErrorCode::UnknownModel, model), message);
        }
        ModelStatus::UnknownModel | ModelStatus::Known => {}
    }
}

/// Adds an error with the wording of the specification: `Node 'a' references undefined model provider 'x'`.
fn missing(
    report: &mut TopologyReport,
    at: &ErrorPlace<'_>,
    field: &str,
    (code, name): (TopologyErrorCode, &str),
    text: String,
) {
    let (node, part) = at.subject();
    let part = part.map_or_else(String::new, |part| format!(" ({part})"));
    let (first, rest) = text.split_once("; ").unwrap_or((&text, ""));
    let message = format!("{node} references {first}{part}; {rest}");
    report.add_fault(at, field, code, message);
    report.add_missing(name);
}
