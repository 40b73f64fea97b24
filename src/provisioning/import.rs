//! Applies a list of people.

use schemars::JsonSchema;
use serde::Serialize;

use super::entry::{self, EntryError, EntryErrorCode, PersonEntry};
use super::session_names::is_lookalike;
use crate::audit::{AuditAction, NewAuditEntry};
use crate::clock;
use crate::identity::{
    ExternalAccount, ExternalIdentityStore, IdentityStore, LinkedParticipant, Participant, ServerRole,
};
use crate::kernel::{ActorKind, ParticipantId, View};
use crate::store::EventStore;
use crate::store_error::StoreError;

/// Issuer of the subjects on a server without an identity provider.
const NO_ISSUER: &str = "import";

/// Outcome of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PersonOutcome {
    /// The person is new.
    Created,
    /// Name, role or active state changed.
    Changed,
    /// Everything already matched the entry.
    Unchanged,
}

/// Result of an entry.
#[derive(Debug)]
pub struct ProvisionedPerson {
    /// Id of the participant. In a trial run, the id of a new person is discarded.
    pub id: ParticipantId,
    /// Outcome of the entry.
    pub outcome: PersonOutcome,
}

/// Result of applying a list without errors.
#[derive(Debug)]
pub struct ProvisionedList {
    /// Results, in the order of the list, or the store's error if it stopped responding halfway.
    pub people: Result<Vec<ProvisionedPerson>, StoreError>,
    /// Entries for the audit log, without an actor, for all changes that were made, even if the store stopped
    /// responding halfway. Empty for a trial run.
    pub audit: Vec<NewAuditEntry>,
}

/// Applies a list of people to the store.
pub struct Provisioner<'a> {
    /// Store of participants.
    pub identities: &'a dyn IdentityStore,
    /// Store of their accounts at the identity provider.
    pub external: &'a dyn ExternalIdentityStore,
    /// Store of the sessions, for the names in them, which a new name must not resemble.
    pub events: &'a dyn EventStore,
    /// Issuer of the subjects. `None` if the server has no identity provider.
    pub issuer: Option<&'a str>,
    /// Participant who applies the list. They cannot disable themselves or take away their own role. `None` on the
    /// command line.
    pub asker: Option<ParticipantId>,
    /// True for a trial run, which changes nothing.
    pub trial: bool,
}

/// Entry with the participant that it concerns.
struct PlannedPerson {
    entry: PersonEntry,
    account: ExternalAccount,
    known: Option<LinkedParticipant>,
}

impl Provisioner<'_> {
    /// Applies a list. The whole list is checked first, so a list with errors changes nothing. A list that was only
    /// partly applied, because the store did not respond, can be applied again.
    ///
    /// # Errors
    /// Fails with the outer error if the store does not respond during the checks, and with all errors in the list if
    /// there are any. [`ProvisionedList::people`] contains a later error of the store.
    pub async fn apply(
        &self,
        mut entries: Vec<PersonEntry>,
    ) -> Result<Result<ProvisionedList, Vec<EntryError>>, StoreError> {
        let mut errors = entry::check(&mut entries);
        let mut planned = Vec::with_capacity(entries.len());
        for (at, entry) in entries.into_iter().enumerate() {
            let account = ExternalAccount::new(self.issuer.unwrap_or(NO_ISSUER), &entry.subject);
            let known = self.external.linked_participant(account).await?;
            if known.is_none() && entry.name.is_none() {
                errors.push(EntryError::new(
                    at,
                    EntryErrorCode::NameRequired,
                    "the person is new and has no name; add a name",
                ));
            }
            let own = known.as_ref().is_some_and(|known| Some(known.participant.id) == self.asker);
            if own && entry.active == Some(false) {
                errors.push(EntryError::new(
                    at,
                    EntryErrorCode::OwnAccount,
                    "you cannot disable yourself; another administrator can",
                ));
            }
            if own && entry.role.is_some_and(|role| role != ServerRole::Admin) {
                errors.push(EntryError::new(
                    at,
                    EntryErrorCode::OwnAccount,
                    "you cannot take your own role away; another administrator can",
                ));
            }
            if let (Some(known), Some(name)) = (&known, &entry.name)
                && *known.participant.name != **name
                && is_lookalike(self.events, known.participant.id, name).await?
            {
                errors.push(EntryError::new(at, EntryErrorCode::LookalikeName, View::LOOKALIKE));
            }
            planned.push(PlannedPerson { entry, account, known });
        }
        if !errors.is_empty() {
            errors.sort_by_key(|error| error.entry);
            return Ok(Err(errors));
        }
        let mut audit = vec![];
        let people = self.apply_all(planned, &mut audit).await;
        if self.trial {
            audit.clear();
        }
        Ok(Ok(ProvisionedList { people, audit }))
    }

    async fn apply_all(
        &self,
        planned: Vec<PlannedPerson>,
        audit: &mut Vec<NewAuditEntry>,
    ) -> Result<Vec<ProvisionedPerson>, StoreError> {
        let mut done = Vec::with_capacity(planned.len());
        for PlannedPerson { entry, account, known } in planned {
            done.push(match known {
                Some(known) => self.change(&entry, known, audit).await?,
                None => self.create(&entry, account, audit).await?,
            });
        }
        Ok(done)
    }

    async fn create(
        &self,
        entry: &PersonEntry,
        account: ExternalAccount,
        audit: &mut Vec<NewAuditEntry>,
    ) -> Result<ProvisionedPerson, StoreError> {
        let name = entry.name.as_deref().unwrap_or_default();
        let server_role = entry.role.unwrap_or(ServerRole::Member);
        let new = Participant::new(ActorKind::User, name, server_role);
        if !self.trial && !self.external.add_linked_participant(account, &new, clock::now()).await? {
            // The person signed in for the first time after the list was checked.
            let known = self.external.linked_participant(account).await?;
            let known = known.ok_or_else(|| StoreError::unavailable("the account changed; apply the list again"))?;
            return self.change(entry, known, audit).await;
        }
        let created = NewAuditEntry::new(AuditAction::ParticipantCreated).subject(new.id);
        audit.push(created.detail("role", server_role.as_str()).detail("by", "import"));
        if entry.active == Some(false) {
            audit.push(self.set_active(new.id, false).await?);
        }
        Ok(ProvisionedPerson { id: new.id, outcome: PersonOutcome::Created })
    }

    async fn change(
        &self,
        entry: &PersonEntry,
        known: LinkedParticipant,
        audit: &mut Vec<NewAuditEntry>,
    ) -> Result<ProvisionedPerson, StoreError> {
        let LinkedParticipant { participant, disabled } = known;
        let (id, before) = (participant.id, audit.len());
        // A disabled participant cannot be renamed, so they are enabled first and disabled last.
        if disabled && entry.active == Some(true) {
            audit.push(self.set_active(id, true).await?);
        }
        let is_disabled = disabled && entry.active != Some(true);
        if let Some(name) = entry.name.as_deref().filter(|name| **name != *participant.name && !is_disabled) {
            if !self.trial {
                self.identities.rename(id, name).await?;
            }
            audit.push(NewAuditEntry::new(AuditAction::ParticipantRenamed).subject(id).detail("by", "import"));
        }
        if let Some(role) = entry.role.filter(|role| *role != participant.server_role) {
            if !self.trial {
                self.identities.set_server_role(id, role).await?;
            }
            let entry = NewAuditEntry::new(AuditAction::ServerRoleChanged).subject(id).detail("to", role.as_str());
            audit.push(entry.detail("from", participant.server_role.as_str()).detail("by", "import"));
        }
        if !disabled && entry.active == Some(false) {
            audit.push(self.set_active(id, false).await?);
        }
        let outcome = if audit.len() > before { PersonOutcome::Changed } else { PersonOutcome::Unchanged };
        Ok(ProvisionedPerson { id, outcome })
    }

    async fn set_active(&self, id: ParticipantId, active: bool) -> Result<NewAuditEntry, StoreError> {
        if !self.trial {
            self.identities.set_disabled(id, !active).await?;
        }
        let action = if active { AuditAction::ParticipantEnabled } else { AuditAction::ParticipantDisabled };
        Ok(NewAuditEntry::new(action).subject(id).detail("by", "import"))
    }
}
