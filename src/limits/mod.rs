//! How fast one participant may act. Chat is counted apart from control, so that a flood of chat can never lock out the
//! stop button; sockets and HTTP share the counts, and so do the nodes of a cluster.

mod concurrency;
mod requests;
mod shared;

pub use concurrency::{ConcurrencyLimit, ConcurrencyPermit};
pub use requests::{Allowance, RequestLimits};
pub use shared::SharedLimits;

use std::fmt::Display;
use std::hash::Hash;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::time::Duration;

use governor::clock::{Clock, DefaultClock};
use governor::{DefaultDirectRateLimiter, DefaultKeyedRateLimiter, Quota, RateLimiter};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::http::ClientAddress;
use crate::identity::SecretHash;
use crate::kernel::{Command, ParticipantId};
use crate::protocol::{Code, Problem};
use crate::telemetry::happened;

/// A burst, and what follows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pace {
    /// How many at once.
    pub burst: NonZeroU32,
    /// How many a second after that.
    pub per_second: NonZeroU32,
}

impl Pace {
    pub(crate) const fn new(burst: u32, per_second: u32) -> Self {
        // The constants below are not zero.
        let (Some(burst), Some(per_second)) = (NonZeroU32::new(burst), NonZeroU32::new(per_second)) else {
            return Self { burst: NonZeroU32::MIN, per_second: NonZeroU32::MIN };
        };
        Self { burst, per_second }
    }

    fn limiter<K: Hash + Eq + Clone>(self) -> DefaultKeyedRateLimiter<K> {
        RateLimiter::keyed(self.quota())
    }

    /// A limiter of one thing.
    pub(crate) fn direct(self) -> DefaultDirectRateLimiter {
        RateLimiter::direct(self.quota())
    }

    fn quota(self) -> Quota {
        Quota::per_second(self.per_second).allow_burst(self.burst)
    }
}

/// How fast one participant may act.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Paces {
    /// Messages, runs and all that changes a session, default 20 at once, 5 a second.
    pub chat: Pace,
    /// Pause, resume, interrupt, cancel, votes and answers, default 60 at once, 20 a second.
    pub control: Pace,
    /// Typing and the like, default 40 at once, 10 a second; more are dropped in silence.
    pub signal: Pace,
    /// Redactions, of which each rewrites what the log of a session has, default 10 at once, 1 a second.
    pub redaction: Pace,
    /// Joining sessions, and what is done with knowledge bases but for looking at them, default 200 at once, 20 a second.
    pub join: Pace,
    /// New guests by one invitation, and from one address, default 100 at once, 1 a second.
    pub newcomer: Pace,
    /// Requests of one participant over HTTP, default 600 at once, 100 a second.
    pub request: Pace,
    /// Those of them that read a whole session or its log, open an event stream, search, or carry a file, default 120 at
    /// once, 20 a second.
    pub expensive: Pace,
    /// Requests to the API from one address without an identity, default 100 at once, 10 a second.
    pub stranger: Pace,
    /// Requests from one address, the page's files among them, default 3,000 at once, 500 a second.
    pub address: Pace,
}

impl Default for Paces {
    fn default() -> Self {
        Self {
            chat: Pace::new(20, 5),
            control: Pace::new(60, 20),
            signal: Pace::new(40, 10),
            redaction: Pace::new(10, 1),
            join: Pace::new(200, 20),
            newcomer: Pace::new(100, 1),
            request: Pace::new(600, 100),
            expensive: Pace::new(120, 20),
            stranger: Pace::new(100, 10),
            address: Pace::new(3_000, 500),
        }
    }
}

/// What every participant did lately.
pub struct RateLimits {
    chat: DefaultKeyedRateLimiter<ParticipantId>,
    control: DefaultKeyedRateLimiter<ParticipantId>,
    signal: DefaultKeyedRateLimiter<ParticipantId>,
    redaction: DefaultKeyedRateLimiter<ParticipantId>,
    join: DefaultKeyedRateLimiter<ParticipantId>,
    invitation: DefaultKeyedRateLimiter<[u8; 32]>,
    address: DefaultKeyedRateLimiter<IpAddr>,
    /// Requests over HTTP.
    pub requests: RequestLimits,
    clock: DefaultClock,
    paces: Paces,
    shared: Option<SharedLimits>,
}

impl RateLimits {
    /// Nobody did anything yet; `shared` counts what they do on other nodes, too.
    pub fn new(paces: &Paces, shared: Option<SharedLimits>) -> Self {
        Self {
            chat: paces.chat.limiter(),
            control: paces.control.limiter(),
            signal: paces.signal.limiter(),
            redaction: paces.redaction.limiter(),
            join: paces.join.limiter(),
            invitation: paces.newcomer.limiter(),
            address: paces.newcomer.limiter(),
            requests: RequestLimits::new(paces),
            clock: DefaultClock::default(),
            paces: paces.clone(),
            shared,
        }
    }

    /// Whether the participant may send this command now, by what they did on this node.
    pub fn command(&self, who: ParticipantId, command: &Command) -> Result<(), Problem> {
        let (name, limiter) = match command {
            command if command.is_control() => ("control", &self.control),
            Command::Redact { .. } => ("redaction", &self.redaction),
            _ => ("chat", &self.chat),
        };
        self.check(name, limiter, who)
    }

    /// The same by what they did on all nodes. Asked second: a flood is refused before it reaches Redis.
    pub async fn command_everywhere(&self, who: ParticipantId, command: &Command) -> Result<(), Problem> {
        let (name, pace) = match command {
            command if command.is_control() => ("control", self.paces.control),
            Command::Redact { .. } => ("redaction", self.paces.redaction),
            _ => ("chat", self.paces.chat),
        };
        self.everywhere(name, pace, who).await
    }

    /// Whether the participant may join a session now, by what they did on this node.
    pub fn join(&self, who: ParticipantId) -> Result<(), Problem> {
        self.check("join", &self.join, who)
    }

    /// The same by what they did on all nodes.
    pub async fn join_everywhere(&self, who: ParticipantId) -> Result<(), Problem> {
        self.everywhere("join", self.paces.join, who).await
    }

    /// How long an expensive request of the participant has to wait by what they did on all nodes, if it has to.
    pub async fn expensive_everywhere(&self, who: ParticipantId) -> Option<Duration> {
        let shared = self.shared.as_ref()?;
        shared.wait(&format!("expensive:{who}"), self.paces.expensive).await.filter(|wait| !wait.is_zero())
    }

    async fn everywhere(&self, name: &'static str, pace: Pace, who: impl Display) -> Result<(), Problem> {
        let Some(shared) = &self.shared else { return Ok(()) };
        match shared.wait(&format!("{name}:{who}"), pace).await {
            Some(wait) if !wait.is_zero() => Err(too_fast(name, wait)),
            _ => Ok(()),
        }
    }

    /// Whether this invitation, used from this address, makes a new guest now. Guests have limits of their own only once
    /// they are somebody.
    pub fn newcomer(&self, invitation: SecretHash, address: ClientAddress) -> Result<(), Problem> {
        self.check("newcomer", &self.invitation, invitation.0)?;
        self.check("newcomer", &self.address, address.network())
    }

    /// The same by all nodes' count.
    pub async fn newcomer_everywhere(&self, invitation: SecretHash, address: ClientAddress) -> Result<(), Problem> {
        self.everywhere("newcomer", self.paces.newcomer, invitation.id()).await?;
        self.everywhere("newcomer", self.paces.newcomer, address.network()).await
    }

    /// Whether the participant's signal is passed on, by this node's count alone: asking Redis would cost more than the
    /// signal.
    pub fn signal(&self, who: ParticipantId) -> bool {
        let passed = self.signal.check_key(&who).is_ok();
        if !passed {
            happened().rate_limited.count(["signal"]);
        }
        passed
    }

    /// Forget whom the limits no longer concern. Called now and then, or the memory of everybody stays.
    pub fn sweep(&self) {
        for limiter in [&self.chat, &self.control, &self.signal, &self.redaction, &self.join] {
            forget(limiter);
        }
        self.requests.sweep();
        forget(&self.invitation);
        forget(&self.address);
    }

    fn check<K: Hash + Eq + Clone>(
        &self,
        name: &'static str,
        limiter: &DefaultKeyedRateLimiter<K>,
        who: K,
    ) -> Result<(), Problem> {
        limiter.check_key(&who).map_err(|not_until| too_fast(name, not_until.wait_time_from(self.clock.now())))
    }
}

/// The answer to what comes too fast for this limit.
pub(crate) fn too_fast(name: &'static str, wait: Duration) -> Problem {
    happened().rate_limited.count([name]);
    let millis = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX - 1) + 1;
    Problem::new(Code::RateLimited, "too fast; send it again after retry_after_ms").retry_after(millis)
}

fn forget<K: Hash + Eq + Clone>(limiter: &DefaultKeyedRateLimiter<K>) {
    limiter.retain_recent();
    limiter.shrink_to_fit();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Mode;

    #[test]
    fn a_flood_of_chat_does_not_lock_out_the_stop_button() {
        let limits = RateLimits::new(&Paces::default(), None);
        let who = ParticipantId(uuid::Uuid::from_u128(1));
        let say = Command::Say { text: "hi".into(), to: None, mode: Mode::Queue, files: vec![] };
        let refused = (0..100).filter(|_| limits.command(who, &say).is_err()).count();
        assert!((75..=80).contains(&refused), "{refused}");
        let problem = limits.command(who, &say).expect_err("still too fast");
        assert_eq!(problem.code(), Code::RateLimited);
        assert!((1..=201).contains(&problem.0.retry_after_ms.expect("says when")));
        let stop = Command::Interrupt { run: crate::kernel::RunId(1), step: None, item: None, text: None };
        limits.command(who, &stop).expect("has a limit of its own");
        limits.command(ParticipantId(uuid::Uuid::from_u128(2)), &say).expect("is somebody else");
        let target = crate::kernel::RedactionTarget::Session;
        let redact = Command::Redact { target, reason: None };
        let refused = (0..20).filter(|_| limits.command(who, &redact).is_err()).count();
        assert!((9..=10).contains(&refused), "rewriting logs has a lower one: {refused}");
    }
}
