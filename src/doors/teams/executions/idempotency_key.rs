//! `Idempotency-Key`: a request that is repeated after a lost response takes effect only once.

use axum::http::HeaderMap;
use uuid::{Builder, Uuid};

use crate::protocol::{Code, Problem};

/// Maximum number of bytes in an `Idempotency-Key`.
const MAX_KEY_BYTES: usize = 255;

/// Key that the sender of a request chose.
pub(super) struct IdempotencyKey<'a>(&'a [u8]);

impl<'a> IdempotencyKey<'a> {
    /// Returns the key in the headers, if there is one.
    ///
    /// # Errors
    /// `invalid_argument` if it is empty or longer than 255 bytes.
    pub(super) fn of(headers: &'a HeaderMap) -> Result<Option<Self>, Problem> {
        let Some(key) = headers.get("idempotency-key") else { return Ok(None) };
        if !(1..=MAX_KEY_BYTES).contains(&key.len()) {
            let message = format!("Idempotency-Key has {} bytes; use 1 to {MAX_KEY_BYTES}", key.len());
            return Err(Problem::new(Code::InvalidArgument, message));
        }
        Ok(Some(Self(key.as_bytes())))
    }

    /// Returns the id that all requests with this key have in a scope, such as a participant and a team. The ids in a
    /// scope have a fixed length, so that different scopes and keys never result in the same bytes.
    pub(super) fn id<const N: usize>(&self, scope: [Uuid; N]) -> Uuid {
        let mut hash = blake3::Hasher::new();
        for id in scope {
            hash.update(id.as_bytes());
        }
        hash.update(self.0);
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&hash.finalize().as_bytes()[..16]);
        Builder::from_custom_bytes(bytes).into_uuid()
    }
}

/// Returns the error for a key that was used for a different request.
pub(super) fn reused() -> Problem {
    let message = "this Idempotency-Key was used for another request; use a new key for each request";
    Problem::new(Code::IdempotencyKeyReused, message)
}
