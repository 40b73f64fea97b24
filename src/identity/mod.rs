//! Who somebody is: participants, their tokens, sign-in links, cookies and invitations. Secrets are 256 random bits,
//! shown once and kept only as their BLAKE3 hash.

mod issue;
mod name;
mod operator;
mod revocation;
mod secret;
mod store;

pub use issue::{enrol, issue, issue_from, standing_participant};
pub use name::check_name;
pub use operator::operator_code;
pub use revocation::{Held, Revocations};
pub use secret::{Secret, SecretHash};
pub use store::{
    Ended, Grant, IdentityStore, Invitation, NewCredential, NewInvitation, Participant, Proof, Standing, TokenListing,
};
