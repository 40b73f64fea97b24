//! Lookup of the execution in a path, if the caller can see its session.

use std::sync::Arc;
use std::time::Duration;

use axum::http::HeaderMap;

use crate::agent::teams::{ExecutionId, ExecutionListing, ExecutionStatus};
use crate::feed::ViewerEnd;
use crate::http::last_event_id;
use crate::identity::{Participant, RevocationGuard};
use crate::kernel::{Event, State, first_chars};
use crate::node::Node;
use crate::protocol::{Code, Problem};
use crate::store;

use super::projection::ExecutionProjection;

/// Returns the error for an execution that does not exist for the caller.
pub(super) fn unknown(id: &str) -> Problem {
    Problem::new(Code::UnknownExecution, format!("Execution with ID '{}' not found", first_chars(id, 64)))
}

/// Returns the execution with this id.
///
/// # Errors
/// `unknown_execution` if there is none that the participant can see.
pub(super) async fn execution(node: &Node, who: &Participant, id: &str) -> Result<ExecutionListing, Problem> {
    let known: ExecutionId = id.parse().map_err(|_| unknown(id))?;
    let listing = node.executions.execution(known).await?.ok_or_else(|| unknown(id))?;
    let allowed = node.access.role(who, known.session()).await;
    allowed.map_err(|problem| if problem.code() == Code::UnknownSession { unknown(id) } else { problem })?;
    Ok(listing)
}

/// Returns the projection of an execution before its first event, and the state of its session.
pub(super) async fn projection(
    node: &Node,
    listing: &ExecutionListing,
) -> Result<(ExecutionProjection, Arc<State>), Problem> {
    let state = node.session_registry.state(listing.id.session()).await?;
    let heartbeat_interval = Duration::from_secs(node.config.teams.heartbeat_seconds);
    let team = state.view().team.clone();
    Ok((ExecutionProjection::new(listing.team, listing.id, team, heartbeat_interval), state))
}

/// Returns the error for a caller who waits for a run that this server can no longer show: the caller was removed from
/// the session, the database does not respond, the caller's credential has ended, or the server is stopping.
pub(super) fn wait_ended_problem(
    end: Option<ViewerEnd>,
    held: &RevocationGuard,
    message: impl Into<Arc<str>>,
) -> Problem {
    match end {
        Some(ViewerEnd::Removed(_)) => Problem::new(
            Code::NotAMember,
            "you are no longer in the session of the execution; ask an owner to invite you",
        ),
        Some(ViewerEnd::Store(error)) => error.into(),
        None if held.is_revoked() => {
            Problem::new(Code::Unauthenticated, "the token or sign-in has ended; sign in again, or get a new token")
        }
        None => Problem::new(Code::ShuttingDown, message),
    }
}

/// Returns the `Last-Event-ID` of a request: the position in the log of the last event that the caller has. Returns 0
/// if the request has no such header.
///
/// # Errors
/// `invalid_argument` if the log has no such position.
pub(super) async fn position(node: &Node, id: ExecutionId, headers: &HeaderMap) -> Result<u64, Problem> {
    let Some(known) = last_event_id(headers)? else { return Ok(0) };
    let head = node.events.head(id.session()).await?;
    if known > head {
        let message = format!(
            "the log of the execution ends at {head}, before this Last-Event-ID; send the id of an event of this execution, \
             or leave the header out for all events"
        );
        return Err(Problem::new(Code::InvalidArgument, message));
    }
    Ok(known)
}

/// Returns whether an execution is over and its last event is one that the caller already has. The caller has the log
/// up to `known`.
pub(super) async fn has_end(node: &Node, listing: &ExecutionListing, known: u64) -> Result<bool, Problem> {
    if known == 0 || listing.status == ExecutionStatus::Running {
        return Ok(false);
    }
    // The first run of the session is the execution.
    let mut end = None;
    read_events(node, listing.id, |event| {
        end = ExecutionStatus::after(&event.fact).map(|_| event.seq);
        end.is_none()
    })
    .await?;
    Ok(end.is_some_and(|end| known >= end))
}

/// Passes the events of the session to `take` in order, until it returns false or the log ends.
pub(super) async fn read_events(
    node: &Node,
    id: ExecutionId,
    mut take: impl FnMut(&Event) -> bool,
) -> Result<(), Problem> {
    let mut seq = 0;
    loop {
        let page = store::page(&*node.events, id.session(), seq).await?;
        let Some(last) = page.last() else { return Ok(()) };
        seq = last.event.seq;
        if !page.iter().all(|recorded| take(&recorded.event)) {
            return Ok(());
        }
    }
}
