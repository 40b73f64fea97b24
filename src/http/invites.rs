//! Links that let others into a session.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use serde::{Deserialize, Serialize};

use super::extract::{Body, Path};
use super::proxies::ClientAddress;
use super::session_access::SessionAccess;
use super::sign_in::{Me, signed_in};
use crate::audit::{AuditAction, NewAuditEntry};
use crate::identity::{Invitation, NewInvitation, Participant, Secret, SecretHash, Standing, check_name, enrol};
use crate::kernel::{ActorKind, Command, ParticipantId, Rejection, Right, Role, SessionId, Timestamp, View};
use crate::node::Node;
use crate::protocol::{Code, Problem};

/// Invitations to one session that are open at once, at most.
const OPEN: usize = 100;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NewInvite {
    role: Role,
    expires_in_seconds: Option<u64>,
}

#[derive(Debug, Serialize)]
pub(super) struct InviteLink {
    link: String,
    expires_at: Timestamp,
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
    if node.identities.invitations(session).await?.len() >= OPEN {
        let words = format!("the session has {OPEN} open invitations, as many as it may; delete one first");
        return Err(Problem::new(Code::SessionFull, words));
    }
    let secret = Secret::random("invite");
    let (hash, lasts) = (secret.hash(), Duration::from_secs(seconds));
    let invitation = NewInvitation { hash, session, role: body.role, by: who.id, lasts };
    let expires_at = node.identities.add_invitation(&invitation).await?;
    let entry = NewAuditEntry::new(AuditAction::LinkCreated).by(&who).session(session).subject(hash.id());
    node.audit.record(entry.detail("role", body.role.as_str()));
    // Behind the # it reaches no server's and no proxy's log.
    let link = format!("{}/invite#{}", node.hosts.public_url(), secret.reveal());
    Ok((StatusCode::CREATED, Json(InviteLink { link, expires_at })))
}

/// Nobody hands out what they do not have.
fn may_invite(own: Role, role: Role) -> bool {
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
}

/// The open invitations: all for those who manage the session, one's own for the others who may invite.
pub(super) async fn list(State(node): State<Arc<Node>>, access: SessionAccess) -> Result<Json<Invites>, Problem> {
    let invites = theirs(&node, &access).await?.into_iter().map(|invitation| {
        let Invitation { hash, role, by, expires_at, .. } = invitation;
        Invite { id: hash.id(), role, by, expires_at }
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

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Shown {
    secret: String,
}

#[derive(Debug, Serialize)]
pub(super) struct Preview {
    session: SessionId,
    title: Arc<str>,
    role: Role,
    invited_by: Arc<str>,
    expires_at: Timestamp,
}

pub(super) async fn preview(State(node): State<Arc<Node>>, Body(body): Body<Shown>) -> Result<Json<Preview>, Problem> {
    let invitation = open(&node, &body.secret).await?;
    let state = node.orchestrators.state(invitation.session).await.map_err(|_| invalid())?;
    let by = node.identities.participant(invitation.by).await?;
    Ok(Json(Preview {
        session: invitation.session,
        title: state.view().title.clone(),
        role: invitation.role,
        invited_by: by.map_or_else(|| "".into(), |by| by.name),
        expires_at: invitation.expires_at,
    }))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Acceptance {
    secret: String,
    name: Option<String>,
}

#[derive(Debug, Serialize)]
struct Accepted {
    session: SessionId,
    role: Role,
    #[serde(flatten)]
    me: Me,
}

/// Whoever is signed in comes in as themselves; anybody else becomes a new guest of the name that they give.
pub(super) async fn accept(
    State(node): State<Arc<Node>>,
    who: Option<Extension<Participant>>,
    Extension(address): Extension<ClientAddress>,
    Body(body): Body<Acceptance>,
) -> Result<Response, Problem> {
    let Invitation { session, role, hash, .. } = open(&node, &body.secret).await.inspect_err(|problem| {
        if problem.code() == Code::LinkInvalid {
            let entry = NewAuditEntry::new(AuditAction::LinkUsed).refused();
            node.audit.record(entry.subject(SecretHash::of(body.secret.trim()).id()));
        }
    })?;
    let used = NewAuditEntry::new(AuditAction::LinkUsed).session(session).subject(hash.id());
    let enter = async |who: &Participant, role| node.reception.command(who, session, Command::Enter { role }).await;
    if let Some(Extension(who)) = who {
        // People decide: by a link that was made for them a bot only watches and speaks. An owner may give it more.
        let is_bot = who.kind == ActorKind::Bot && role.covers(Role::Bot);
        let role = if is_bot { Role::Bot } else { role };
        // A link lets in. What an owner has made of somebody's role since, an old link must not undo.
        let role = match node.events.role(session, who.id).await? {
            Some(has) => has,
            None => enter(&who, role).await.map(|_| role)?,
        };
        node.audit.record(used.by(&who).detail("role", role.as_str()));
        return Ok(Json(Accepted { session, role, me: Me::of(&who) }).into_response());
    }
    let name = body.name.ok_or_else(|| Problem::new(Code::InvalidArgument, "say who you are: set name"))?;
    let name = check_name(&name).map_err(|words| Problem::new(Code::InvalidArgument, words))?;
    // Before there is a new guest: one link must not make more of them than the session has room for.
    let state = node.orchestrators.state(session).await?;
    if state.view().closed {
        return Err(Rejection::SessionClosed.into());
    }
    if state.view().participants.len() >= View::PARTICIPANTS {
        return Err(Rejection::SessionFull.into());
    }
    let limits = &node.reception.limits;
    limits.newcomer(hash, address)?;
    limits.newcomer_everywhere(hash, address).await?;
    let guest = enrol(&*node.identities, &name, ActorKind::User, Standing::Guest).await?;
    enter(&guest, role).await?;
    node.audit.record(used.by(&guest).detail("role", role.as_str()));
    signed_in(&node, &guest, None, Json(Accepted { session, role, me: Me::of(&guest) })).await
}

/// The invitation behind a secret. What somebody may no longer do, a link that they made must not do for them.
async fn open(node: &Node, secret: &str) -> Result<Invitation, Problem> {
    let known = node.identities.invitation(SecretHash::of(secret.trim())).await?;
    let invitation = known.ok_or_else(invalid)?;
    let by = node.identities.participant(invitation.by).await?;
    let listed = node.events.role(invitation.session, invitation.by).await?;
    let own = by.and_then(|by| by.role(listed)).filter(|own| may_invite(*own, invitation.role));
    own.map(|_| invitation).ok_or_else(invalid)
}

fn invalid() -> Problem {
    Problem::new(Code::LinkInvalid, "this invitation is unknown, was deleted or has expired; ask for a new one")
}
