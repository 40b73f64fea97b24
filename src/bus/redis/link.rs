//! A connection that is made again without end.

use std::{convert::Infallible, fmt, sync::Arc, time::Duration};

use redis::{AsyncConnectionConfig, Client, PushInfo, PushKind, RedisError, aio::MultiplexedConnection};
use tokio::time::{Instant, Interval, MissedTickBehavior, interval, sleep, timeout};
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::bus::{
    BusSettings, Traffic,
    status::{Side, Status},
    traffic::count,
};

/// One side's way to Redis.
pub(super) struct Link {
    client: Client,
    settings: BusSettings,
    side: Side,
    status: Arc<Status>,
    traffic: Arc<Traffic>,
    /// Connections that failed one after the other.
    failures: u32,
    /// When the present connection began to work.
    works_since: Option<Instant>,
    worked_before: bool,
}

/// Why a connection cannot be used, or no longer.
#[derive(Debug)]
pub(super) enum Broken {
    Refused(RedisError),
    Closed,
    Silent,
    OtherKind(String),
}

impl From<RedisError> for Broken {
    fn from(error: RedisError) -> Self {
        if error.is_timeout() { Self::Silent } else { Self::Refused(error) }
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(error) => write!(f, "Redis: {error}"),
            Self::Closed => f.write_str("Redis closed the connection"),
            Self::Silent => f.write_str("Redis does not answer in time"),
            Self::OtherKind(kind) => write!(f, "Redis runs as {kind}; one standalone Redis is needed, no cluster"),
        }
    }
}

/// A connection that works.
pub(super) struct Connected {
    pub(super) commands: MultiplexedConnection,
    ended: CancellationToken,
    ping: Interval,
    /// What an ended connection still has in its hands is nobody's news.
    _end: DropGuard,
}

impl Link {
    pub(super) fn new(
        client: Client,
        settings: BusSettings,
        side: Side,
        status: Arc<Status>,
        traffic: Arc<Traffic>,
    ) -> Self {
        Self { client, settings, side, status, traffic, failures: 0, works_since: None, worked_before: false }
    }

    /// Connect. What Redis says of itself goes to `push`, in the task that reads the connection.
    pub(super) async fn connect(&self, push: impl Fn(PushInfo) + Send + Sync + 'static) -> Result<Connected, Broken> {
        let ended = CancellationToken::new();
        let end = ended.clone();
        let told = move |info: PushInfo| -> Result<(), Infallible> {
            if info.kind == PushKind::Disconnection {
                end.cancel();
            } else if !end.is_cancelled() {
                push(info);
            }
            Ok(())
        };
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(None)
            .set_response_timeout(Some(Duration::from_millis(self.settings.answer_ms)))
            .set_push_sender(told);
        let connecting = self.client.get_multiplexed_async_connection_with_config(&config);
        let within = Duration::from_millis(self.settings.connect_ms);
        let commands = timeout(within, connecting).await.map_err(|_| Broken::Silent)??;
        let mut ping = interval(Duration::from_millis(self.settings.ping_ms));
        ping.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Ok(Connected { commands, ping, _end: ended.clone().drop_guard(), ended })
    }

    /// The connection is of use now.
    pub(super) fn works(&mut self) {
        self.works_since = Some(Instant::now());
        if std::mem::replace(&mut self.worked_before, true) {
            count(&self.traffic.reconnections);
        }
        self.status.set(self.side, None);
    }

    /// It is not, or no longer: wait until it is time for the next.
    pub(super) async fn broke(&mut self, broken: &Broken) {
        self.status.set(self.side, Some(broken.to_string().into()));
        let longest = Duration::from_millis(self.settings.retry_most_ms);
        // One that breaks as soon as it works is no success.
        let worked = self.works_since.take().is_some_and(|since| since.elapsed() >= longest);
        self.failures = if worked { 0 } else { self.failures.saturating_add(1) };
        sleep(self.pause()).await;
    }

    /// Doubled with each failure, with chance in it so that many nodes do not come back at once.
    fn pause(&self) -> Duration {
        let doubled = self.settings.retry_ms.saturating_mul(1 << self.failures.saturating_sub(1).min(20));
        let wanted = doubled.min(self.settings.retry_most_ms);
        // Without a source of chance the wait is simply the longest.
        let chance = u64::from(getrandom::u32().unwrap_or(u32::MAX));
        Duration::from_millis(wanted / 2 + (wanted - wanted / 2) * chance / u64::from(u32::MAX))
    }
}

impl Connected {
    /// Only one Redis on its own can say who listens.
    pub(super) async fn require_one_redis(&mut self) -> Result<(), Broken> {
        let hello: std::collections::HashMap<String, redis::Value> =
            redis::cmd("HELLO").query_async(&mut self.commands).await?;
        match hello.get("mode").map(redis::from_redis_value_ref::<String>) {
            Some(Ok(mode)) if mode != "standalone" => Err(Broken::OtherKind(mode)),
            _ => Ok(()),
        }
    }

    /// Wait until it no longer works, asking from time to time whether it does. May be given up and begun again.
    pub(super) async fn until_broken(&mut self) -> Broken {
        loop {
            tokio::select! {
                () = self.ended.cancelled() => return Broken::Closed,
                _ = self.ping.tick() => {}
            }
            if let Err(error) = redis::cmd("PING").exec_async(&mut self.commands).await {
                return error.into();
            }
        }
    }
}
