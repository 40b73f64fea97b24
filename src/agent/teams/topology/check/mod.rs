//! Checks a team with a topology. Each check adds all errors that it finds to one report.

mod agents;
mod attributes;
mod catalog_names;
mod cycles;
mod edges;
mod error_place;
mod ids;
mod nodes;
mod team;
mod templates;
mod texts;

pub(in crate::agent::teams) use texts::{agent_name_error, label_error};

use super::catalog::ReferenceCatalog;
use super::outline::TeamOutline;
use super::report::TopologyReport;

/// Checks a team, and adds all errors to the report. Without a catalog, providers, models and tools are not checked.
pub(super) fn check(team: &TeamOutline<'_>, catalog: Option<&ReferenceCatalog>, report: &mut TopologyReport) {
    team::check(team, report);
    nodes::check(team, report);
    agents::check(team, report);
    if let Some(catalog) = catalog {
        catalog_names::check(team, catalog, report);
    }
    // An edge with an error can cause further errors in the later checks, so they need to know about it.
    let edges = edges::check(team, report);
    templates::check(team, edges, report);
    cycles::check(team, report);
}
