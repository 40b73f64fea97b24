//! Sessions: new ones, lists, one as it stands.

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

#[derive(Debug, Serialize)]
pub(super) struct Created {
    session: SessionId,
    title: Arc<str>,
    team: Arc<str>,
    seq: u64,
}

pub(super) async fn create(
    State(node): State<Arc<Node>>,
    Signed(who): Signed,
    Body(wanted): Body<NewSession>,
) -> Result<(StatusCode, Json<Created>), Problem> {
    if who.standing == Standing::Guest {
        let words = "guests take part in sessions that they are invited to; ask for a member's token to begin one";
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

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ListParameters {
    search: Option<String>,
    before: Option<String>,
    limit: Option<u32>,
}

#[derive(Debug, Serialize)]
pub(super) struct Page {
    sessions: Vec<Entry>,
    /// What `before` has to be for the next page; absent on the last.
    next: Option<String>,
}

#[derive(Debug, Serialize)]
struct Entry {
    session: SessionId,
    title: Arc<str>,
    updated_at: Timestamp,
    head: u64,
    role: Option<Role>,
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
    // One more than asked for tells whether there is a next page.
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

/// The place in a list that an earlier page's `next` names.
fn place(text: &str) -> Result<(Timestamp, SessionId), Problem> {
    let parts = text.split_once('_');
    let place =
        parts.and_then(|(millis, session)| Some((Timestamp::from_millis(millis.parse().ok()?), session.parse().ok()?)));
    place.ok_or_else(|| unknown_place("before"))
}

/// One session as it stands, in the shape of a snapshot.
#[derive(Debug, Serialize)]
pub(super) struct Shown {
    session: SessionId,
    seq: u64,
    role: Role,
    you_can: &'static [Right],
    state: View,
}

pub(super) async fn show(
    State(node): State<Arc<Node>>,
    SessionAccess { session, role, .. }: SessionAccess,
) -> Result<Json<Shown>, Problem> {
    let state = node.orchestrators.state(session).await?;
    Ok(Json(Shown { session, seq: state.seq(), role, you_can: role.rights(), state: state.view().clone() }))
}

/// Those in the session who came by a link and named themselves, so that nobody takes them for somebody else.
#[derive(Debug, Serialize)]
pub(super) struct Guests {
    guests: Vec<ParticipantId>,
}

pub(super) async fn guests(
    State(node): State<Arc<Node>>,
    SessionAccess { session, .. }: SessionAccess,
) -> Result<Json<Guests>, Problem> {
    Ok(Json(Guests { guests: node.identities.guests(session).await? }))
}
