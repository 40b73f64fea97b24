//! Checks of prompt templates: their braces, and the variables whose values are known before an execution.

use std::collections::BTreeSet;

use super::locus::{Locus, all_agents, quote};
use crate::agent::teams::topology::outline::{NodeOutline, TeamOutline};
use crate::agent::teams::topology::report::{TopologyErrorCode, TopologyReport};
use crate::kernel::template::{Template, TemplateVariable};

const FIELD: &str = "user_prompt_template";

pub(super) fn check(team: &TeamOutline<'_>, report: &mut TopologyReport) {
    let ids: BTreeSet<&str> = team.nodes.iter().flatten().filter_map(|node| node.id).collect();
    for (at, node, agent) in all_agents(team) {
        let Some((node, text)) = node.zip(agent.template).filter(|(_, text)| text.len() <= Template::MAX_BYTES) else {
            continue;
        };
        match Template::parse(text) {
            Ok(template) => {
                let variables: BTreeSet<_> = template.variables().collect();
                variables.into_iter().for_each(|variable| check_variable(report, &at, node, &ids, variable));
            }
            Err(errors) => {
                for error in errors {
                    let code = match error.is_unknown_variable {
                        true => TopologyErrorCode::UnknownVariable,
                        false => TopologyErrorCode::InvalidTemplate,
                    };
                    report.fault(&at, FIELD, code, format_args!("in the template: {error}"));
                }
            }
        }
    }
}

fn check_variable(
    report: &mut TopologyReport,
    at: &Locus<'_>,
    node: &NodeOutline<'_>,
    ids: &BTreeSet<&str>,
    variable: &TemplateVariable,
) {
    match variable {
        // The context of an execution is known at its start.
        TemplateVariable::Task | TemplateVariable::Context(_) => {}
        TemplateVariable::Node(key) => {
            if !node.attributes.is_some_and(|attributes| attributes.contains_key(&**key)) {
                let words = format!("the template names {{node.{key}}}, but the node has no such attribute; add it");
                report.fault(at, FIELD, TopologyErrorCode::UnknownVariable, words);
            }
        }
        TemplateVariable::Upstream(other) => {
            if !ids.contains(&**other) {
                let words = format!("the template names the result of node {}, which does not exist", quote(other));
                report.fault(at, FIELD, TopologyErrorCode::UnknownNode, words);
                report.add_missing(other);
            }
        }
    }
}
