//! Coming in by a link: what it opens, coming in or asking to, and the answer to those who asked.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use serde::{Deserialize, Serialize};

use super::auth::Signed;
use super::device::Device;
use super::extract::{Body, Path, id};
use super::invites::may_invite;
use super::proxies::ClientAddress;
use super::sign_in::{Me, signed_in};
use crate::audit::{AuditAction, NewAuditEntry};
use crate::identity::{Invitation, Participant, SecretHash, Standing, check_name, enrol};
use crate::kernel::{ActorKind, Command, Rejection, Role, SessionId, Timestamp, View};
use crate::node::Node;
use crate::protocol::{Code, Problem};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Shown {
    secret: String,
}

#[derive(Debug, Serialize)]
pub(super) struct Preview {
    session: SessionId,
    /// Absent of a link to knock with: whoever is not let in learns nothing of the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<Arc<str>>,
    role: Role,
    invited_by: Arc<str>,
    expires_at: Timestamp,
    knock: bool,
}

pub(super) async fn preview(
    State(node): State<Arc<Node>>,
    who: Option<Extension<Participant>>,
    Body(body): Body<Shown>,
) -> Result<Json<Preview>, Problem> {
    let invitation = open(&node, &body.secret).await?;
    let is_in = match &who {
        Some(Extension(who)) => node.events.role(invitation.session, who.id).await?.is_some(),
        None => false,
    };
    check_use_left(&invitation, is_in)?;
    let state = node.orchestrators.state(invitation.session).await.map_err(|_| invalid())?;
    let by = node.identities.participant(invitation.by).await?;
    Ok(Json(Preview {
        session: invitation.session,
        title: (!invitation.knock || is_in).then(|| state.view().title.clone()),
        role: invitation.role,
        invited_by: by.map_or_else(|| "".into(), |by| by.name),
        expires_at: invitation.expires_at,
        knock: invitation.knock,
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
    /// Whether an owner has to let them in first.
    waiting: bool,
    #[serde(flatten)]
    me: Me,
}

/// Whoever is signed in comes in as themselves; anybody else becomes a new guest of the name that they give. By a link to
/// knock with they wait until an owner answers.
pub(super) async fn accept(
    State(node): State<Arc<Node>>,
    who: Option<Extension<Participant>>,
    Extension(address): Extension<ClientAddress>,
    device: Device,
    Body(body): Body<Acceptance>,
) -> Result<Response, Problem> {
    let invitation = open(&node, &body.secret).await.inspect_err(|problem| {
        if problem.code() == Code::LinkInvalid {
            let entry = NewAuditEntry::new(AuditAction::LinkUsed).refused();
            node.audit.record(entry.subject(SecretHash::of(body.secret.trim()).id()));
        }
    })?;
    let Invitation { session, role, hash, knock, .. } = invitation;
    if let Some(Extension(who)) = who {
        // People decide: by a link that was made for them a bot only watches and speaks. An owner may give it more.
        let is_bot = who.kind == ActorKind::Bot && role.covers(Role::Bot);
        let role = if is_bot { Role::Bot } else { role };
        // A link lets in. What an owner has made of somebody's role since, an old link must not undo.
        let (role, waiting) = match node.events.role(session, who.id).await? {
            Some(has) => (has, false),
            // Whoever waits already goes on waiting: to ask again costs the link no use.
            None => match node.orchestrators.state(session).await?.view().knock(who.id) {
                Some(waits) if knock => (waits.role, true),
                _ => {
                    come_in(&node, &who, &invitation, role).await?;
                    (role, knock)
                }
            },
        };
        return Ok((status(waiting), Json(Accepted { session, role, waiting, me: Me::of(&who) })).into_response());
    }
    check_use_left(&invitation, false)?;
    let name = body.name.ok_or_else(|| Problem::new(Code::InvalidArgument, "say who you are: set name"))?;
    let name = check_name(&name).map_err(|words| Problem::new(Code::InvalidArgument, words))?;
    // Before there is a new guest: one link must not make more of them than the session has room for.
    let state = node.orchestrators.state(session).await?;
    if state.view().closed {
        return Err(Rejection::SessionClosed.into());
    }
    if state.view().is_lookalike(None, &name) {
        return Err(Problem::new(Code::InvalidArgument, View::LOOKALIKE));
    }
    if state.view().participants.len() >= View::PARTICIPANTS {
        return Err(Rejection::SessionFull.into());
    }
    if knock && state.view().knocks.len() >= View::KNOCKS {
        return Err(Rejection::TooManyKnocks.into());
    }
    let limits = &node.reception.limits;
    limits.newcomer(hash, address)?;
    limits.newcomer_everywhere(hash, address).await?;
    let guest = enrol(&*node.identities, &name, ActorKind::User, Standing::Guest).await?;
    come_in(&node, &guest, &invitation, role).await?;
    let accepted = Accepted { session, role, waiting: knock, me: Me::of(&guest) };
    signed_in(&node, &guest, &device, None, (status(knock), Json(accepted))).await
}

/// Whoever came in by a link can open it again though it is used up by that.
fn check_use_left(invitation: &Invitation, is_in: bool) -> Result<(), Problem> {
    if invitation.uses_left == Some(0) && !is_in { Err(invalid()) } else { Ok(()) }
}

fn status(waiting: bool) -> StatusCode {
    if waiting { StatusCode::ACCEPTED } else { StatusCode::OK }
}

/// Use the link once. A use that lets nobody in is given back; it is counted first, so that two that race for a last one
/// never both come in.
async fn come_in(node: &Node, who: &Participant, invitation: &Invitation, role: Role) -> Result<(), Problem> {
    let Invitation { hash, session, knock, .. } = *invitation;
    let used = NewAuditEntry::new(AuditAction::LinkUsed).by(who).session(session).subject(hash.id());
    if !node.identities.use_invitation(hash).await? {
        node.audit.record(used.refused());
        return Err(invalid());
    }
    let command = if knock { Command::Knock { role } } else { Command::Enter { role } };
    if let Err(problem) = node.reception.command(who, session, command).await {
        if is_refusal(&problem) {
            node.identities.give_use_back(hash).await?;
        }
        return Err(problem);
    }
    node.audit.record(used.detail("role", role.as_str()).detail("knock", knock));
    Ok(())
}

/// Whether nobody came in for certain. Where that is unknown a use stays counted: a link must not let in more people than
/// it says.
fn is_refusal(problem: &Problem) -> bool {
    let in_doubt = [Code::StoreUnavailable, Code::ShuttingDown, Code::TimedOut, Code::Internal];
    !in_doubt.contains(&problem.code())
}

/// Answer to somebody who asked to come in.
#[derive(Debug, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub(super) enum KnockState {
    /// Nobody has answered yet.
    Waiting,
    /// They are in, with this role.
    Admitted {
        /// The role.
        role: Role,
    },
    /// An owner declined.
    Refused,
}

/// How it stands with the caller's request to come in. To whoever never asked there is no such session.
pub(super) async fn knock(
    State(node): State<Arc<Node>>,
    Signed(who): Signed,
    Path(session): Path<String>,
) -> Result<Json<KnockState>, Problem> {
    let session = id(&session)?;
    let hidden = || Problem::from(Rejection::UnknownSession);
    if node.events.head(session).await? == 0 {
        return Err(hidden());
    }
    if let Some(role) = who.role(node.events.role(session, who.id).await?) {
        return Ok(Json(KnockState::Admitted { role }));
    }
    let state = node.orchestrators.state(session).await?;
    if state.view().knock(who.id).is_some() {
        Ok(Json(KnockState::Waiting))
    } else if state.view().refused.contains(&who.id) {
        Ok(Json(KnockState::Refused))
    } else {
        Err(hidden())
    }
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
    Problem::new(
        Code::LinkInvalid,
        "this invitation is unknown, was used or deleted, or has expired; ask for a new one",
    )
}
