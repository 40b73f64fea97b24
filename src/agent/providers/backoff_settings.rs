//! Backoff between attempts at a turn.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::backoff::{self, jittered, random};

/// Exponential backoff between attempts at a turn. It has jitter, so that runs do not all retry at the same moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BackoffSettings {
    /// Delay after the first failure, in milliseconds; doubles after each further failure. Default 500.
    #[schemars(range(min = 1, max = 600_000))]
    pub base_ms: u64,
    /// Upper bound on the doubled delay, in milliseconds. Default 30000.
    #[schemars(range(min = 1, max = 3_600_000))]
    pub max_ms: u64,
    /// Longest provider `Retry-After` that is honored, in milliseconds; a longer one is reduced to this value. Default
    /// 600000.
    #[schemars(range(min = 0, max = 86_400_000))]
    pub max_retry_after_ms: u64,
}

impl Default for BackoffSettings {
    fn default() -> Self {
        Self { base_ms: 500, max_ms: 30_000, max_retry_after_ms: 600_000 }
    }
}

impl BackoffSettings {
    /// Returns the delay after `failures` failed attempts, in milliseconds: at least what the provider requested, up to
    /// `max_retry_after_ms`.
    pub fn delay(&self, failures: u32, retry_after_ms: Option<u64>) -> u64 {
        self.delay_with(failures, retry_after_ms, random())
    }

    fn delay_with(&self, failures: u32, retry_after_ms: Option<u64>, chance: u32) -> u64 {
        let own = backoff::delay_with(failures, self.base_ms, self.max_ms, chance);
        match retry_after_ms {
            None => own,
            Some(retry_after_ms) => {
                let retry_after_ms = retry_after_ms.min(self.max_retry_after_ms);
                own.max(retry_after_ms.saturating_add(jittered(self.base_ms, chance)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_wait_doubles_up_to_its_bound() {
        let backoff = BackoffSettings { base_ms: 100, max_ms: 1_000, max_retry_after_ms: 60_000 };
        let waits: Vec<u64> = (1..=6).map(|failures| backoff.delay_with(failures, None, u32::MAX)).collect();
        assert_eq!(waits, [100, 200, 400, 800, 1_000, 1_000]);
        assert_eq!(backoff.delay_with(3, None, 0), 200);
    }

    proptest! {
        #[test]
        fn a_wait_is_bounded_and_honors_the_provider(failures: u32, retry_after_ms in proptest::option::of(0..2_000_000u64), chance: u32) {
            let backoff = BackoffSettings::default();
            let wait = backoff.delay_with(failures, retry_after_ms, chance);
            let retry_after_ms = retry_after_ms.unwrap_or(0).min(backoff.max_retry_after_ms);
            prop_assert!(wait >= retry_after_ms);
            prop_assert!(wait <= retry_after_ms.max(backoff.max_ms) + backoff.base_ms);
        }
    }
}
