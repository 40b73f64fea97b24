//! Checks prompt templates: their braces, their variables, and the nodes and attributes that the variables refer to.

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
        // Reading continues after an error, so an error does not hide unknown variables elsewhere in the template.
        let (template, errors) = Template::read(text);
        for error in errors {
            let code = match error.is_unknown_variable {
                true => TopologyErrorCode::UnknownVariable,
                false => TopologyErrorCode::InvalidTemplate,
            };
            report.fault(&at, FIELD, code, format_args!("in the template: {error}"));
        }
        let variables: BTreeSet<_> = template.variables().collect();
        for variable in variables {
            check_variable(report, &at, node, &ids, variable);
            if let (TemplateVariable::Upstream(other), Some(id)) = (variable, node.id)
                && edges != EdgeCompleteness::Unknown
            {
                let earlier = earlier.entry(id).or_insert_with(|| nodes_before(team, &ids, id));
                check_order(report, &at, &ids, earlier, other);
            }
        }
    }
}

/// Checks that the node `other`, whose result a template names, works before the template's own node. Otherwise, the
/// result would always be empty.
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
/// nodes. An unreadable end of an edge counts as every node, so that one invalid edge causes no further errors.
fn nodes_before<'a>(team: &TeamOutline<'a>, ids: &BTreeSet<&'a str>, node: &'a str) -> BTreeSet<&'a str> {
    let known = |id: Option<&'a str>| id.filter(|id| ids.contains(id));
    let ordered = team.edges.iter().flat_map(|edge| {
        let (source, target) = (known(edge.source), known(edge.target));
        let (along, against) = ((source, target), (target, source));
        match edge.relation {
            Some(Relation::Calls | Relation::DataFlow) => vec![along],
            Some(Relation::DependsOn) => vec![against],
            Some(Relation::Integrates | Relation::Monitors) => vec![],
            None => vec![along, against],
        }
    });
    let ordered: Vec<(Option<&str>, Option<&str>)> = ordered.collect();
    let (mut before, mut open) = (BTreeSet::new(), vec![node]);
    while let Some(node) = open.pop() {
        for (earlier, _) in ordered.iter().filter(|(_, later)| later.is_none_or(|later| later == node)) {
            let Some(earlier) = *earlier else { return ids.clone() };
            if before.insert(earlier) {
                open.push(earlier);
            }
        }
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
        // The task and the context are not known before an execution starts, so these variables cannot be checked here.
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
