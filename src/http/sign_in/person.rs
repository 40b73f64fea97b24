//! Participant of a person whom a sign-in method identified.

use crate::audit::{AuditAction, NewAuditEntry};
use crate::clock;
use crate::identity::{ExternalAccount, LinkedParticipant, Participant, ServerRole, check_name};
use crate::kernel::{ActorKind, Role};
use crate::node::Node;
use crate::protocol::Problem;
use crate::sign_in::{ExternalPerson, OidcError};

/// Name of a new person if the sign-in method reports no valid name. The person can rename themselves.
const FALLBACK_NAME: &str = "New member";

/// Rights of a person according to the settings of a sign-in method.
pub(super) struct SignInPolicy<'a> {
    /// Issuer of the account.
    pub(super) issuer: &'a str,
    /// Name of the sign-in method in the audit log.
    pub(super) by: &'static str,
    /// True if the person's groups and domain allow them to sign in.
    pub(super) is_allowed: bool,
    /// Server role that their groups grant. `None` leaves their role unchanged.
    pub(super) role: Option<ServerRole>,
    /// Role that their groups grant in every session. The outer `None` leaves their role unchanged, and the inner
    /// `None` removes it.
    pub(super) session_role: Option<Option<Role>>,
    /// Server role of a new person whose groups grant none.
    pub(super) default_role: ServerRole,
    /// True to create a participant for a new person.
    pub(super) create_people: bool,
}

/// Returns the participant of a person, with the server role of their groups. Creates the participant if the settings
/// allow it. The inner error is for the person, together with their participant if they have one.
pub(super) async fn participant(
    node: &Node,
    policy: &SignInPolicy<'_>,
    person: &ExternalPerson,
) -> Result<Result<Participant, (OidcError, Option<Participant>)>, Problem> {
    let signed_in = with_participant(node, policy, person).await?;
    if let (Ok(participant), Some(role)) = (&signed_in, policy.session_role) {
        set_session_role(node, participant, role, policy).await?;
    }
    Ok(signed_in)
}

async fn set_session_role(
    node: &Node,
    participant: &Participant,
    role: Option<Role>,
    policy: &SignInPolicy<'_>,
) -> Result<(), Problem> {
    if node.identities.set_session_role(participant.id, role).await? {
        let entry = NewAuditEntry::new(AuditAction::ServerRoleChanged).by(participant).subject(participant.id);
        let role = role.map_or("none", Role::as_str);
        node.audit.record(entry.detail("session_role", role).detail("by", policy.by));
    }
    Ok(())
}

async fn with_participant(
    node: &Node,
    policy: &SignInPolicy<'_>,
    person: &ExternalPerson,
) -> Result<Result<Participant, (OidcError, Option<Participant>)>, Problem> {
    let account = ExternalAccount::new(policy.issuer, &person.subject);
    let known = node.external.linked_participant(account).await?;
    match known {
        Some(LinkedParticipant { participant, disabled: true }) => Ok(Err((OidcError::Disabled, Some(participant)))),
        Some(LinkedParticipant { participant, .. }) if !policy.is_allowed => {
            revoke_sign_ins(node, &participant, policy).await?;
            Ok(Err((OidcError::NotAllowed, Some(participant))))
        }
        Some(LinkedParticipant { participant, .. }) => Ok(Ok(with_role(node, participant, policy).await?)),
        None if !policy.is_allowed => Ok(Err((OidcError::NotAllowed, None))),
        None if !policy.create_people => Ok(Err((OidcError::UnknownPerson, None))),
        None => Ok(create(node, account, person, policy.role.unwrap_or(policy.default_role)).await?),
    }
}

/// Revokes the sign-ins, and the role in every session, of a person who may no longer sign in. Otherwise, a person who
/// lost the required group would stay signed in elsewhere.
async fn revoke_sign_ins(node: &Node, participant: &Participant, policy: &SignInPolicy<'_>) -> Result<(), Problem> {
    set_session_role(node, participant, None, policy).await?;
    let credentials = node.identities.sign_out_everywhere(participant.id).await?;
    if credentials > 0 {
        let entry = NewAuditEntry::new(AuditAction::DeviceRevoked).by(participant).subject("all");
        let entry = entry.detail("participant", participant.id.to_string()).detail("count", credentials);
        node.audit.record(entry.detail("by", policy.by));
    }
    Ok(())
}

async fn create(
    node: &Node,
    account: ExternalAccount,
    person: &ExternalPerson,
    server_role: ServerRole,
) -> Result<Result<Participant, (OidcError, Option<Participant>)>, Problem> {
    let name = person.names.iter().find_map(|name| check_name(name).ok()).unwrap_or_else(|| FALLBACK_NAME.into());
    let new = Participant::new(ActorKind::User, name, server_role);
    if node.external.add_linked_participant(account, &new, clock::now()).await? {
        let entry = NewAuditEntry::new(AuditAction::ParticipantCreated).by(&new).subject(new.id);
        node.audit.record(entry.detail("role", server_role.as_str()));
        return Ok(Ok(new));
    }
    // A concurrent sign-in of the same person was faster.
    match node.external.linked_participant(account).await? {
        Some(LinkedParticipant { participant, disabled: false }) => Ok(Ok(participant)),
        Some(LinkedParticipant { participant, .. }) => Ok(Err((OidcError::Disabled, Some(participant)))),
        None => Ok(Err((OidcError::UnknownPerson, None))),
    }
}

/// Gives a participant the role of their groups. If this changes their role, their other sign-ins end.
async fn with_role(
    node: &Node,
    mut participant: Participant,
    policy: &SignInPolicy<'_>,
) -> Result<Participant, Problem> {
    let Some(wanted) = policy.role.filter(|wanted| *wanted != participant.server_role) else { return Ok(participant) };
    let old = node.identities.set_server_role(participant.id, wanted).await?;
    participant.server_role = wanted;
    let entry = NewAuditEntry::new(AuditAction::ServerRoleChanged).by(&participant).subject(participant.id);
    let old = old.map(ServerRole::as_str);
    node.audit.record(entry.detail("from", old).detail("to", wanted.as_str()).detail("by", policy.by));
    Ok(participant)
}
