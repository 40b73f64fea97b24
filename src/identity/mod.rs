//! Identities: participants, their tokens, sign-in links, cookies and invitations. Secrets are 256 random bits, shown
//! once and stored only as their BLAKE3 hash.

mod credential;
mod invitation;
mod issue;
mod name;
mod operator;
mod revocation;
mod secret;
mod store;
mod uses;

pub use credential::{Credential, CredentialUse, Ended, Grant, NewCredential, Proof};
pub use invitation::{Invitation, NewInvitation};
pub use issue::{enrol, issue, issue_with, standing_participant};
pub use name::check_name;
pub use operator::{operator, operator_code};
pub use revocation::{Held, Revocations};
pub use secret::{Secret, SecretHash};
pub use store::{IdentityStore, Participant, ParticipantListing, ParticipantQuery, Standing};
pub use uses::CredentialUses;
