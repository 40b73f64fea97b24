//! Exponential backoff with jitter.

/// Returns the milliseconds to wait after a number of consecutive failures: `first_ms` after the first, doubled after
/// each further one, up to `max_ms`. Half of the delay is random, so that callers that failed together do not retry
/// together.
pub fn delay_ms(failures: u32, first_ms: u64, max_ms: u64) -> u64 {
    delay_with(failures, first_ms, max_ms, random())
}

/// Returns the same as [`delay_ms`], with `chance` as the random number.
pub(crate) fn delay_with(failures: u32, first_ms: u64, max_ms: u64, chance: u32) -> u64 {
    let doubled = first_ms.saturating_mul(1u64.checked_shl(failures.saturating_sub(1)).unwrap_or(u64::MAX));
    let delay = doubled.min(max_ms);
    delay / 2 + jittered(delay - delay / 2, chance)
}

/// Returns a random number. Not for secrets: the simulation seeds its threads, so that its plans are reproducible.
pub(crate) fn random() -> u32 {
    fastrand::u32(..)
}

/// Returns the part of `ms` that the random number `chance` selects.
pub(crate) fn jittered(ms: u64, chance: u32) -> u64 {
    (u128::from(ms) * u128::from(chance) / u128::from(u32::MAX)) as u64
}
