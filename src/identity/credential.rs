//! Credentials, which identify a participant.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use super::{Participant, SecretHash, TokenScope};
use crate::kernel::{ParticipantId, Timestamp};

/// Kind of a credential.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CredentialKind {
    /// Token for programs and scripts.
    Token,
    /// Cookie of a signed-in browser.
    Cookie,
    /// Sign-in link, valid for one sign-in.
    SignIn,
}

impl CredentialKind {
    /// Returns the name in the store, for example `token`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Token => "token",
            Self::Cookie => "cookie",
            Self::SignIn => "signin",
        }
    }

    /// Parses a name in the store.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Token, Self::Cookie, Self::SignIn].into_iter().find(|grant| grant.as_str() == word)
    }
}

/// Credential to add to the store.
#[derive(Debug, Clone)]
pub struct NewCredential {
    /// Hash of the secret.
    pub hash: SecretHash,
    /// Kind of the credential.
    pub grant: CredentialKind,
    /// Owner of the credential.
    pub participant: ParticipantId,
    /// Lifetime, counted from when the credential is added to the store. If absent, the credential is valid until it is
    /// revoked.
    pub lasts: Option<Duration>,
    /// Credential from which this one was created. This credential ends when that one ends.
    pub origin: Option<SecretHash>,
    /// Maximum time between two uses. If absent, only `lasts` limits the credential.
    pub idle: Option<Duration>,
    /// Name of the browser that the credential is for, as reported by the browser, or of a token, as chosen by its
    /// creator.
    pub label: Option<Arc<str>>,
    /// IP address of the client that the credential is created for.
    pub address: Option<IpAddr>,
    /// Limits of the credential. If absent, it has all rights of its owner.
    pub scope: Option<TokenScope>,
}

impl NewCredential {
    /// Creates a credential that is valid until it is revoked. Set other fields as needed.
    pub fn new(hash: SecretHash, grant: CredentialKind, participant: ParticipantId) -> Self {
        Self {
            hash,
            grant,
            participant,
            lasts: None,
            origin: None,
            idle: None,
            label: None,
            address: None,
            scope: None,
        }
    }
}

/// Credential that identified the sender of a request. When it ends, the connections that it opened also end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CredentialProof {
    /// Hash of the secret.
    pub hash: SecretHash,
    /// Kind of the credential.
    pub grant: CredentialKind,
}

/// Credentials that ended since a given time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndedCredentials {
    /// Hashes of the credentials, in no particular order. Hashes from an earlier result can be repeated.
    pub credentials: Vec<SecretHash>,
    /// Current time of the database's clock, which all nodes share.
    pub now: Timestamp,
}

/// Credential without its secret, for lists that its owner and administrators see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credential {
    /// First 12 hexadecimal digits of the hash, which identify the credential when it is revoked.
    pub id: String,
    /// Kind of the credential.
    pub grant: CredentialKind,
    /// Owner of the credential.
    pub participant: Participant,
    /// Name of the browser that the credential is for, as reported by the browser, or of a token, as chosen by its
    /// creator.
    pub label: Option<Arc<str>>,
    /// Limits of the credential.
    pub scope: Option<TokenScope>,
    /// IP address of the last use, or of the creation if the credential is unused.
    pub address: Option<Arc<str>>,
    /// Time of the creation.
    pub created_at: Timestamp,
    /// Time of the last use, accurate to about a minute. `None` if the credential is unused.
    pub last_used_at: Option<Timestamp>,
    /// Time of expiry, which a use postpones if the credential has a maximum time between uses. `None` if it does not
    /// expire.
    pub expires_at: Option<Timestamp>,
}

/// Token behind a credential: the token itself, or the one that a browser signed in with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenOrigin {
    /// Hash of the token.
    pub hash: SecretHash,
    /// Time of expiry.
    pub expires_at: Option<Timestamp>,
}

/// Use of a credential.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CredentialUse {
    /// Hash of the credential.
    pub hash: SecretHash,
    /// IP address of the client, if it is known.
    pub address: Option<IpAddr>,
}
