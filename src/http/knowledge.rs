//! Knowledge bases over REST.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::auth::Caller;
use super::extract::{JsonBody, PathParameters, QueryParameters, id};
use super::pagination;
use crate::identity::{Participant, ServerRole};
use crate::kernel::{ParticipantId, Timestamp, is_label, is_within_chars};
use crate::knowledge::{Base, BaseChange, BaseId, BasePage, BaseReaders};
use crate::node::Node;
use crate::protocol::{Code, Problem};

/// Maximum number of characters in a base's name, and in its description.
const MAX_TEXT_CHARS: (usize, usize) = (100, 2_000);

/// Page of a list of knowledge bases.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct BasesResponse {
    /// Knowledge bases, oldest first.
    bases: Vec<BaseResponse>,
    /// Value of `after` for the next page. Absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

/// Knowledge base, as the caller sees it.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct BaseResponse {
    /// Id of the base, for example 7.
    id: BaseId,
    /// Name of the base.
    name: Arc<str>,
    /// Short description of its content.
    about: Arc<str>,
    /// Readers of the base.
    readers: BaseReadersResponse,
    /// Owner of the base.
    owner: NamedParticipant,
    /// True if the caller is the owner.
    mine: bool,
    /// Number of its documents.
    documents: u64,
    /// Total size of its documents, in bytes.
    bytes: u64,
    /// Time of its creation.
    created_at: Timestamp,
}

/// Participant with their name.
#[derive(Debug, Serialize, JsonSchema)]
struct NamedParticipant {
    /// Id of the participant.
    id: ParticipantId,
    /// Name of the participant.
    name: Arc<str>,
}

/// Readers of a base.
#[derive(Debug, Serialize, JsonSchema)]
struct BaseReadersResponse {
    /// True if every member of the server can read the base.
    members: bool,
    /// Members who can read the base. Absent if the caller cannot change the base.
    #[serde(skip_serializing_if = "Option::is_none")]
    participants: Option<Vec<NamedParticipant>>,
    /// Names of the teams whose sessions can use the base. Absent if every team can.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    teams: BTreeSet<Arc<str>>,
}

async fn base_response(node: &Node, base: Base, who: &Participant) -> Result<BaseResponse, Problem> {
    let may_change = base.may_change(who);
    let Base { id, owner, owner_name, name, about, readers, created_at, documents, bytes } = base;
    let mine = owner == who.id;
    let owner = NamedParticipant { id: owner, name: owner_name };
    let mut participants = vec![];
    for id in readers.participants.iter().filter(|_| may_change) {
        let known = node.identities.participant(*id).await?;
        participants.extend(known.map(|known| NamedParticipant { id: *id, name: known.name }));
    }
    let (members, teams) = (readers.members, readers.teams);
    let readers = BaseReadersResponse { members, participants: may_change.then_some(participants), teams };
    Ok(BaseResponse { id, name, about, readers, owner, mine, documents, bytes, created_at })
}

pub(super) async fn list(
    State(node): State<Arc<Node>>,
    Caller(who): Caller,
    QueryParameters(parameters): QueryParameters<pagination::PageParameters>,
) -> Result<Json<BasesResponse>, Problem> {
    let limit = parameters.limit(&node)?;
    let after =
        parameters.after.map(|after| after.parse().map_err(|_| pagination::unknown_position("after"))).transpose()?;
    let all = who.server_role == ServerRole::Admin;
    let page = BasePage { reader: who.id, named: who.server_role != ServerRole::Guest, all, after, limit: limit + 1 };
    let mut bases = node.knowledge.store().bases(&page).await?;
    let next = pagination::truncate_page(&mut bases, limit).map(|last| last.id.to_string());
    let mut listed = vec![];
    for base in bases {
        listed.push(base_response(&node, base, &who).await?);
    }
    Ok(Json(BasesResponse { bases: listed, next }))
}

/// Body of a request to create a knowledge base.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct BaseRequest {
    /// Name of the base, 1 to 100 characters in one line.
    name: Arc<str>,
    /// Short description of its content, at most 2000 characters. Default empty.
    #[serde(default)]
    about: Arc<str>,
    /// Readers in addition to the owner. Default none.
    #[serde(default)]
    readers: BaseReaders,
}

pub(super) async fn create(
    State(node): State<Arc<Node>>,
    Caller(who): Caller,
    JsonBody(request): JsonBody<BaseRequest>,
) -> Result<(StatusCode, Json<BaseResponse>), Problem> {
    if who.server_role == ServerRole::Guest {
        let message = "guests cannot create knowledge bases; ask an administrator for a member's token";
        return Err(Problem::new(Code::Forbidden, message));
    }
    check_rate(&node, &who).await?;
    let BaseRequest { name, about, readers } = request;
    check(Some(&name), Some(&about))?;
    check_readers(&node, &readers).await?;
    let (store, max_bases) = (node.knowledge.store(), node.knowledge.settings().max_bases_per_participant);
    let Some(id) = store.add_base(who.id, name.trim(), &about, &readers, max_bases).await? else {
        let message = format!("you have {max_bases} knowledge bases, the maximum; remove one first");
        return Err(Problem::new(Code::KnowledgeFull, message));
    };
    let made = base_response(&node, node.knowledge.readable(&who, id).await?, &who).await?;
    Ok((StatusCode::CREATED, Json(made)))
}

pub(super) async fn show(
    State(node): State<Arc<Node>>,
    Caller(who): Caller,
    PathParameters(base): PathParameters<String>,
) -> Result<Json<BaseResponse>, Problem> {
    Ok(Json(base_response(&node, readable(&node, &who, &base).await?, &who).await?))
}

pub(super) async fn change(
    State(node): State<Arc<Node>>,
    Caller(who): Caller,
    PathParameters(base): PathParameters<String>,
    JsonBody(change): JsonBody<BaseChange>,
) -> Result<Json<BaseResponse>, Problem> {
    let base = changeable(&node, &who, &base).await?.id;
    check(change.name.as_deref(), change.about.as_deref())?;
    check_readers(&node, change.readers.as_ref().unwrap_or(&BaseReaders::default())).await?;
    let change = BaseChange { name: change.name.map(|name| name.trim().into()), ..change };
    node.knowledge.store().change_base(base, &change).await?;
    Ok(Json(base_response(&node, node.knowledge.readable(&who, base).await?, &who).await?))
}

pub(super) async fn remove(
    State(node): State<Arc<Node>>,
    Caller(who): Caller,
    PathParameters(base): PathParameters<String>,
) -> Result<StatusCode, Problem> {
    let base = changeable(&node, &who, &base).await?.id;
    node.knowledge.store().remove_base(base).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Returns the base in a path, if the caller can read it.
pub(super) async fn readable(node: &Node, who: &Participant, base: &str) -> Result<Base, Problem> {
    node.knowledge.readable(who, id(base)?).await
}

/// Counts a change toward the caller's rate limit, then returns the base in a path if the caller can change it.
pub(super) async fn changeable(node: &Node, who: &Participant, base: &str) -> Result<Base, Problem> {
    check_rate(node, who).await?;
    let base = readable(node, who, base).await?;
    if base.may_change(who) {
        return Ok(base);
    }
    let message = format!("only {}, the owner of this knowledge base, can change it; create your own", base.owner_name);
    Err(Problem::new(Code::Forbidden, message))
}

/// Counts an operation on knowledge bases toward the `join` rate limit.
pub(super) async fn check_rate(node: &Node, who: &Participant) -> Result<(), Problem> {
    node.dispatcher.limits.join(who)?;
    node.dispatcher.limits.join_everywhere(who).await
}

/// Checks the number of readers, and that they are members and teams of the server. A guest counts as an unknown
/// participant.
async fn check_readers(node: &Node, readers: &BaseReaders) -> Result<(), Problem> {
    let max_participants = BaseReaders::MAX_PARTICIPANTS;
    if readers.participants.len() > max_participants {
        return Err(Problem::new(
            Code::InvalidArgument,
            format!("readers has too many participants; name at most {max_participants}"),
        ));
    }
    if readers.teams.len() > BaseReaders::MAX_TEAMS {
        let message = format!("readers has too many teams; name at most {}", BaseReaders::MAX_TEAMS);
        return Err(Problem::new(Code::InvalidArgument, message));
    }
    if let Some(unknown) = readers.teams.iter().find(|team| !node.teams.iter().any(|known| known.name == **team)) {
        let message = format!("there is no team {unknown:?}; GET /api/v1/server lists them");
        return Err(Problem::new(Code::UnknownTeam, message));
    }
    for id in &readers.participants {
        let known = node.identities.participant(*id).await?;
        if known.is_none_or(|known| known.server_role == ServerRole::Guest) {
            return Err(Problem::new(
                Code::UnknownParticipant,
                format!("the server has no member with the id {id}; check it"),
            ));
        }
    }
    Ok(())
}

fn check(name: Option<&str>, about: Option<&str>) -> Result<(), Problem> {
    let refused = |message: String| Err(Problem::new(Code::InvalidArgument, message));
    if name.is_some_and(|name| !is_label(name, MAX_TEXT_CHARS.0)) {
        let message = "without line breaks or invisible characters";
        return refused(format!("name must have 1 to {} characters {message}", MAX_TEXT_CHARS.0));
    }
    // Not all invisible characters are rejected, because joiners belong to some scripts and to emoji.
    let misleads = |c: char| matches!(c, '\0' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    if about.is_some_and(|about| !is_within_chars(about, MAX_TEXT_CHARS.1) || about.contains(misleads)) {
        let message = "without NUL and without characters that change the direction of the text";
        return refused(format!("about must have at most {} characters, {message}", MAX_TEXT_CHARS.1));
    }
    Ok(())
}
