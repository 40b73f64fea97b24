//! Links that let others into a session: made, listed, removed.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};

use super::extract::{Body, Path};
use super::session_access::SessionAccess;
use crate::audit::{AuditAction, NewAuditEntry};
use crate::identity::{Invitation, NewInvitation, Secret};
use crate::kernel::{ParticipantId, Rejection, Right, Role, Timestamp};
use crate::node::Node;
use crate::protocol::{Code, Problem};

/// Invitations to one session that are open at once, at most.
const OPEN: usize = 100;
/// Uses that an invitation can be given, at most.
const MAX_USES: u32 = 1000;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NewInvite {
    role: Role,
    expires_in_seconds: Option<u64>,
    /// How many may come in by it. Absent: one with a role that decides, else as many as like to.
    uses: Option<u32>,
    /// Whether it only lets its bearer ask to come in.
    #[serde(default)]
    knock: bool,
}

#[derive(Debug, Serialize)]
pub(super) struct InviteLink {
    id: String,
    link: String,
    expires_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    uses: Option<u32>,
    knock: bool,
}

pub(super) async fn create(
    State(node): State<Arc<Node>>,
    SessionAccess { who, session, role: own }: SessionAccess,
    Body(body): Body<NewInvite>,
) -> Result<(StatusCode, Json<InviteLink>), Problem> {
    if !may_invite(own, body.role) {
        let message = format!("as {} you cannot invite somebody as {}", own.as_str(), body.role.as_str());
        return Err(Rejection::Forbidden { right: Right::Invite, message: message.into() }.into());
    }
    let seconds = body.expires_in_seconds.unwrap_or(node.config.identity.invite_hours * 60 * 60);
    if !(60..=365 * 24 * 60 * 60).contains(&seconds) {
        return Err(Problem::new(Code::InvalidArgument, "expires_in_seconds is from 60 to a year"));
    }
    if body.uses.is_some_and(|uses| !(1..=MAX_USES).contains(&uses)) {
        return Err(Problem::new(Code::InvalidArgument, format!("uses is from 1 to {MAX_USES}")));
    }
    // Whoever passes a link on passes a vote on; behind a knock an owner looks at each.
    let uses = body.uses.or((body.role.may(Right::Approve) && !body.knock).then_some(1));
    if node.identities.invitations(session).await?.len() >= OPEN {
        let words = format!("the session has {OPEN} open invitations, as many as it may; delete one first");
        return Err(Problem::new(Code::SessionFull, words));
    }
    let secret = Secret::random("invite");
    let (hash, lasts) = (secret.hash(), Duration::from_secs(seconds));
    let invitation = NewInvitation { hash, session, role: body.role, by: who.id, lasts, uses, knock: body.knock };
    let expires_at = node.identities.add_invitation(&invitation).await?;
    let entry = NewAuditEntry::new(AuditAction::LinkCreated).by(&who).session(session).subject(hash.id());
    let entry = entry.detail("role", body.role.as_str()).detail("uses", uses).detail("knock", body.knock);
    node.audit.record(entry);
    // Behind the # it reaches no server's and no proxy's log.
    let link = format!("{}/invite#{}", node.hosts.public_url(), secret.reveal());
    Ok((StatusCode::CREATED, Json(InviteLink { id: hash.id(), link, expires_at, uses, knock: body.knock })))
}

/// Nobody hands out what they do not have.
pub(super) fn may_invite(own: Role, role: Role) -> bool {
    own.may(Right::Invite) && own.covers(role)
}

#[derive(Debug, Serialize)]
pub(super) struct Invites {
    invites: Vec<Invite>,
}

/// An open invitation, without its secret, which is shown once.
#[derive(Debug, Serialize)]
struct Invite {
    id: String,
    role: Role,
    by: ParticipantId,
    expires_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    uses_left: Option<u64>,
    knock: bool,
}

/// The open invitations: all for those who manage the session, one's own for the others who may invite.
pub(super) async fn list(State(node): State<Arc<Node>>, access: SessionAccess) -> Result<Json<Invites>, Problem> {
    let invites = theirs(&node, &access).await?.into_iter().map(|invitation| {
        let Invitation { hash, role, by, expires_at, uses_left, knock, .. } = invitation;
        Invite { id: hash.id(), role, by, expires_at, uses_left, knock }
    });
    Ok(Json(Invites { invites: invites.collect() }))
}

/// Delete an invitation: its link opens nothing any more.
pub(super) async fn remove(
    State(node): State<Arc<Node>>,
    access: SessionAccess,
    Path((_, invite)): Path<(String, String)>,
) -> Result<StatusCode, Problem> {
    let mut all = theirs(&node, &access).await?.into_iter();
    let found = all.find(|invitation| invitation.hash.id() == invite);
    let words = "there is no such invitation, or it is not yours";
    let found = found.ok_or_else(|| Problem::new(Code::NotFound, words))?;
    node.identities.remove_invitation(found.hash).await?;
    let entry = NewAuditEntry::new(AuditAction::LinkRemoved).by(&access.who).session(access.session);
    node.audit.record(entry.subject(found.hash.id()));
    Ok(StatusCode::NO_CONTENT)
}

/// Delete every open invitation that the caller may: an owner closes the session's with it, when somebody was removed who
/// may know one.
pub(super) async fn remove_all(State(node): State<Arc<Node>>, access: SessionAccess) -> Result<StatusCode, Problem> {
    for invitation in theirs(&node, &access).await? {
        node.identities.remove_invitation(invitation.hash).await?;
        let entry = NewAuditEntry::new(AuditAction::LinkRemoved).by(&access.who).session(access.session);
        node.audit.record(entry.subject(invitation.hash.id()));
    }
    Ok(StatusCode::NO_CONTENT)
}

async fn theirs(node: &Node, access: &SessionAccess) -> Result<Vec<Invitation>, Problem> {
    let SessionAccess { who, session, role: own } = access;
    if !own.may(Right::Invite) {
        let message = format!("as {} you have no invitations here", own.as_str());
        return Err(Rejection::Forbidden { right: Right::Invite, message: message.into() }.into());
    }
    let mut invitations = node.identities.invitations(*session).await?;
    invitations.retain(|invitation| invitation.by == who.id || own.may(Right::Manage));
    Ok(invitations)
}
