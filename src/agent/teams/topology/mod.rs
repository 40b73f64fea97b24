//! Teams created from a topology: the document over REST, its checks, and its conversion to and from the kernel's team.

mod catalog;
mod check;
mod document;
mod from_team;
mod limits;
mod outline;
mod outline_of_team;
mod outline_of_valid;
mod partial_document;
mod placement;
mod report;
mod schema;
mod slug;
mod summary;
mod to_team;
mod whole_number;
use serde::Deserialize;
use serde_json::Value;

pub use catalog::{ModelCatalog, ReferenceCatalog};
pub(super) use check::{agent_name_error, label_error};
pub use document::{
    AgentDocument, EdgeDocument, GlobalSupervisorDocument, NodeDocument, NodeSupervisorDocument, SupervisorOptions,
    TeamDocument, TopologyDocument,
};
pub(super) use limits::MAX_TEAM_NAME_CHARS;
pub use report::{TopologyError, TopologyErrorCode, TopologyReport};
pub use schema::document_schema;
pub(super) use schema::inline_enum_values;
pub use summary::{TeamReferences, TopologySummary};
pub use to_team::FLOW;
pub(crate) use whole_number::read_optional_whole;

use super::team_file;
use crate::kernel::{Team, strict_types};
use outline::TeamOutline;
use placement::Placement;

/// Reads and checks a document. Returns `None` if it has any errors. [`read_document`] reports all errors, but takes
/// several times as long.
pub fn read_valid_document(json: &str, catalog: &ReferenceCatalog) -> Option<TeamDocument> {
    let document: TeamDocument = strict_types::parse(json)?;
    if !document.is_bounded() {
        return None;
    }
    let mut report = TopologyReport::default();
    check::check(&TeamOutline::of_valid(&document), Some(catalog), &mut report);
    report.is_empty().then_some(document)
}

/// Reads and checks a document.
///
/// # Errors
/// Fails with a report of all errors, listing the first 100.
pub fn read_document(value: &Value, catalog: &ReferenceCatalog) -> Result<TeamDocument, TopologyReport> {
    let mut report = TopologyReport::default();
    schema::check(value, &mut report);
    check::check(&TeamOutline::of_document(value), Some(catalog), &mut report);
    if !report.is_empty() {
        return Err(report);
    }
    TeamDocument::deserialize(value).map_err(|error| {
        TopologyReport::of_lines(TopologyErrorCode::InvalidType, [crate::kernel::schema::json_error::plain(&error)])
    })
}

/// Reads a team file in TOML as a document, and checks it.
///
/// # Errors
/// Fails with a report of all errors, listing the first 100. If the text is not TOML, this is the only error.
pub fn read_team_file(text: &str, catalog: &ReferenceCatalog) -> Result<TeamDocument, TopologyReport> {
    let file = team_file::read_without_topology_check(text)
        .map_err(|errors| TopologyReport::of_errors(TopologyErrorCode::InvalidTeamFile, errors))?;
    let mut report = TopologyReport::of_errors(TopologyErrorCode::InvalidTeamFile, file.errors);
    let document = file.team.as_ref().and_then(|team| {
        let placed = TeamDocument::from_team(team, catalog);
        report.add_misplaced(placed.as_ref().err().map_or(&[], Vec::as_slice));
        placed.ok()
    });
    if file.team.is_none() {
        report.add_misplaced(&placement::misplaced_in_file(&file.value));
    }
    let value = document.map(|document| serde_json::to_value(document).expect("a document serializes"));
    if report.is_empty()
        && let Some(value) = &value
    {
        return read_document(value, catalog);
    }
    // The checks report errors in the topology, with pointers into the document of the team.
    let mut value = value.unwrap_or_else(|| partial_document::partial_document(&file.value, catalog));
    if file.team.is_some() {
        partial_document::remove_checked(&mut value);
    }
    check::check(&TeamOutline::of_document(&value), Some(catalog), &mut report);
    Err(report)
}

/// Returns the team as a team file in TOML.
///
/// # Errors
/// Fails if TOML cannot express the team, which the checks of a document rule out.
pub fn write_team_file(document: &TeamDocument) -> Result<String, String> {
    let team = document.to_team().map_err(|error| error.to_string())?;
    toml::to_string(&team).map_err(|error| error.to_string())
}

/// Returns the errors in the topology of a team file, worded for its author. Models and tools are not checked.
pub(super) fn check_team(team: &Team) -> Vec<String> {
    let Some(topology) = &team.topology else {
        return vec![format!("flow {FLOW} requires a topology; add [topology]")];
    };
    let placement = Placement::new(team, topology);
    let mut report = TopologyReport::default();
    check::check(&TeamOutline::of_team(team, topology, &placement), None, &mut report);
    let errors = report.errors().iter().map(|error| error.message.clone());
    placement.errors.iter().map(|error| error.message.clone()).chain(errors).collect()
}

#[cfg(test)]
mod mistakes_tests;
#[cfg(test)]
mod team_file_tests;
#[cfg(test)]
#[path = "topology_tests.rs"]
mod tests;
#[cfg(test)]
mod valid_document_tests;
