//! Reasons that a sign-in at the provider or through a proxy fails.

use std::error::Error;

use crate::telemetry::error_causes;

/// Reason that a sign-in at the provider or through a proxy fails. The sign-in page receives the code of the reason and
/// shows a message for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OidcError {
    /// The provider does not respond as the standard requires.
    Unavailable,
    /// The sign-in is unknown, took too long, was already used, or was started in another browser.
    Expired,
    /// The response is from another issuer.
    WrongIssuer,
    /// The provider refused the sign-in, or the person cancelled it.
    Denied,
    /// The code or the ID token is not valid for this sign-in, or a header of the proxy is invalid.
    Invalid,
    /// The settings do not allow the person's groups or domain.
    NotAllowed,
    /// The participant is disabled.
    Disabled,
    /// The person has no participant, and the settings do not allow creating one.
    UnknownPerson,
    /// The reverse proxy does not name a person.
    NoUser,
}

impl OidcError {
    /// All reasons.
    pub const ALL: [Self; 9] = [
        Self::Unavailable,
        Self::Expired,
        Self::WrongIssuer,
        Self::Denied,
        Self::Invalid,
        Self::NotAllowed,
        Self::Disabled,
        Self::UnknownPerson,
        Self::NoUser,
    ];

    /// Logs that the provider did not respond correctly, and returns [`Self::Unavailable`].
    pub(super) fn unavailable(what: &str, error: &dyn Error) -> Self {
        tracing::warn!(%error, causes = error_causes(error), "{what} from the identity provider");
        Self::Unavailable
    }

    /// Logs that a response of the provider cannot be parsed, and returns [`Self::Unavailable`]. The parser's error is
    /// not logged, because it can quote claims of a person.
    pub(super) fn unparsable(what: &str) -> Self {
        tracing::warn!("{what} from the identity provider: the response cannot be parsed");
        Self::Unavailable
    }

    /// Returns the code in the URL of the sign-in page and in the audit log, for example `expired`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unavailable => "unavailable",
            Self::Expired => "expired",
            Self::WrongIssuer => "wrong_issuer",
            Self::Denied => "denied",
            Self::Invalid => "invalid",
            Self::NotAllowed => "not_allowed",
            Self::Disabled => "disabled",
            Self::UnknownPerson => "unknown_person",
            Self::NoUser => "no_user",
        }
    }
}
