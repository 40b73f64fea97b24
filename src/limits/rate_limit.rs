//! Rate limits of participants. Chat and control have separate limits, so that a flood of chat never blocks the stop
//! button. Sockets and HTTP share the counters. The nodes of a cluster share them too, except those of signals.

use std::fmt::Display;
use std::hash::Hash;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::time::Duration;

use governor::clock::{Clock, DefaultClock};
use governor::{DefaultDirectRateLimiter, DefaultKeyedRateLimiter, Quota, RateLimiter};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::request_batches::RequestBatches;
use super::{Allowance, RateLimitSender, RequestRateLimiters, SharedRateLimiter};
use crate::identity::SecretHash;
use crate::kernel::{CommandKind, ParticipantId};
use crate::network::ClientAddress;
use crate::protocol::{Code, Problem};
use crate::telemetry::metrics;

/// Rate limit: a burst size and a refill rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RateLimit {
    /// Maximum number of requests at once, for example 20.
    pub burst: NonZeroU32,
    /// Number of requests per second after the burst, for example 5.
    pub per_second: NonZeroU32,
}

impl RateLimit {
    pub(crate) const fn new(burst: u32, per_second: u32) -> Self {
        // This case never occurs, because the constants below are not zero.
        let (Some(burst), Some(per_second)) = (NonZeroU32::new(burst), NonZeroU32::new(per_second)) else {
            return Self { burst: NonZeroU32::MIN, per_second: NonZeroU32::MIN };
        };
        Self { burst, per_second }
    }

    pub(super) fn limiter<K: Hash + Eq + Clone>(self) -> DefaultKeyedRateLimiter<K> {
        RateLimiter::keyed(self.quota())
    }

    /// Creates a limiter without keys.
    pub(crate) fn direct(self) -> DefaultDirectRateLimiter {
        RateLimiter::direct(self.quota())
    }

    pub(super) fn quota(self) -> Quota {
        Quota::per_second(self.per_second).allow_burst(self.burst)
    }
}

/// Rate limits. Each limit applies separately to every participant, token, invitation or address.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RateLimitSettings {
    /// Messages, runs and other changes of a session. Default: bursts of 20, 5 per second.
    pub chat: RateLimit,
    /// Pause, resume, interrupt, cancel, votes and answers. Default: bursts of 60, 20 per second.
    pub control: RateLimit,
    /// Signals such as typing. Default: bursts of 40, 10 per second. Further signals are dropped without an error.
    pub signal: RateLimit,
    /// Redactions, each of which rewrites a part of a session's log. Default: bursts of 10, 1 per second.
    pub redaction: RateLimit,
    /// Joins of sessions, searches in and changes to knowledge bases, and uploads of attachments through doors.
    /// Default: bursts of 200, 20 per second.
    pub join: RateLimit,
    /// Commands (except controls), joins and expensive requests of one token, in addition to the limits of its owner. A
    /// lower limit leaves room for the owner while their token floods the server. If absent, a token has only the
    /// limits of its owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<RateLimit>,
    /// New guests through one invitation. The same limit applies separately to new guests from one address. Default:
    /// bursts of 100, 1 per second.
    pub newcomer: RateLimit,
    /// HTTP requests of one participant. Default: bursts of 600, 100 per second.
    pub request: RateLimit,
    /// Expensive HTTP requests of one participant, for example those that read a whole session or its log, open an
    /// event stream, search, or transfer a file. Default: bursts of 120, 20 per second.
    pub expensive: RateLimit,
    /// Requests to the API from one address without an identity. Default: bursts of 100, 10 per second.
    pub stranger: RateLimit,
    /// Requests from one address, including files of the page. Default: bursts of 3000, 500 per second.
    pub address: RateLimit,
}

impl Default for RateLimitSettings {
    fn default() -> Self {
        Self {
            chat: RateLimit::new(20, 5),
            control: RateLimit::new(60, 20),
            signal: RateLimit::new(40, 10),
            redaction: RateLimit::new(10, 1),
            join: RateLimit::new(200, 20),
            token: None,
            newcomer: RateLimit::new(100, 1),
            request: RateLimit::new(600, 100),
            expensive: RateLimit::new(120, 20),
            stranger: RateLimit::new(100, 10),
            address: RateLimit::new(3_000, 500),
        }
    }
}

/// Rate limiters with the recent operations of every participant.
pub struct RateLimiters {
    chat: DefaultKeyedRateLimiter<ParticipantId>,
    control: DefaultKeyedRateLimiter<ParticipantId>,
    signal: DefaultKeyedRateLimiter<ParticipantId>,
    redaction: DefaultKeyedRateLimiter<ParticipantId>,
    join: DefaultKeyedRateLimiter<ParticipantId>,
    token: Option<DefaultKeyedRateLimiter<[u8; 32]>>,
    invitation: DefaultKeyedRateLimiter<[u8; 32]>,
    address: DefaultKeyedRateLimiter<IpAddr>,
    pub(super) requests: RequestRateLimiters,
    clock: DefaultClock,
    settings: RateLimitSettings,
    pub(super) shared: Option<SharedRateLimiter>,
    pub(super) batches: RequestBatches,
}

impl RateLimiters {
    /// Creates limiters without any operations. `shared` also counts operations on other nodes.
    pub fn new(settings: &RateLimitSettings, shared: Option<SharedRateLimiter>) -> Self {
        Self {
            chat: settings.chat.limiter(),
            control: settings.control.limiter(),
            signal: settings.signal.limiter(),
            redaction: settings.redaction.limiter(),
            join: settings.join.limiter(),
            token: settings.token.map(RateLimit::limiter),
            invitation: settings.newcomer.limiter(),
            address: settings.newcomer.limiter(),
            requests: RequestRateLimiters::new(settings),
            clock: DefaultClock::default(),
            settings: settings.clone(),
            shared,
            batches: RequestBatches::default(),
        }
    }

    /// Counts a command toward the limits of the participant and of their token, on this node.
    ///
    /// # Errors
    /// Fails with `rate_limited` if a limit is exceeded.
    pub fn command(&self, who: impl Into<RateLimitSender>, kind: CommandKind) -> Result<(), Problem> {
        let RateLimitSender { participant, token } = who.into();
        let limiter = match kind {
            CommandKind::Control => &self.control,
            CommandKind::Redaction => &self.redaction,
            CommandKind::Creation | CommandKind::Title | CommandKind::Entry | CommandKind::Ordinary => &self.chat,
        };
        // Check the token first, because commands that its limit rejects must not use up the limits of its owner.
        self.token(token.filter(|_| counts_for_token(kind)))?;
        self.check(self.limit_of(kind), limiter, participant)
    }

    /// Counts a command toward the limits of the participant and of their token, on all nodes. Call it after
    /// [`RateLimiters::command`], so that a flood is rejected before it reaches Redis.
    ///
    /// # Errors
    /// Fails with `rate_limited` if a limit is exceeded.
    pub async fn command_everywhere(&self, who: impl Into<RateLimitSender>, kind: CommandKind) -> Result<(), Problem> {
        let RateLimitSender { participant, token } = who.into();
        let (name, limit) = self.limit_of(kind);
        self.token_everywhere(token.filter(|_| counts_for_token(kind))).await?;
        self.everywhere(name, limit, participant).await
    }

    fn token(&self, token: Option<SecretHash>) -> Result<(), Problem> {
        match (token, self.settings.token, &self.token) {
            (Some(token), Some(limit), Some(limiter)) => self.check(("token", limit), limiter, token.0),
            _ => Ok(()),
        }
    }

    async fn token_everywhere(&self, token: Option<SecretHash>) -> Result<(), Problem> {
        match (token, self.settings.token) {
            (Some(token), Some(limit)) => self.everywhere("token", limit, token.id()).await,
            _ => Ok(()),
        }
    }

    /// Returns the limit of a kind of command, with the name of its setting.
    fn limit_of(&self, kind: CommandKind) -> (&'static str, RateLimit) {
        match kind {
            CommandKind::Control => ("control", self.settings.control),
            CommandKind::Redaction => ("redaction", self.settings.redaction),
            CommandKind::Creation | CommandKind::Title | CommandKind::Entry | CommandKind::Ordinary => {
                ("chat", self.settings.chat)
            }
        }
    }

    /// Counts a join toward the limits of the participant and of their token, on this node.
    ///
    /// # Errors
    /// Fails with `rate_limited` if a limit is exceeded.
    pub fn join(&self, who: impl Into<RateLimitSender>) -> Result<(), Problem> {
        let RateLimitSender { participant, token } = who.into();
        self.token(token)?;
        self.check(("join", self.settings.join), &self.join, participant)
    }

    /// Counts a join toward the limits of the participant and of their token, on all nodes.
    ///
    /// # Errors
    /// Fails with `rate_limited` if a limit is exceeded.
    pub async fn join_everywhere(&self, who: impl Into<RateLimitSender>) -> Result<(), Problem> {
        let RateLimitSender { participant, token } = who.into();
        self.token_everywhere(token).await?;
        self.everywhere("join", self.settings.join, participant).await
    }

    /// Counts an expensive request toward the limits of the participant and of their token, first on this node and then
    /// on all nodes. Returns the remaining allowance of the limit that rejects the request or, if none does, of the
    /// participant's limit on this node.
    pub async fn expensive(&self, who: impl Into<RateLimitSender>) -> Allowance {
        let RateLimitSender { participant, token } = who.into();
        if let Some(rejected) = self.expensive_of_token(token).await {
            return rejected;
        }
        let here = self.requests.expensive(participant);
        // Check this node first, so that a flood is rejected before it reaches Redis.
        if !here.wait.is_zero() {
            return here;
        }
        let everywhere = self.wait_everywhere("expensive", self.settings.expensive, participant).await;
        everywhere.map_or(here, |wait| Allowance { wait, ..here })
    }

    async fn expensive_of_token(&self, token: Option<SecretHash>) -> Option<Allowance> {
        let (token, limit, limiter) = (token?, self.settings.token?, self.token.as_ref()?);
        let (name, rejected) = ("token", limiter.check_key(&token.0).err());
        let wait = match rejected.map(|not_until| not_until.wait_time_from(self.clock.now())) {
            Some(wait) => Some(wait),
            None => self.wait_everywhere(name, limit, token.id()).await,
        };
        wait.map(|wait| Allowance { name, limit, remaining: 0, wait: wait.max(Duration::from_millis(1)) })
    }

    async fn everywhere(&self, name: &'static str, limit: RateLimit, who: impl Display) -> Result<(), Problem> {
        let wait = self.wait_everywhere(name, limit, who).await;
        wait.map_or(Ok(()), |wait| Err(too_fast_problem(name, limit, wait)))
    }

    /// Counts an operation on all nodes. Returns how long it has to wait, or `None` if it is accepted or no shared
    /// limits are available.
    async fn wait_everywhere(&self, name: &str, limit: RateLimit, who: impl Display) -> Option<Duration> {
        let shared = self.shared.as_ref()?;
        shared.wait(&format!("{name}:{who}"), limit, 1).await.filter(|wait| !wait.is_zero())
    }

    /// Counts a new guest through this invitation from this address, on this node. A guest's own limits apply only once
    /// the guest exists.
    ///
    /// # Errors
    /// Fails with `rate_limited` if the limit is exceeded.
    pub fn newcomer(&self, invitation: SecretHash, address: ClientAddress) -> Result<(), Problem> {
        let limit = ("newcomer", self.settings.newcomer);
        self.check(limit, &self.invitation, invitation.0)?;
        self.check(limit, &self.address, address.network())
    }

    /// Counts a new guest through this invitation from this address, on all nodes.
    ///
    /// # Errors
    /// Fails with `rate_limited` if the limit is exceeded.
    pub async fn new_guest_everywhere(&self, invitation: SecretHash, address: ClientAddress) -> Result<(), Problem> {
        self.everywhere("newcomer", self.settings.newcomer, invitation.id()).await?;
        self.everywhere("newcomer", self.settings.newcomer, address.network()).await
    }

    /// Counts a signal of the participant, and returns whether to forward it. Only this node counts signals, because a
    /// request to Redis would cost more than the signal.
    pub fn signal(&self, who: ParticipantId) -> bool {
        let passed = self.signal.check_key(&who).is_ok();
        if !passed {
            metrics().rate_limited.count(["signal"]);
        }
        passed
    }

    /// Removes counters that are back at their full allowance. Without regular calls, the counters of all senders would
    /// stay in memory.
    pub fn sweep(&self) {
        for limiter in [&self.chat, &self.control, &self.signal, &self.redaction, &self.join] {
            remove_if_idle(limiter);
        }
        self.requests.sweep();
        self.batches.sweep();
        remove_if_idle(&self.invitation);
        self.token.iter().for_each(remove_if_idle);
        remove_if_idle(&self.address);
    }

    fn check<K: Hash + Eq + Clone>(
        &self,
        (name, limit): (&'static str, RateLimit),
        limiter: &DefaultKeyedRateLimiter<K>,
        who: K,
    ) -> Result<(), Problem> {
        let rejected = limiter.check_key(&who);
        rejected.map_err(|not_until| too_fast_problem(name, limit, not_until.wait_time_from(self.clock.now())))
    }
}

/// Returns whether a command counts toward the limit of its sender's token. Controls do not, so that no flood blocks
/// the stop button.
fn counts_for_token(kind: CommandKind) -> bool {
    match kind {
        CommandKind::Control => false,
        CommandKind::Redaction
        | CommandKind::Creation
        | CommandKind::Title
        | CommandKind::Entry
        | CommandKind::Ordinary => true,
    }
}

/// Counts a rejection by the limit with this name under `rate_limits`, and returns the error for it.
pub(crate) fn too_fast_problem(name: &'static str, limit: RateLimit, wait: Duration) -> Problem {
    metrics().rate_limited.count([name]);
    let ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX - 1) + 1;
    let setting = format!("rate_limits.{name}");
    let message = format!("rate limit exceeded ({setting}); retry in {ms} ms");
    let details = json!({ "limit": setting, "burst": limit.burst, "per_second": limit.per_second });
    Problem::new(Code::RateLimited, message).details(details).retry_after(ms)
}

fn remove_if_idle<K: Hash + Eq + Clone>(limiter: &DefaultKeyedRateLimiter<K>) {
    limiter.retain_recent();
    limiter.shrink_to_fit();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_has_a_limit_besides_that_of_its_owner() {
        let settings = RateLimitSettings { token: Some(RateLimit::new(3, 1)), ..RateLimitSettings::default() };
        let limits = RateLimiters::new(&settings, None);
        let participant = ParticipantId(uuid::Uuid::from_u128(1));
        let by = |name: &str| RateLimitSender { participant, token: Some(SecretHash::of(name)) };
        for _ in 0..2 {
            limits.command(by("one"), CommandKind::Ordinary).expect("within its limit");
        }
        limits.join(by("one")).expect("counts too");
        let problem = limits.command(by("one"), CommandKind::Ordinary).expect_err("too fast");
        assert_eq!(problem.0.details.clone().expect("details")["limit"], "rate_limits.token");
        limits.command(by("one"), CommandKind::Control).expect("the stop button works");
        limits.command(by("two"), CommandKind::Ordinary).expect("is another token");
        limits.command(participant, CommandKind::Ordinary).expect("its owner can go on without it");
    }

    #[test]
    fn a_flood_of_chat_does_not_lock_out_the_stop_button() {
        let limits = RateLimiters::new(&RateLimitSettings::default(), None);
        let who = ParticipantId(uuid::Uuid::from_u128(1));
        let refused = (0..100).filter(|_| limits.command(who, CommandKind::Ordinary).is_err()).count();
        assert!((75..=80).contains(&refused), "{refused}");
        let problem = limits.command(who, CommandKind::Ordinary).expect_err("still too fast");
        assert_eq!(problem.code(), Code::RateLimited);
        let details = problem.0.details.clone().expect("details");
        assert_eq!(details, json!({ "limit": "rate_limits.chat", "burst": 20, "per_second": 5 }));
        assert!(problem.0.message.contains("(rate_limits.chat)"), "{}", problem.0.message);
        assert!((1..=201).contains(&problem.0.retry_after_ms.expect("says when")));
        limits.command(who, CommandKind::Control).expect("has a limit of its own");
        limits.command(ParticipantId(uuid::Uuid::from_u128(2)), CommandKind::Ordinary).expect("is somebody else");
        let refused = (0..20).filter(|_| limits.command(who, CommandKind::Redaction).is_err()).count();
        assert!((9..=10).contains(&refused), "rewriting logs has a lower one: {refused}");
    }
}
