//! Credentials: what proves who somebody is.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use super::{Participant, SecretHash};
use crate::kernel::{ParticipantId, Timestamp};

/// What a secret opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grant {
    /// Programs and scripts, until revoked.
    Token,
    /// A signed-in browser.
    Cookie,
    /// Good for one sign-in.
    SignIn,
}

impl Grant {
    /// The word in the store.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Token => "token",
            Self::Cookie => "cookie",
            Self::SignIn => "signin",
        }
    }

    /// The grant that a word of the store names.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Token, Self::Cookie, Self::SignIn].into_iter().find(|grant| grant.as_str() == word)
    }
}

/// A secret to be known to the store.
#[derive(Debug, Clone)]
pub struct NewCredential {
    /// Its hash.
    pub hash: SecretHash,
    /// What it opens.
    pub grant: Grant,
    /// Whose it is.
    pub participant: ParticipantId,
    /// For how long from now; absent: until it is revoked.
    pub lasts: Option<Duration>,
    /// The credential that it was made from: it ends with that one.
    pub origin: Option<SecretHash>,
    /// How long it may go unused before it ends; absent: for as long as it lasts.
    pub idle: Option<Duration>,
    /// The browser that it is for, as that names itself.
    pub label: Option<Arc<str>>,
    /// The address that it is made for.
    pub address: Option<IpAddr>,
}

impl NewCredential {
    /// A credential until it is revoked; set other fields as needed.
    pub fn new(hash: SecretHash, grant: Grant, participant: ParticipantId) -> Self {
        Self { hash, grant, participant, lasts: None, origin: None, idle: None, label: None, address: None }
    }
}

/// The secret by which somebody was known: what is open by its right ends with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Proof {
    /// Its hash.
    pub hash: SecretHash,
    /// What it opens.
    pub grant: Grant,
}

/// What is over since a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// The credentials, in no order; some may have been told before.
    pub credentials: Vec<SecretHash>,
    /// This moment by the database's clock, which all nodes share.
    pub now: Timestamp,
}

/// A credential as its owner and administrators list it: everything but its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credential {
    /// The first 12 hexadecimal digits of its hash: what revoking takes.
    pub id: String,
    /// What it opens.
    pub grant: Grant,
    /// Whose it is.
    pub participant: Participant,
    /// The browser that it was made for, as that names itself.
    pub label: Option<Arc<str>>,
    /// The address that it was last used from, or made from where it was not used yet.
    pub address: Option<Arc<str>>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last used, to within a minute or so.
    pub last_used_at: Option<Timestamp>,
    /// When it ends, if it is not used until then.
    pub expires_at: Option<Timestamp>,
}

/// One use of a credential.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CredentialUse {
    /// Hash of the credential.
    pub hash: SecretHash,
    /// The client's address, if it is known.
    pub address: Option<IpAddr>,
}
