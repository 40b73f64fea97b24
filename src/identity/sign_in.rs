//! Browser sign-ins of participants.

use schemars::JsonSchema;
use serde::Serialize;

use crate::kernel::Timestamp;

/// Method by which a person signs in with a browser.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SignInMethod {
    /// One-time sign-in link.
    Link,
    /// Token, entered in the sign-in form.
    Token,
    /// Invite link of a session, as a new guest.
    Invite,
    /// OpenID provider.
    Oidc,
    /// Header of a reverse proxy.
    Proxy,
}

impl SignInMethod {
    /// Returns the name in the store and in the audit log, for example `oidc`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Link => "link",
            Self::Token => "token",
            Self::Invite => "invite",
            Self::Oidc => "oidc",
            Self::Proxy => "proxy",
        }
    }

    /// Parses a name in the store.
    pub fn parse(word: &str) -> Option<Self> {
        let all = [Self::Link, Self::Token, Self::Invite, Self::Oidc, Self::Proxy];
        all.into_iter().find(|method| method.as_str() == word)
    }
}

/// Latest sign-in of a participant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LastSignIn {
    /// Method of the sign-in.
    pub method: SignInMethod,
    /// Time of the sign-in, by the database's clock.
    pub at: Timestamp,
}
