//! Sessions: creation, list, current state.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::auth::Signed;
use super::extract::{Body, Parameters};
use super::page::{last_before_more, unknown_place};
use super::session_access::SessionAccess;
use crate::doors::NewSession;
use crate::identity::Standing;
use crate::kernel::{ParticipantId, Right, Role, SessionId, Timestamp, View};
use crate::node::Node;
use crate::protocol::{Code, Problem};
use crate::store::{ListQuery, Listed};

/// Created session.
#[derive(Debug, Serialize)]
pub(super) struct Created {
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
    Signed(who): Signed,
    Body(wanted): Body<NewSession>,
) -> Result<(StatusCode, Json<Created>), Problem> {
    if who.standing == Standing::Guest {
        let words = "guests cannot create sessions; ask an administrator for a member's token";
        return Err(Problem::new(Code::Forbidden, words));
    }
    let begun = node.begin(&who, &wanted).await?;
    let seq = match wanted.message.filter(|text| !text.trim().is_empty()) {
        Some(text) => node.first_words(&who, begun.session, text, vec![]).await?,
        None => begun.seq,
    };
    let created = Created { session: begun.session, title: begun.title, team: begun.team, seq };
    Ok((StatusCode::CREATED, Json(created)))
}

/// Query of a list of sessions.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ListParameters {
    /// Text to search for. If absent, all sessions.
    search: Option<String>,
    /// `next` of the previous page. If absent, the first page.
    before: Option<String>,
    /// Maximum number of sessions. Default `http.page`, at most `http.page_at_most`.
    limit: Option<u32>,
}

/// Page of a list of sessions.
#[derive(Debug, Serialize)]
pub(super) struct Page {
    /// Sessions, most recently changed first.
    sessions: Vec<Entry>,
    /// Value of `before` for the next page. Absent on the last page.
    next: Option<String>,
}

/// Session in a list.
#[derive(Debug, Serialize)]
struct Entry {
    /// Id of the session.
    session: SessionId,
    /// Title of the session.
    title: Arc<str>,
    /// Time of its last event.
    updated_at: Timestamp,
    /// Seq of its last event.
    head: u64,
    /// Role of the caller in the session. Absent for an administrator who is not in it.
    role: Option<Role>,
    /// Summary of its state for lists.
    summary: Box<RawValue>,
}

pub(super) async fn list(
    State(node): State<Arc<Node>>,
    Signed(who): Signed,
    Parameters(asked): Parameters<ListParameters>,
) -> Result<Json<Page>, Problem> {
    let limit = node.page(asked.limit)?;
    let everybody = who.standing == Standing::Admin;
    let before = asked.before.as_deref().map(place).transpose()?;
    let search = asked.search.filter(|text| !text.trim().is_empty());
    // One more than requested shows whether there is a next page.
    let query = ListQuery { asker: who.id, everybody, search, before, limit: limit + 1 };
    let mut listed = node.events.list(query).await?;
    let next = last_before_more(&mut listed, limit)
        .map(|last| format!("{}_{}", last.listing.updated_at.millis(), last.session));
    Ok(Json(Page { sessions: listed.into_iter().map(entry).collect(), next }))
}

fn entry(listed: Listed) -> Entry {
    let Listed { session, head, role, listing } = listed;
    let summary = RawValue::from_string(listing.summary.to_string()).unwrap_or_else(|_| RawValue::NULL.to_owned());
    Entry { session, title: listing.title, updated_at: listing.updated_at, head, role, summary }
}

/// Parses the position in a list from the `next` of an earlier page.
fn place(text: &str) -> Result<(Timestamp, SessionId), Problem> {
    let parts = text.split_once('_');
    let place =
        parts.and_then(|(millis, session)| Some((Timestamp::from_millis(millis.parse().ok()?), session.parse().ok()?)));
    place.ok_or_else(|| unknown_place("before"))
}

/// Current state of a session, in the form of a snapshot.
#[derive(Debug, Serialize)]
pub(super) struct Shown {
    /// Id of the session.
    session: SessionId,
    /// Seq of the last event that the state includes.
    seq: u64,
    /// Role of the caller.
    role: Role,
    /// Rights of the caller, for example `["watch","say"]`.
    you_can: &'static [Right],
    /// State at that seq.
    state: View,
}

pub(super) async fn show(
    State(node): State<Arc<Node>>,
    SessionAccess { session, role, .. }: SessionAccess,
) -> Result<Json<Shown>, Problem> {
    let state = node.orchestrators.state(session).await?;
    Ok(Json(Shown { session, seq: state.seq(), role, you_can: role.rights(), state: state.view().clone() }))
}

/// Guests of a session, who joined by a link and chose their own name. Clients mark them, because a guest's name can be
/// somebody else's.
#[derive(Debug, Serialize)]
pub(super) struct Guests {
    /// Ids of the guests.
    guests: Vec<ParticipantId>,
}

pub(super) async fn guests(
    State(node): State<Arc<Node>>,
    SessionAccess { session, .. }: SessionAccess,
) -> Result<Json<Guests>, Problem> {
    Ok(Json(Guests { guests: node.identities.guests(session).await? }))
}
