//! Who somebody is: participants, their tokens, sign-in links, cookies and invitations. Secrets are 256 random bits,
//! shown once and kept only as their BLAKE3 hash.

mod secret;
mod store;

pub use secret::{Secret, SecretHash};
pub use store::{Grant, IdentityStore, Invitation, NewCredential, Participant, Standing, TokenListing};
