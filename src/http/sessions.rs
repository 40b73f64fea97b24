//! Sessions: creation, list, current state.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use parking_lot::Mutex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::auth::Caller;
use super::extract::{JsonBody, QueryParameters};
use super::pagination::{truncate_page, unknown_position};
use super::session_access::SessionAccess;
use crate::identity::ServerRole;
use crate::kernel::{ParticipantId, Right, Role, SessionId, Timestamp, View, is_blank};
use crate::node::NewSession;
use crate::node::Node;
use crate::orchestrator::SessionSummary;
use crate::protocol::{Code, Problem};
use crate::store::{SessionListing, SessionQuery};
use crate::telemetry::LogThrottle;

/// Created session.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct SessionCreatedResponse {
    /// Id of the session.
    session: SessionId,
    /// Title of the session.
    title: Arc<str>,
    /// Name of the team, for example `testcase-en`.
    team: Arc<str>,
    /// Seq of the last event that the request caused.
    seq: u64,
}

pub(super) async fn create(
    State(node): State<Arc<Node>>,
    Caller(who): Caller,
    JsonBody(request): JsonBody<NewSession>,
) -> Result<(StatusCode, Json<SessionCreatedResponse>), Problem> {
    if who.server_role == ServerRole::Guest {
        let reason = "guests cannot create sessions; ask an administrator for a member's token";
        return Err(Problem::new(Code::Forbidden, reason));
    }
    let started = node.begin(&who, &request).await?;
    let seq = match request.message.filter(|text| !is_blank(text)) {
        Some(text) => node.post_first_message(&who, started.session, text, vec![]).await?,
        None => started.seq,
    };
    let created = SessionCreatedResponse { session: started.session, title: started.title, team: started.team, seq };
    Ok((StatusCode::CREATED, Json(created)))
}

/// Query of a list of sessions.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SessionListParameters {
    /// Text to search for. If absent, all sessions.
    search: Option<String>,
    /// `next` of the previous page. If absent, the first page.
    before: Option<String>,
    /// Maximum number of sessions. Default `http.default_page_size`, at most `http.max_page_size`.
    limit: Option<u32>,
}

/// Page of a list of sessions.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct SessionsResponse {
    /// Sessions, most recently changed first. For a token that is limited to certain sessions or teams, the page leaves
    /// the others out, so it can be empty although there is a next page.
    sessions: Vec<SessionRow>,
    /// Value of `before` for the next page. Null on the last page.
    next: Option<String>,
}

/// Session in a list.
#[derive(Debug, Serialize, JsonSchema)]
struct SessionRow {
    /// Id of the session.
    session: SessionId,
    /// Title of the session.
    title: Arc<str>,
    /// Time of its last event.
    updated_at: Timestamp,
    /// Seq of its last event.
    head: u64,
    /// Role of the caller in the session. Null if the caller is not in it, for example as an administrator.
    role: Option<Role>,
    /// Summary of the session's state, for lists.
    #[schemars(with = "SessionSummary")]
    summary: Box<RawValue>,
}

pub(super) async fn list(
    State(node): State<Arc<Node>>,
    Caller(who): Caller,
    QueryParameters(parameters): QueryParameters<SessionListParameters>,
) -> Result<Json<SessionsResponse>, Problem> {
    let limit = node.page(parameters.limit)?;
    let everybody = who.granted_role().is_some();
    let before = parameters.before.as_deref().map(parse_position).transpose()?;
    let search = parameters.search.filter(|text| !is_blank(text));
    // One more than requested shows whether there is a next page.
    let query = SessionQuery { asker: who.id, everybody, search, before, limit: limit + 1 };
    let mut listed = node.events.list(query).await?;
    let next =
        truncate_page(&mut listed, limit).map(|last| format!("{}_{}", last.listing.updated_at.millis(), last.session));
    let mut sessions = Vec::with_capacity(listed.len());
    for one in listed {
        if node.access.is_in_scope(&who, one.session).await? {
            let role = if one.role.is_some() { who.role(one.role) } else { None };
            sessions.push(session_row(SessionListing { role, ..one }));
        }
    }
    Ok(Json(SessionsResponse { sessions, next }))
}

fn session_row(listed: SessionListing) -> SessionRow {
    let SessionListing { session, head, role, listing } = listed;
    let summary = RawValue::from_string(listing.summary.to_string()).unwrap_or_else(|error| {
        // The damage does not affect the other sessions in the list. The log line is throttled, because clients request
        // the list repeatedly.
        static DAMAGE: Mutex<LogThrottle> = Mutex::new(LogThrottle::new());
        if DAMAGE.lock().again() {
            tracing::error!(%error, %session, "the summary of a session is damaged");
        }
        RawValue::NULL.to_owned()
    });
    SessionRow { session, title: listing.title, updated_at: listing.updated_at, head, role, summary }
}

/// Parses the position in a list from the `next` of an earlier page.
fn parse_position(text: &str) -> Result<(Timestamp, SessionId), Problem> {
    let parts = text.split_once('_');
    let place = parts.and_then(|(ms, session)| Some((Timestamp::from_millis(ms.parse().ok()?), session.parse().ok()?)));
    place.ok_or_else(|| unknown_position("before"))
}

/// Current state of a session, in the form of a snapshot.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct SessionResponse {
    /// Id of the session.
    session: SessionId,
    /// Seq of the last event that the state includes.
    seq: u64,
    /// Role of the caller.
    role: Role,
    /// Rights of the caller, for example `["watch","say"]`.
    you_can: Vec<Right>,
    /// Rights that the caller must ask the owners for: a command that needs one opens a gate. Absent if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    you_can_ask: Vec<Right>,
    /// State at that seq.
    state: View,
}

pub(super) async fn show(
    State(node): State<Arc<Node>>,
    SessionAccess { session, role, .. }: SessionAccess,
) -> Result<Json<SessionResponse>, Problem> {
    let state = node.session_registry.state(session).await?;
    let settings = &state.view().settings;
    let (you_can, you_can_ask) = (settings.rights_of(role), settings.rights_to_ask_for(role));
    Ok(Json(SessionResponse { session, seq: state.seq(), role, you_can, you_can_ask, state: state.view().clone() }))
}

/// Guests of a session, who joined through a link and chose their own name. Clients mark them, because a guest can
/// choose somebody else's name.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct GuestsResponse {
    /// Ids of the guests.
    guests: Vec<ParticipantId>,
}

pub(super) async fn guests(
    State(node): State<Arc<Node>>,
    SessionAccess { session, .. }: SessionAccess,
) -> Result<Json<GuestsResponse>, Problem> {
    Ok(Json(GuestsResponse { guests: node.identities.guests(session).await? }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Listing;
    use crate::telemetry::captured_log::CapturedLog;

    #[test]
    fn a_damaged_summary_is_logged_once_and_not_for_each_list() {
        let lines = CapturedLog::json();
        for _ in 0..3 {
            let listing = Listing {
                title: "T".into(),
                updated_at: Timestamp::default(),
                unfinished: false,
                waiting: false,
                summary: "{".into(),
                run_by: None,
                retention_days: None,
                team: None,
            };
            let listed = SessionListing { session: SessionId(uuid::Uuid::from_u128(7)), head: 1, role: None, listing };
            assert_eq!(session_row(listed).summary.get(), "null");
        }
        assert_eq!(lines.count("the summary of a session is damaged"), 1, "{}", lines.text());
    }
}
