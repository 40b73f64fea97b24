//! Checks nodes: their number, ids, names, types and attributes, and the number of their agents.

use super::attributes;
use super::error_place::ErrorPlace;
use super::ids::{IdSet, fold};
use super::texts::check_label;
use crate::agent::teams::topology::limits;
use crate::agent::teams::topology::outline::TeamOutline;
use crate::agent::teams::topology::report::{TopologyErrorCode, TopologyReport};
use crate::kernel::topology::Topology;

/// Reserved node id: the supervisor of such a node would have the same id as the global supervisor.
const RESERVED: &str = "global";

pub(super) fn check(team: &TeamOutline<'_>, report: &mut TopologyReport) {
    let Some(nodes) = &team.nodes else { return };
    if nodes.is_empty() {
        let message = "it has no nodes; add at least one";
        report.fault(&ErrorPlace::Topology, "nodes", TopologyErrorCode::Empty, message);
    }
    if nodes.len() > Topology::MAX_NODES {
        let message = format!("it has too many nodes; use at most {}", Topology::MAX_NODES);
        report.fault(&ErrorPlace::Topology, "nodes", TopologyErrorCode::TooLong, message);
    }
    let mut ids = IdSet::default();
    for (index, node) in nodes.iter().enumerate() {
        let at = ErrorPlace::node(index, node);
        ids.check(report, &at, "node_id", node.id);
        if node.id.is_some_and(|id| id.len() <= Topology::MAX_ID_BYTES && fold(id) == RESERVED) {
            let message = "the id is reserved for the global supervisor; choose another id";
            report.fault(&at, "node_id", TopologyErrorCode::ReservedId, message);
        }
        check_label(report, &at, ("node_name", "name"), node.name, limits::MAX_NAME_CHARS);
        check_label(report, &at, ("node_type", "type"), node.kind, limits::MAX_TYPE_CHARS);
        attributes::check(report, &at, node.attributes);
        match node.agents.as_ref().map(Vec::len) {
            Some(0) => report.fault(&at, "agents", TopologyErrorCode::Empty, "it has no agents; add at least one"),
            Some(number) if number > Topology::MAX_AGENTS => {
                let message = format!("it has too many agents; use at most {}", Topology::MAX_AGENTS);
                report.fault(&at, "agents", TopologyErrorCode::TooLong, message);
            }
            _ => {}
        }
    }
}
