//! How long to wait before what failed is tried again.

/// Milliseconds to wait after so many failures in a row: `first`, doubled with each up to `most`, and half of that by
/// chance, so that many who failed at once do not come back at once.
pub fn pause(failures: u32, first: u64, most: u64) -> u64 {
    pause_with(failures, first, most, chance())
}

/// The same with this chance.
pub(crate) fn pause_with(failures: u32, first: u64, most: u64, chance: u32) -> u64 {
    let doubled = first.saturating_mul(1u64.checked_shl(failures.saturating_sub(1)).unwrap_or(u64::MAX));
    let wanted = doubled.min(most);
    wanted / 2 + part_of(wanted - wanted / 2, chance)
}

/// Anything. The simulation sets the seed of its threads, so that its plans repeat; nothing secret is made of it.
pub(crate) fn chance() -> u32 {
    fastrand::u32(..)
}

/// As much of this as chance has it.
pub(crate) fn part_of(millis: u64, chance: u32) -> u64 {
    (u128::from(millis) * u128::from(chance) / u128::from(u32::MAX)) as u64
}
