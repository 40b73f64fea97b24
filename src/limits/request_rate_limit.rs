//! Rate limits of HTTP requests: per address, per participant, and for expensive requests.

use std::hash::Hash;
use std::net::IpAddr;
use std::time::Duration;

use governor::clock::{Clock, DefaultClock};
use governor::middleware::StateInformationMiddleware;
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

use super::request_batches::{RequestCount, RequestSource};
use super::{RateLimit, RateLimitSettings, RateLimiters};
use crate::kernel::ParticipantId;

type KeyedLimiter<K> = DefaultKeyedRateLimiter<K, StateInformationMiddleware>;

/// Remaining allowance of a limit after a request was counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowance {
    /// Name of the limit, which is the name of its setting under `rate_limits`.
    pub name: &'static str,
    /// Value of that setting.
    pub limit: RateLimit,
    /// Number of requests that can follow immediately.
    pub remaining: u32,
    /// Time until the next request is accepted. Zero if the counted request was accepted.
    pub wait: Duration,
}

/// Rate limiters of this node, with the recent requests of every sender.
pub(super) struct RequestRateLimiters {
    address: KeyedLimiter<IpAddr>,
    stranger: KeyedLimiter<IpAddr>,
    request: KeyedLimiter<ParticipantId>,
    expensive: KeyedLimiter<ParticipantId>,
    clock: DefaultClock,
    settings: RateLimitSettings,
}

impl RequestRateLimiters {
    pub(super) fn new(settings: &RateLimitSettings) -> Self {
        Self {
            address: limiter(settings.address),
            stranger: limiter(settings.stranger),
            request: limiter(settings.request),
            expensive: limiter(settings.expensive),
            clock: DefaultClock::default(),
            settings: settings.clone(),
        }
    }

    /// Counts any request from this address.
    fn address(&self, address: IpAddr) -> Allowance {
        self.count("address", self.settings.address, &self.address, address)
    }

    /// Counts a request to the API without an identity, from this address.
    fn stranger(&self, address: IpAddr) -> Allowance {
        self.count("stranger", self.settings.stranger, &self.stranger, address)
    }

    /// Counts any request of a participant.
    fn request(&self, who: ParticipantId) -> Allowance {
        self.count("request", self.settings.request, &self.request, who)
    }

    /// Counts an expensive request of a participant.
    pub(super) fn expensive(&self, who: ParticipantId) -> Allowance {
        self.count("expensive", self.settings.expensive, &self.expensive, who)
    }

    fn count<K: Hash + Eq + Clone>(
        &self,
        name: &'static str,
        limit: RateLimit,
        limiter: &KeyedLimiter<K>,
        key: K,
    ) -> Allowance {
        let (remaining, wait) = match limiter.check_key(&key) {
            Ok(state) => (state.remaining_burst_capacity(), Duration::ZERO),
            Err(not_until) => (0, not_until.wait_time_from(self.clock.now()).max(Duration::from_millis(1))),
        };
        Allowance { name, limit, remaining, wait }
    }

    pub(super) fn sweep(&self) {
        for limiter in [&self.address, &self.stranger] {
            limiter.retain_recent();
            limiter.shrink_to_fit();
        }
        for limiter in [&self.request, &self.expensive] {
            limiter.retain_recent();
            limiter.shrink_to_fit();
        }
    }
}

impl RateLimiters {
    /// Counts any request from this address, on all nodes.
    pub async fn address(&self, address: IpAddr) -> Allowance {
        self.request_everywhere(self.requests.address(address), RequestSource::Address(address)).await
    }

    /// Counts a request to the API without an identity, from this address, on all nodes.
    pub async fn stranger(&self, address: IpAddr) -> Allowance {
        self.request_everywhere(self.requests.stranger(address), RequestSource::Address(address)).await
    }

    /// Counts any request of a participant, on all nodes.
    pub async fn request(&self, who: ParticipantId) -> Allowance {
        self.request_everywhere(self.requests.request(who), RequestSource::Participant(who)).await
    }

    /// Counts a request on all nodes, in batches, if this node has accepted it. `here` is the allowance on this node.
    async fn request_everywhere(&self, here: Allowance, source: RequestSource) -> Allowance {
        let Some(shared) = self.shared.as_ref().filter(|_| here.wait.is_zero()) else { return here };
        let wait = match self.batches.count(here.name, source, here.limit) {
            RequestCount::Counted => return here,
            RequestCount::Blocked(wait) => wait,
            RequestCount::Full(requests) => {
                let name = format!("{}:{source}", here.name);
                let wait = shared.wait(&name, here.limit, requests).await.filter(|wait| !wait.is_zero());
                let Some(wait) = wait else { return here };
                self.batches.block(here.name, source, wait);
                wait
            }
        };
        Allowance { remaining: 0, wait, ..here }
    }
}

fn limiter<K: Hash + Eq + Clone>(limit: RateLimit) -> KeyedLimiter<K> {
    let quota = Quota::per_second(limit.per_second).allow_burst(limit.burst);
    RateLimiter::keyed(quota).with_middleware::<StateInformationMiddleware>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_allowance_counts_down_and_says_when_there_is_more() {
        let settings = RateLimitSettings { expensive: RateLimit::new(3, 1), ..RateLimitSettings::default() };
        let limits = RequestRateLimiters::new(&settings);
        let who = ParticipantId(uuid::Uuid::from_u128(1));
        let remaining: Vec<u32> = (0..3).map(|_| limits.expensive(who).remaining).collect();
        assert_eq!(remaining, [2, 1, 0]);
        let refused = limits.expensive(who);
        assert!(!refused.wait.is_zero() && refused.wait <= Duration::from_secs(1), "{refused:?}");
        assert!(limits.request(who).wait.is_zero(), "has a limit of its own");
        assert!(limits.expensive(ParticipantId(uuid::Uuid::from_u128(2))).wait.is_zero(), "is somebody else");
    }
}
