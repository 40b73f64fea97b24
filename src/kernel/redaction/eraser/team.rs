//! Copies of teams that participants made, without their text: ids, roles and edges stay, so that the log can still be
//! folded.

use super::fact::blank;
use crate::Team;
use crate::redaction::REDACTED;

/// Erases what the author of a stored team wrote. The teams of the server stay, because the operator wrote them.
pub(super) fn erase_team(team: &mut Team) {
    if team.origin.is_none() {
        return;
    }
    team.title = REDACTED.into();
    team.starters.clear();
    for agent in &mut team.agents {
        agent.name = agent.id.as_str().into();
        blank(&mut agent.title);
        blank(&mut agent.prompt);
        agent.prompt_template = None;
        agent.permissions.clear();
    }
    let Some(topology) = &mut team.topology else { return };
    blank(&mut topology.description);
    for node in &mut topology.nodes {
        node.name = node.id.clone();
        node.attributes.clear();
    }
    topology.edges.iter_mut().for_each(|edge| edge.attributes.clear());
}
