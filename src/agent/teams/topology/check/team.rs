//! Checks the fields of the team as a whole.

use super::error_place::ErrorPlace;
use super::texts::{check_label, check_nul, check_range};
use crate::agent::teams::topology::limits;
use crate::agent::teams::topology::outline::TeamOutline;
use crate::agent::teams::topology::report::{TopologyErrorCode, TopologyReport};
use crate::agent::teams::{builtin_teams, starters};
use crate::kernel::is_within_chars;
use crate::kernel::topology::Topology;

pub(super) fn check(team: &TeamOutline<'_>, report: &mut TopologyReport) {
    let at = ErrorPlace::Team;
    check_label(report, &at, ("team_name", "name"), team.name, limits::MAX_TEAM_NAME_CHARS);
    if let Some(description) = team.description {
        if is_within_chars(description, limits::MAX_DESCRIPTION_CHARS) {
            check_nul(report, &at, ("description", "description"), description);
        } else {
            let message =
                format!("the description is too long; use at most {} characters", limits::MAX_DESCRIPTION_CHARS);
            report.fault(&at, "description", TopologyErrorCode::TooLong, message);
        }
    }
    if let Some(slug) = team.slug {
        check_slug(report, &at, slug);
    }
    if let Err((code, message)) = starters::check_starters(&team.starters) {
        report.fault(&at, "starters", code, message);
    }
    let range = (1.0, f64::from(Topology::MAX_TIMEOUT_SECONDS));
    check_range(report, &at, ("timeout_seconds", "timeout in seconds"), team.timeout_seconds, range);
    let range = (1.0, f64::from(Topology::MAX_ITERATIONS));
    check_range(report, &at, ("max_iterations", "maximum number of iterations"), team.max_iterations, range);
}

fn check_slug(report: &mut TopologyReport, at: &ErrorPlace<'_>, slug: &str) {
    let (code, message) = if !starters::is_team_name(slug) {
        let code = if slug.is_empty() { TopologyErrorCode::Empty } else { TopologyErrorCode::InvalidId };
        (code, format!("the slug is invalid; use 1 to {} letters, digits, _, - or .", limits::MAX_SLUG_CHARS))
    } else if let Some(other) = builtin_teams::similar_to(slug) {
        let message =
            format!("the slug is, or looks like, the name of the built-in team {}; choose another", other.name);
        (TopologyErrorCode::ReservedId, message)
    } else {
        return;
    };
    report.fault(at, "slug", code, message);
}
