//! Rate limit of denials in the audit log, so that a flood of denials neither fills the table nor hides other
//! entries.

use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use governor::{DefaultDirectRateLimiter, DefaultKeyedRateLimiter, Quota, RateLimiter};

use super::AuditSettings;
use crate::network::ClientAddress;

/// Counters of denials, per address and in total.
pub(super) struct DenialLimiter {
    by_address: DefaultKeyedRateLimiter<Option<IpAddr>>,
    all: DefaultDirectRateLimiter,
    suppressed: AtomicU64,
}

impl DenialLimiter {
    pub(super) fn new(settings: &AuditSettings) -> Self {
        let quota = |count| Quota::per_minute(NonZeroU32::new(count).unwrap_or(NonZeroU32::MIN));
        Self {
            by_address: RateLimiter::keyed(quota(settings.max_denials_per_address_minute)),
            all: RateLimiter::direct(quota(settings.max_denials_per_minute)),
            suppressed: AtomicU64::new(0),
        }
    }

    /// Counts a denial of this address. Returns the number of denials suppressed since the last one that was written,
    /// or `None` if this one is suppressed too.
    pub(super) fn admit(&self, address: Option<IpAddr>) -> Option<u64> {
        // Check the address first: a flood from one address must not use up the total limit.
        if self.by_address.check_key(&address.map(|address| ClientAddress(address).network())).is_ok()
            && self.all.check().is_ok()
        {
            return Some(self.suppressed.swap(0, Relaxed));
        }
        self.suppressed.fetch_add(1, Relaxed);
        None
    }

    /// Removes counters of addresses that are back at their full allowance.
    pub(super) fn sweep(&self) {
        self.by_address.retain_recent();
        self.by_address.shrink_to_fit();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_from_one_address_leaves_room_for_others_and_is_counted() {
        let denials = DenialLimiter::new(&AuditSettings::default());
        let flood = |host: u16| Some(IpAddr::from([0x2001, 0xdb8, 0, 0, 0, 0, 0, host]));
        let written = (0..1_000).filter(|host| denials.admit(flood(*host)).is_some()).count();
        assert_eq!(written, 10, "one /64 is one address");
        let suppressed = denials.admit(Some([192, 0, 2, 1].into()));
        assert_eq!(suppressed, Some(990), "the next entry says how many were left out");
        let written = (0..10_000_u32).filter(|n| denials.admit(Some(IpAddr::from(n.to_be_bytes()))).is_some());
        assert_eq!(written.count(), 109, "all addresses together");
    }
}
