//! People of an identity provider, and their sign-ins in progress.

use std::time::Duration;

use async_trait::async_trait;

use super::{Participant, SecretHash};
use crate::kernel::{ParticipantId, Timestamp};
use crate::store_error::StoreError;

/// Account at an identity provider, as a BLAKE3 hash of issuer and subject. The store does not contain the subject
/// itself, which can be an e-mail address, because it only compares accounts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ExternalAccount(pub [u8; 32]);

impl ExternalAccount {
    /// Returns the account of a subject, which is unique at its issuer.
    pub fn new(issuer: &str, subject: &str) -> Self {
        let mut hasher = blake3::Hasher::new_derive_key("roundtable external account");
        // Include the length, so that no other pair of issuer and subject has the same hash.
        hasher.update(&(issuer.len() as u64).to_le_bytes()).update(issuer.as_bytes()).update(subject.as_bytes());
        Self(*hasher.finalize().as_bytes())
    }
}

/// Participant with an account at an identity provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkedParticipant {
    /// The participant.
    pub participant: Participant,
    /// True if the participant is disabled.
    pub disabled: bool,
}

/// Links between participants and accounts, and sign-ins in progress. Every store engine implements this interface and
/// passes the same tests.
#[async_trait]
pub trait ExternalIdentityStore: Send + Sync + 'static {
    /// Returns the participant of an account, or `None` if the account has none.
    async fn linked_participant(&self, account: ExternalAccount) -> Result<Option<LinkedParticipant>, StoreError>;

    /// Adds a participant with this account. Returns false and adds nothing if the account already has one.
    async fn add_linked_participant(
        &self,
        account: ExternalAccount,
        participant: &Participant,
        at: Timestamp,
    ) -> Result<bool, StoreError>;

    /// Links an account to an existing participant. Returns false if the account is already linked to another
    /// participant.
    async fn link_participant(&self, account: ExternalAccount, id: ParticipantId) -> Result<bool, StoreError>;

    /// Adds a sign-in in progress, with the path that it leads to.
    async fn begin_sign_in(&self, attempt: SecretHash, return_to: &str, lasts: Duration) -> Result<(), StoreError>;

    /// Consumes a sign-in in progress. Returns its path only once, even if two uses race. Returns `None` if it is
    /// unknown, used or expired.
    async fn finish_sign_in(&self, attempt: SecretHash) -> Result<Option<String>, StoreError>;

    /// Deletes sign-ins in progress that expired before `now`.
    async fn remove_expired_sign_ins(&self, now: Timestamp) -> Result<(), StoreError>;
}

#[cfg(test)]
mod tests {
    use super::ExternalAccount;

    #[test]
    fn an_account_is_of_one_subject_at_one_issuer() {
        let account = ExternalAccount::new("https://id.example", "ann");
        assert_eq!(account, ExternalAccount::new("https://id.example", "ann"));
        assert_ne!(account, ExternalAccount::new("https://id.example", "Ann"));
        assert_ne!(account, ExternalAccount::new("https://id.exampl", "eann"));
    }
}
