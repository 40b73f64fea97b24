//! Checks of prompt templates: their braces, and the variables whose values are known before an execution.

use std::collections::{BTreeMap, BTreeSet};

use super::edges::EdgeCompleteness;
use super::error_place::{ErrorPlace, all_agents, quote};
use crate::agent::teams::topology::outline::{NodeOutline, TeamOutline};
use crate::agent::teams::topology::report::{TopologyErrorCode, TopologyReport};
use crate::kernel::template::{Template, TemplateVariable};
use crate::kernel::topology::Relation;

const FIELD: &str = "user_prompt_template";

pub(super) fn check(team: &TeamOutline<'_>, edges: EdgeCompleteness, report: &mut TopologyReport) {
    let ids: BTreeSet<&str> = team.nodes.iter().flatten().filter_map(|node| node.id).collect();
    let mut earlier = BTreeMap::new();
    for (at, node, agent) in all_agents(team) {
        let Some((node, text)) = node.zip(agent.template).filter(|(_, text)| text.len() <= Template::MAX_BYTES) else {
            continue;
        };
        match Template::parse(text) {
            Ok(template) => {
                let variables: BTreeSet<_> = template.variables().collect();
                for variable in variables {
                    check_variable(report, &at, node, &ids, variable);
                    if let (TemplateVariable::Upstream(other), Some(id), EdgeCompleteness::Complete) =
                        (variable, node.id, edges)
                    {
                        let earlier = earlier.entry(id).or_insert_with(|| nodes_before(team, id));
                        check_order(report, &at, &ids, earlier, other);
                    }
                }
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

/// Checks that a node works before any node whose template names its result. Otherwise, the result would always be
/// empty.
fn check_order(
    report: &mut TopologyReport,
    at: &ErrorPlace<'_>,
    ids: &BTreeSet<&str>,
    earlier: &BTreeSet<&str>,
    other: &str,
) {
    if ids.contains(other) && !earlier.contains(other) {
        let message = format!(
            "the template names the result of node {}, which does not work before this node; add an edge from it, such as \
             calls, or remove the variable",
            quote(other)
        );
        report.fault(at, FIELD, TopologyErrorCode::UnknownVariable, message);
    }
}

/// Returns all nodes that come before a node: ordering edges lead from them to the node, directly or through other
/// nodes.
fn nodes_before<'a>(team: &TeamOutline<'a>, node: &'a str) -> BTreeSet<&'a str> {
    let ordered = team.edges.iter().filter_map(|edge| {
        let (source, target) = edge.source.zip(edge.target)?;
        match edge.relation? {
            Relation::Calls | Relation::DataFlow => Some((source, target)),
            Relation::DependsOn => Some((target, source)),
            Relation::Integrates | Relation::Monitors => None,
        }
    });
    let ordered: Vec<(&str, &str)> = ordered.collect();
    let (mut before, mut open) = (BTreeSet::new(), vec![node]);
    while let Some(node) = open.pop() {
        let found = ordered.iter().filter(|(_, later)| *later == node).map(|(earlier, _)| *earlier);
        open.extend(found.filter(|earlier| before.insert(*earlier)));
    }
    before
}

fn check_variable(
    report: &mut TopologyReport,
    at: &ErrorPlace<'_>,
    node: &NodeOutline<'_>,
    ids: &BTreeSet<&str>,
    variable: &TemplateVariable,
) {
    match variable {
        // The context of an execution is known at its start.
        TemplateVariable::Task | TemplateVariable::Context(_) => {}
        TemplateVariable::Node(key) => {
            if !node.attributes.is_some_and(|attributes| attributes.contains_key(&**key)) {
                let message = format!("the template names {{node.{key}}}, but the node has no such attribute; add it");
                report.fault(at, FIELD, TopologyErrorCode::UnknownVariable, message);
            }
        }
        TemplateVariable::Upstream(other) => {
            if !ids.contains(&**other) {
                let message = format!(
                    "the template names the result of node {}, which does not exist; use the id of a node",
                    quote(other)
                );
                report.fault(at, FIELD, TopologyErrorCode::UnknownNode, message);
                report.add_missing(other);
            }
        }
    }
}
