//! Invitation links of a session: creation, list, deletion.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::extract::{JsonBody, PathParameters};
use super::session_access::SessionAccess;
use crate::audit::{AuditAction, NewAuditEntry};
use crate::identity::{Invitation, NewInvitation, Secret};
use crate::kernel::{ParticipantId, Rejection, Right, RightAccess, Role, Settings, Timestamp};
use crate::node::Node;
use crate::protocol::{Code, Problem};

/// Maximum number of open invitations to one session.
const MAX_OPEN_INVITES: usize = 100;
/// Maximum number of uses of an invitation.
const MAX_USES: u32 = 1000;

/// Body of a request to create an invitation.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct InviteRequest {
    /// Role that the link gives, for example `viewer`.
    role: Role,
    /// Lifetime in seconds, from 60 to 31536000 (a year). Default `identity.invite_hours`.
    expires_in_seconds: Option<u64>,
    /// Maximum number of people who can join through the link, 1 to 1000. Default 1 for a role that can approve, unless
    /// `knock` is set; otherwise unlimited.
    max_uses: Option<u32>,
    /// True if an owner has to admit everyone who uses the link. Default false.
    #[serde(default)]
    knock: bool,
}

/// Created invitation.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct InviteLinkResponse {
    /// Id of the invitation, 12 hexadecimal digits.
    id: String,
    /// Link to pass on, `https://…/invite#rt_invite_…`. It is shown only once.
    link: String,
    /// Time at which the link expires.
    expires_at: Timestamp,
    /// Maximum number of people who can join through the link. Absent if unlimited.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_uses: Option<u32>,
    /// True if an owner has to admit everyone who uses the link.
    knock: bool,
}

pub(super) async fn create(
    State(node): State<Arc<Node>>,
    SessionAccess { who, session, role: own }: SessionAccess,
    JsonBody(body): JsonBody<InviteRequest>,
) -> Result<(StatusCode, Json<InviteLinkResponse>), Problem> {
    let state = node.session_registry.state(session).await?;
    if state.view().closed {
        return Err(Rejection::SessionClosed.into());
    }
    let settings = &state.view().settings;
    if !may_invite(settings, own, body.role, body.knock) {
        let (name, role) = (own.as_str(), body.role.as_str());
        let message = if may_invite(settings, own, body.role, true) {
            format!(
                "as {name} you need the approval of an owner to invite others; set knock, so that an owner admits each person"
            )
        } else {
            format!("as {name} you cannot invite others as {role}; choose a lower role")
        };
        return Err(Rejection::Forbidden { right: Right::Invite, message: message.into() }.into());
    }
    let seconds = body.expires_in_seconds.unwrap_or(node.config.identity.invite_hours * 60 * 60);
    if !(60..=365 * 24 * 60 * 60).contains(&seconds) {
        return Err(Problem::new(Code::InvalidArgument, "expires_in_seconds must be from 60 to 31536000"));
    }
    if body.max_uses.is_some_and(|max| !(1..=MAX_USES).contains(&max)) {
        return Err(Problem::new(Code::InvalidArgument, format!("max_uses must be from 1 to {MAX_USES}")));
    }
    // Passing on a link whose role can approve passes on a vote, so such a link admits one person by default. With
    // `knock`, an owner checks each person instead.
    let votes = settings.may(body.role, Right::Approve);
    let max_uses = body.max_uses.or((votes && !body.knock).then_some(1));
    if node.identities.invitations(session).await?.len() >= MAX_OPEN_INVITES {
        let text = format!("the session has {MAX_OPEN_INVITES} open invitations, the maximum; delete one first");
        return Err(Problem::new(Code::SessionFull, text));
    }
    let secret = Secret::random("invite");
    let (hash, lasts) = (secret.hash(), Duration::from_secs(seconds));
    let invitation = NewInvitation { hash, session, role: body.role, by: who.id, lasts, max_uses, knock: body.knock };
    let expires_at = node.identities.add_invitation(&invitation).await?;
    let entry = NewAuditEntry::new(AuditAction::LinkCreated).by(&who).session(session).subject(hash.id());
    let entry = entry.detail("role", body.role.as_str()).detail("max_uses", max_uses).detail("knock", body.knock);
    node.audit.record(entry);
    // Browsers do not send the part after the #, so the secret appears in no log of a server or proxy.
    let link = format!("{}/invite#{}", node.hosts.public_url(), secret.reveal());
    Ok((StatusCode::CREATED, Json(InviteLinkResponse { id: hash.id(), link, expires_at, max_uses, knock: body.knock })))
}

/// Returns whether a participant whose role is `own` is allowed to create a link that gives `role`. Participants cannot
/// give rights that they lack. If they must ask the owners before they invite others, they can only create links with
/// `knock`, because an owner then admits each person who uses the link.
pub(super) fn may_invite(settings: &Settings, own: Role, role: Role, knock: bool) -> bool {
    let may = match settings.access(own, Right::Invite) {
        RightAccess::Allow => true,
        RightAccess::Ask => knock,
        RightAccess::Deny => false,
    };
    may && settings.covers(own, role)
}

/// List of open invitations.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct InvitesResponse {
    /// Open invitations, in order of expiry.
    invites: Vec<InviteResponse>,
}

/// Open invitation, without its secret, which is shown only once.
#[derive(Debug, Serialize, JsonSchema)]
struct InviteResponse {
    /// Id of the invitation, 12 hexadecimal digits.
    id: String,
    /// Role that the link gives.
    role: Role,
    /// Id of the link's creator.
    by: ParticipantId,
    /// Time at which the link expires.
    expires_at: Timestamp,
    /// Number of people who can still join through the link. Absent if unlimited.
    #[serde(skip_serializing_if = "Option::is_none")]
    uses_left: Option<u64>,
    /// True if an owner has to admit everyone who uses the link.
    knock: bool,
}

/// Lists the open invitations: all for callers who can manage the session, their own for others who can invite.
pub(super) async fn list(
    State(node): State<Arc<Node>>,
    access: SessionAccess,
) -> Result<Json<InvitesResponse>, Problem> {
    let invites = visible_invitations(&node, &access).await?.into_iter().map(|invitation| {
        let Invitation { hash, role, by, expires_at, uses_left, knock, .. } = invitation;
        InviteResponse { id: hash.id(), role, by, expires_at, uses_left, knock }
    });
    Ok(Json(InvitesResponse { invites: invites.collect() }))
}

/// Deletes an invitation. Its link stops working.
pub(super) async fn remove(
    State(node): State<Arc<Node>>,
    access: SessionAccess,
    PathParameters((_, invite)): PathParameters<(String, String)>,
) -> Result<StatusCode, Problem> {
    let mut all = visible_invitations(&node, &access).await?.into_iter();
    let found = all.find(|invitation| invitation.hash.id() == invite);
    let message = "there is no such invitation, or it is not yours; GET …/invites lists yours";
    let found = found.ok_or_else(|| Problem::new(Code::NotFound, message))?;
    node.identities.remove_invitation(found.hash).await?;
    let entry = NewAuditEntry::new(AuditAction::LinkRemoved).by(&access.who).session(access.session);
    node.audit.record(entry.subject(found.hash.id()));
    Ok(StatusCode::NO_CONTENT)
}

/// Deletes all open invitations that the caller can see. An owner uses this after removing a participant who might know
/// some of them.
pub(super) async fn remove_all(State(node): State<Arc<Node>>, access: SessionAccess) -> Result<StatusCode, Problem> {
    for invitation in visible_invitations(&node, &access).await? {
        node.identities.remove_invitation(invitation.hash).await?;
        let entry = NewAuditEntry::new(AuditAction::LinkRemoved).by(&access.who).session(access.session);
        node.audit.record(entry.subject(invitation.hash.id()));
    }
    Ok(StatusCode::NO_CONTENT)
}

async fn visible_invitations(node: &Node, access: &SessionAccess) -> Result<Vec<Invitation>, Problem> {
    let SessionAccess { who, session, role: own } = access;
    let state = node.session_registry.state(*session).await?;
    let settings = &state.view().settings;
    if settings.access(*own, Right::Invite) == RightAccess::Deny {
        let message = format!("as {} you cannot invite others; ask an owner for another role", own.as_str());
        return Err(Rejection::Forbidden { right: Right::Invite, message: message.into() }.into());
    }
    let mut invitations = node.identities.invitations(*session).await?;
    invitations.retain(|invitation| invitation.by == who.id || settings.may(*own, Right::Manage));
    Ok(invitations)
}
