//! Sign-in in progress: the secret that binds it to one browser, and the values that are derived from it.

use std::time::Duration;

use crate::identity::{Secret, SecretHash};

/// Sign-in in progress. Its secret is in a cookie of the browser that started it, and the store has only the hash of
/// the secret. State, nonce and PKCE verifier are derived from the secret, so a copy of the store reveals none of them.
pub struct SignInAttempt(String);

impl SignInAttempt {
    /// Maximum duration of a sign-in at the provider.
    pub const LIFETIME: Duration = Duration::from_secs(10 * 60);

    /// Starts a sign-in with a new secret.
    pub fn begin() -> Self {
        Self(Secret::random("oidc").reveal().to_owned())
    }

    /// Returns the sign-in whose cookie has this value.
    pub fn of_cookie(value: &str) -> Self {
        Self(value.to_owned())
    }

    /// Returns the secret for the cookie.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Returns the hash for the store.
    pub fn hash(&self) -> SecretHash {
        SecretHash::of(&self.0)
    }

    /// Returns the state, which the provider includes in its response.
    pub fn state(&self) -> String {
        self.derived("roundtable oidc state")
    }

    /// Returns whether a response with this state belongs to this sign-in.
    pub fn has_state(&self, state: &str) -> bool {
        // Hashes are compared in constant time.
        blake3::hash(state.as_bytes()) == blake3::hash(self.state().as_bytes())
    }

    /// Returns the nonce, which the provider puts into the ID token.
    pub(super) fn nonce(&self) -> String {
        self.derived("roundtable oidc nonce")
    }

    /// Returns the PKCE verifier, 64 characters.
    pub(super) fn verifier(&self) -> String {
        self.derived("roundtable oidc verifier")
    }

    fn derived(&self, purpose: &str) -> String {
        blake3::Hasher::new_derive_key(purpose).update(self.0.as_bytes()).finalize().to_hex().to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::SignInAttempt;

    #[test]
    fn a_sign_in_has_its_own_values_and_none_reveals_another() {
        let (one, other) = (SignInAttempt::begin(), SignInAttempt::begin());
        let values = [one.state(), one.nonce(), one.verifier(), one.reveal().to_owned(), other.state()];
        for (at, value) in values.iter().enumerate() {
            assert!(!values[at + 1..].contains(value));
        }
        let again = SignInAttempt::of_cookie(one.reveal());
        assert!(again.has_state(&one.state()) && !again.has_state(&other.state()) && !again.has_state(""));
        assert_eq!(again.nonce(), one.nonce());
    }
}
