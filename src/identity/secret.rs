//! Random secrets, and their hashes in the store.

use std::fmt;

/// Secret of 256 random bits with a prefix for its kind, for example `rt_token_…`. The prefix helps scanners find
/// leaked secrets. A secret is shown to its owner once, and never stored or logged.
pub struct Secret(String);

/// BLAKE3 hash of a secret, which the store keeps. A fast hash is sufficient, because 256 random bits cannot be
/// guessed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SecretHash(pub [u8; 32]);

impl Secret {
    /// Creates a secret. `what` is its kind: `token`, `cookie`, `invite`, `signin` or `oidc`.
    ///
    /// # Panics
    /// Panics if the operating system provides no randomness, because the secret could then be guessed.
    pub fn random(what: &str) -> Self {
        let mut bits = [0; 32];
        #[allow(clippy::expect_used, reason = "a server without randomness must not hand out secrets")]
        getrandom::fill(&mut bits).expect("the operating system provides randomness");
        let text = bits.iter().fold(format!("rt_{what}_"), |mut text, byte| {
            use fmt::Write;
            let _ = write!(text, "{byte:02x}");
            text
        });
        Self(text)
    }

    /// Returns the secret itself, to show it to its owner.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Returns the hash of the secret.
    pub fn hash(&self) -> SecretHash {
        SecretHash::of(&self.0)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl SecretHash {
    /// Hashes a secret that a client sent.
    pub fn of(secret: &str) -> Self {
        Self(*blake3::hash(secret.as_bytes()).as_bytes())
    }

    /// Returns the first 12 hexadecimal digits: enough to distinguish secrets, too few to reveal them.
    pub fn id(&self) -> String {
        self.0[..6].iter().fold(String::new(), |mut text, byte| {
            use fmt::Write;
            let _ = write!(text, "{byte:02x}");
            text
        })
    }
}
