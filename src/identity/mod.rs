//! Identities: participants, their tokens, sign-in links, cookies and invitations. Secrets are 256 random bits, shown
//! once and stored only as their BLAKE3 hash.

mod authentication;
mod credential;
mod credential_uses;
mod external;
mod invitation;
mod issue;
mod name_check;
mod operator;
mod participant;
mod revocation;
mod secret;
mod sign_in;
mod store;
mod token_scope;

pub use authentication::authenticate;
pub use credential::{
    Credential, CredentialKind, CredentialProof, CredentialUse, EndedCredentials, NewCredential, TokenOrigin,
};
pub use credential_uses::CredentialUses;
pub use external::{ExternalAccount, ExternalIdentityStore, LinkedParticipant};
pub use invitation::{Invitation, NewInvitation};
pub use issue::{create_participant, ensure_participant, issue, issue_with};
pub use name_check::check_name;
pub use operator::{operator, operator_code};
pub use participant::{Participant, ServerRole};
pub use revocation::{RevocationGuard, Revocations};
pub use secret::{Secret, SecretHash};
pub use sign_in::{LastSignIn, SignInMethod};
pub use store::{IdentityStore, ParticipantQuery, ParticipantRow};
pub use token_scope::{ScopedRoute, TokenScope};
