//! A random secret and the hash that stands for it in the store.

use std::fmt;

/// A secret of 256 random bits with a prefix that says what it opens, `rt_token_…`; the prefix lets scanners of leaked
/// secrets find it. Shown to its owner once, never stored, never logged.
pub struct Secret(String);

/// What the store keeps of a secret. Fast hashing is enough: 256 random bits cannot be guessed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SecretHash(pub [u8; 32]);

impl Secret {
    /// A new one; `what` is `token`, `cookie`, `invite` or `signin`.
    ///
    /// # Panics
    /// Where the operating system gives no randomness: nothing secret could be made there.
    pub fn random(what: &str) -> Self {
        let mut bits = [0; 32];
        #[allow(clippy::expect_used, reason = "a server without randomness must not hand out secrets")]
        getrandom::fill(&mut bits).expect("the operating system gives randomness");
        let text = bits.iter().fold(format!("rt_{what}_"), |mut text, byte| {
            use fmt::Write;
            let _ = write!(text, "{byte:02x}");
            text
        });
        Self(text)
    }

    /// The secret itself, to show it to its owner.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Its hash.
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
    /// The hash of a secret that somebody presents.
    pub fn of(secret: &str) -> Self {
        Self(*blake3::hash(secret.as_bytes()).as_bytes())
    }

    /// Its first digits: enough to tell secrets apart, too few to say anything about them.
    pub fn id(&self) -> String {
        self.0[..6].iter().fold(String::new(), |mut text, byte| {
            use fmt::Write;
            let _ = write!(text, "{byte:02x}");
            text
        })
    }
}
