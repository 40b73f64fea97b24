//! The participant of a person whom the identity provider identified.

use uuid::Uuid;

use crate::audit::{AuditAction, NewAuditEntry};
use crate::clock;
use crate::identity::{ExternalAccount, LinkedParticipant, Participant, ServerRole, check_name};
use crate::kernel::{ActorKind, ParticipantId};
use crate::node::Node;
use crate::oidc::{ExternalPerson, OidcError, OidcProvider};
use crate::protocol::Problem;

/// Name of a person without a usable one. They can rename themselves.
const FALLBACK_NAME: &str = "New member";

/// Returns the participant of a person, with the server role of their groups. Creates the participant if the settings
/// allow it. The inner error is for the person, with the participant if they have one.
pub(super) async fn participant(
    node: &Node,
    provider: &OidcProvider,
    person: &ExternalPerson,
) -> Result<Result<Participant, (OidcError, Option<Participant>)>, Problem> {
    let settings = provider.settings();
    let account = ExternalAccount::new(provider.issuer(), &person.subject);
    let known = node.external.linked_participant(account).await?;
    let allowed = settings.allows(person);
    match known {
        Some(LinkedParticipant { participant, disabled: true }) => Ok(Err((OidcError::Disabled, Some(participant)))),
        Some(LinkedParticipant { participant, .. }) if !allowed => Ok(Err((OidcError::NotAllowed, Some(participant)))),
        Some(LinkedParticipant { participant, .. }) => {
            Ok(Ok(with_role(node, participant, settings.role(person)).await?))
        }
        None if !allowed => Ok(Err((OidcError::NotAllowed, None))),
        None if !settings.create_people => Ok(Err((OidcError::UnknownPerson, None))),
        None => Ok(create(node, account, person, settings.role(person).unwrap_or(settings.default_role)).await?),
    }
}

async fn create(
    node: &Node,
    account: ExternalAccount,
    person: &ExternalPerson,
    server_role: ServerRole,
) -> Result<Result<Participant, (OidcError, Option<Participant>)>, Problem> {
    let name = person.names.iter().find_map(|name| check_name(name).ok()).unwrap_or_else(|| FALLBACK_NAME.into());
    let new = Participant { id: ParticipantId(Uuid::now_v7()), kind: ActorKind::User, name, server_role };
    if node.external.add_linked_participant(account, &new, clock::now()).await? {
        let entry = NewAuditEntry::new(AuditAction::ParticipantCreated).by(&new).subject(new.id);
        node.audit.record(entry.detail("role", server_role.as_str()));
        return Ok(Ok(new));
    }
    // Another sign-in of the same person was faster.
    match node.external.linked_participant(account).await? {
        Some(LinkedParticipant { participant, disabled: false }) => Ok(Ok(participant)),
        Some(LinkedParticipant { participant, .. }) => Ok(Err((OidcError::Disabled, Some(participant)))),
        None => Ok(Err((OidcError::UnknownPerson, None))),
    }
}

/// Gives a participant the role of their groups. Their other sign-ins end if it is another one.
async fn with_role(
    node: &Node,
    mut participant: Participant,
    wanted: Option<ServerRole>,
) -> Result<Participant, Problem> {
    let Some(wanted) = wanted.filter(|wanted| *wanted != participant.server_role) else { return Ok(participant) };
    let old = node.identities.set_server_role(participant.id, wanted).await?;
    participant.server_role = wanted;
    let entry = NewAuditEntry::new(AuditAction::ServerRoleChanged).by(&participant).subject(participant.id);
    let old = old.map(ServerRole::as_str);
    node.audit.record(entry.detail("from", old).detail("to", wanted.as_str()).detail("by", "oidc"));
    Ok(participant)
}
