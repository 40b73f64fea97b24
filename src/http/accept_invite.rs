//! Joining a session through a link: preview, join or knock, and the state of a knock.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::auth::Caller;
use super::device::Device;
use super::extract::{JsonBody, PathParameters, id};
use super::invites::may_invite;
use super::me::MeResponse;
use super::sign_in::signed_in;
use crate::audit::{AuditAction, NewAuditEntry};
use crate::identity::{Invitation, Participant, SecretHash, ServerRole, SignInMethod, check_name, create_participant};
use crate::kernel::{ActorKind, Command, Rejection, Role, SessionId, Timestamp, View};
use crate::network::ClientAddress;
use crate::node::Node;
use crate::protocol::{Code, Problem};
use crate::secret_text::SecretText;

/// Body of a request for a preview.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct InvitePreviewRequest {
    /// Part of the link after the `#`, `rt_invite_…`.
    secret: SecretText,
}

/// Preview of the session that a link opens.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct InvitePreviewResponse {
    /// Id of the session.
    session: SessionId,
    /// Title of the session. Absent for a link with `knock` if the caller is not in the session, because only admitted
    /// participants can see the title.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<Arc<str>>,
    /// Role that the link gives.
    role: Role,
    /// Name of the link's creator.
    invited_by: Arc<str>,
    /// Time at which the link expires.
    expires_at: Timestamp,
    /// True if an owner has to admit everyone who uses the link.
    knock: bool,
}

pub(super) async fn preview(
    State(node): State<Arc<Node>>,
    who: Option<Extension<Participant>>,
    JsonBody(body): JsonBody<InvitePreviewRequest>,
) -> Result<Json<InvitePreviewResponse>, Problem> {
    let invitation = open_invitation(&node, &body.secret).await?;
    let is_in = match &who {
        Some(Extension(who)) => node.events.role(invitation.session, who.id).await?.is_some(),
        None => false,
    };
    check_use_left(&invitation, is_in)?;
    let state = node.session_registry.state(invitation.session).await.map_err(|_| invalid_link())?;
    let by = node.identities.participant(invitation.by).await?;
    Ok(Json(InvitePreviewResponse {
        session: invitation.session,
        title: (!invitation.knock || is_in).then(|| state.view().title.clone()),
        role: invitation.role,
        invited_by: by.map_or_else(|| "".into(), |by| by.name),
        expires_at: invitation.expires_at,
        knock: invitation.knock,
    }))
}

/// Body of a request to join through a link.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct InviteAcceptRequest {
    /// Part of the link after the `#`, `rt_invite_…`.
    secret: SecretText,
    /// Name of the new guest, 1 to 64 characters. Required without a credential, otherwise ignored.
    name: Option<String>,
}

/// Result of joining through a link.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct InviteAcceptResponse {
    /// Id of the session.
    session: SessionId,
    /// Role in the session.
    role: Role,
    /// True if an owner has to admit the participant first.
    waiting: bool,
    /// Identity of the participant.
    #[serde(flatten)]
    me: MeResponse,
}

/// Joins a session through a link. A caller with an identity joins as themselves; any other caller becomes a new guest
/// with the given name. With a `knock` link, the caller waits until an owner admits them.
pub(super) async fn accept(
    State(node): State<Arc<Node>>,
    who: Option<Extension<Participant>>,
    Extension(address): Extension<ClientAddress>,
    device: Device,
    JsonBody(body): JsonBody<InviteAcceptRequest>,
) -> Result<Response, Problem> {
    let invitation = open_invitation(&node, &body.secret).await.inspect_err(|problem| {
        if problem.code() == Code::LinkInvalid {
            let entry = NewAuditEntry::new(AuditAction::LinkUsed).denied();
            node.audit.record(entry.subject(SecretHash::of(body.secret.trim()).id()));
        }
    })?;
    let Invitation { session, role, hash, knock, .. } = invitation;
    if let Some(Extension(who)) = who {
        // Only people make decisions, so a bot that uses a link for people gets only the `bot` role. An owner can give
        // it a higher role.
        let is_bot = who.kind == ActorKind::Bot && role.covers(Role::Bot);
        let role = if is_bot { Role::Bot } else { role };
        // A link only admits participants. It must not undo a role change that an owner made after the participant
        // joined.
        let (role, waiting) = match node.events.role(session, who.id).await? {
            Some(has) => (has, false),
            // A participant who is already waiting keeps waiting, without another use of the link.
            None => match node.session_registry.state(session).await?.view().knock(who.id) {
                Some(waits) if knock => (waits.role, true),
                _ => {
                    join_session(&node, &who, &invitation, role).await?;
                    (role, knock)
                }
            },
        };
        let me = MeResponse::with_sign_in(&node, &who).await?;
        return Ok((status(waiting), Json(InviteAcceptResponse { session, role, waiting, me })).into_response());
    }
    check_use_left(&invitation, false)?;
    let name = body.name.ok_or_else(|| Problem::new(Code::InvalidArgument, "name is missing; set it to your name"))?;
    let name = check_name(&name).map_err(|message| Problem::new(Code::InvalidArgument, message))?;
    // Check before the guest is created, because one link must not create more guests than the session has room for.
    let state = node.session_registry.state(session).await?;
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
    let limits = &node.dispatcher.limits;
    limits.newcomer(hash, address)?;
    limits.new_guest_everywhere(hash, address).await?;
    let guest = create_participant(&*node.identities, &name, ActorKind::User, ServerRole::Guest).await?;
    join_session(&node, &guest, &invitation, role).await?;
    let accepted = InviteAcceptResponse {
        session,
        role,
        waiting: knock,
        me: MeResponse::signing_in(&guest, SignInMethod::Invite),
    };
    signed_in(&node, &guest, &device, SignInMethod::Invite, None, (status(knock), Json(accepted))).await
}

/// Checks that the link has a use left. Participants who are already in the session can open the link without a use.
fn check_use_left(invitation: &Invitation, is_in: bool) -> Result<(), Problem> {
    if invitation.uses_left == Some(0) && !is_in { Err(invalid_link()) } else { Ok(()) }
}

fn status(waiting: bool) -> StatusCode {
    if waiting { StatusCode::ACCEPTED } else { StatusCode::OK }
}

/// Uses the link once, and joins the session or asks to join. The use is counted first, so that two concurrent callers
/// cannot both take the last use. The use is given back if the caller certainly did not join.
async fn join_session(node: &Node, who: &Participant, invitation: &Invitation, role: Role) -> Result<(), Problem> {
    let Invitation { hash, session, knock, .. } = *invitation;
    let used = NewAuditEntry::new(AuditAction::LinkUsed).by(who).session(session).subject(hash.id());
    if !node.identities.use_invitation(hash).await? {
        node.audit.record(used.denied());
        return Err(invalid_link());
    }
    let command = if knock { Command::Knock { role } } else { Command::Enter { role } };
    if let Err(problem) = node.dispatcher.command(who, session, command).await {
        if is_definite(&problem) {
            node.identities.give_use_back(hash).await?;
        }
        return Err(problem);
    }
    node.audit.record(used.detail("role", role.as_str()).detail("knock", knock));
    Ok(())
}

/// Returns whether the caller certainly did not join. If it is unknown whether they joined, the use stays counted,
/// because a link must not admit more people than its limit.
fn is_definite(problem: &Problem) -> bool {
    let in_doubt = [Code::StoreUnavailable, Code::ShuttingDown, Code::TimedOut, Code::Internal];
    !in_doubt.contains(&problem.code())
}

/// State of a participant's request to join.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "state", rename_all = "snake_case")]
pub(super) enum KnockResponse {
    /// No owner has decided yet.
    Waiting,
    /// The participant is in the session.
    Admitted {
        /// Role of the participant, for example `viewer`.
        role: Role,
    },
    /// An owner refused the request.
    Refused,
}

/// Returns the state of the caller's request to join. A caller who never knocked gets the same error as for a session
/// that does not exist.
pub(super) async fn knock(
    State(node): State<Arc<Node>>,
    Caller(who): Caller,
    PathParameters(session): PathParameters<String>,
) -> Result<Json<KnockResponse>, Problem> {
    let session = id(&session)?;
    let hidden = || Problem::from(Rejection::UnknownSession);
    if node.events.head(session).await? == 0 {
        return Err(hidden());
    }
    if let Some(role) = who.role(node.events.role(session, who.id).await?) {
        return Ok(Json(KnockResponse::Admitted { role }));
    }
    let state = node.session_registry.state(session).await?;
    if state.view().knock(who.id).is_some() {
        Ok(Json(KnockResponse::Waiting))
    } else if state.view().refused.contains(&who.id) {
        Ok(Json(KnockResponse::Refused))
    } else {
        Err(hidden())
    }
}

/// Returns the invitation with this secret. Its link is invalid if its creator no longer has the right to grant its
/// role.
async fn open_invitation(node: &Node, secret: &str) -> Result<Invitation, Problem> {
    let known = node.identities.invitation(SecretHash::of(secret.trim())).await?;
    let invitation = known.ok_or_else(invalid_link)?;
    let by = node.identities.participant(invitation.by).await?;
    let listed = node.events.role(invitation.session, invitation.by).await?;
    let own = by.and_then(|by| by.role(listed)).ok_or_else(invalid_link)?;
    let state = node.session_registry.state(invitation.session).await?;
    if !may_invite(&state.view().settings, own, invitation.role, invitation.knock) {
        return Err(invalid_link());
    }
    Ok(invitation)
}

fn invalid_link() -> Problem {
    Problem::new(Code::LinkInvalid, "this invitation is unknown, used, deleted or expired; ask for a new one")
}
