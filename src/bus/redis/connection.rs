//! A connection that reconnects indefinitely.

use std::{convert::Infallible, ops::ControlFlow, sync::Arc, time::Duration};

use redis::{
    AsyncConnectionConfig, Client, Cmd, PushInfo, PushKind, RedisResult, ToRedisArgs, aio::MultiplexedConnection,
};
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at, sleep, timeout};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::{
    RedisConnectionError,
    route::{HelloReply, RedisRoute},
};
use crate::backoff;
use crate::bus::{
    BusSettings, BusTraffic,
    status::{BusStatusTracker, LaneSide},
    traffic::count,
};

/// The connection of one side of a lane to Redis.
pub(super) struct RedisConnection {
    route: Arc<RedisRoute>,
    settings: BusSettings,
    side: (usize, LaneSide),
    status: Arc<BusStatusTracker>,
    traffic: Arc<BusTraffic>,
    /// Number of consecutive failed connections.
    failures: u32,
    /// Time since which the current connection has worked. `None` if it does not work.
    works_since: Option<Instant>,
    worked_before: bool,
}

/// A working connection.
pub(super) struct OpenRedisConnection {
    pub(super) commands: MultiplexedConnection,
    /// True if the connection is to the owner of a slot of a Redis cluster.
    pub(super) is_sharded: bool,
    ended: CancellationToken,
    ping: Interval,
    /// Cancels `ended` on drop, so that messages still buffered in an ended connection are not delivered.
    _end: DropGuard,
}

impl RedisConnection {
    pub(super) fn new(
        route: Arc<RedisRoute>,
        settings: BusSettings,
        side: (usize, LaneSide),
        status: Arc<BusStatusTracker>,
        traffic: Arc<BusTraffic>,
    ) -> Self {
        Self { route, settings, side, status, traffic, failures: 0, works_since: None, worked_before: false }
    }

    /// Connects to the target of the route. `push` receives push messages from Redis in the task that reads the
    /// connection; that task ends when `push` returns `Break`.
    pub(super) async fn connect<P>(&self, push: P) -> Result<OpenRedisConnection, RedisConnectionError>
    where
        P: Fn(PushInfo) -> ControlFlow<()> + Clone + Send + Sync + 'static,
    {
        let connecting = async {
            let from = self.route.begin();
            let mut connected = self.connect_to(&from, push.clone()).await?;
            if let Some(owner) = self.route.slot_owner(&from, &mut connected.commands).await? {
                connected = OpenRedisConnection { is_sharded: true, ..self.connect_to(&owner, push).await? };
                connected.check().await?;
            }
            Ok(connected)
        };
        let within = Duration::from_millis(self.settings.connect_ms);
        timeout(within, connecting).await.unwrap_or(Err(RedisConnectionError::Silent))
    }

    async fn connect_to<P>(&self, client: &Client, push: P) -> Result<OpenRedisConnection, RedisConnectionError>
    where
        P: Fn(PushInfo) -> ControlFlow<()> + Send + Sync + 'static,
    {
        let ended = CancellationToken::new();
        let end = ended.clone();
        let on_push = move |info: PushInfo| -> Result<(), Infallible> {
            if info.kind == PushKind::Disconnection || (!end.is_cancelled() && push(info).is_break()) {
                end.cancel();
            }
            Ok(())
        };
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(None)
            .set_response_timeout(Some(Duration::from_millis(self.settings.reply_ms)))
            .set_push_sender(on_push);
        let commands = client.get_multiplexed_async_connection_with_config(&config).await?;
        let every = Duration::from_millis(self.settings.ping_ms);
        let mut ping = interval_at(Instant::now() + every, every);
        ping.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Ok(OpenRedisConnection { commands, is_sharded: false, ping, _end: ended.clone().drop_guard(), ended })
    }

    /// Records that the connection works.
    pub(super) fn works(&mut self) {
        self.works_since = Some(Instant::now());
        if std::mem::replace(&mut self.worked_before, true) {
            count(&self.traffic.reconnections);
        }
        self.status.set(self.side, None);
    }

    /// Records that the connection does not work, and waits for the duration of the backoff.
    pub(super) async fn record_failure(&mut self, broken: &RedisConnectionError) {
        self.status.set(self.side, Some(broken.to_string().into()));
        let longest = Duration::from_millis(self.settings.max_retry_ms);
        // A connection that breaks soon after it was established does not reset the backoff.
        let worked = self.works_since.take().is_some_and(|since| since.elapsed() >= longest);
        self.failures = if worked { 0 } else { self.failures.saturating_add(1) };
        let pause = backoff::delay_ms(self.failures, self.settings.retry_ms, self.settings.max_retry_ms);
        sleep(Duration::from_millis(pause)).await;
    }
}

impl OpenRedisConnection {
    /// Returns the command with this name for the channels of this connection. Sharded channels have their own
    /// commands, with the `S` prefix.
    pub(super) fn cmd(&self, name: &str) -> Cmd {
        if self.is_sharded { redis::cmd(&format!("S{name}")) } else { redis::cmd(name) }
    }

    /// Runs the command for each channel, in one write. A single command for several channels would produce one push
    /// per channel, of which the library takes one as the reply.
    pub(super) async fn each(&mut self, name: &str, channels: impl IntoIterator<Item: ToRedisArgs>) -> RedisResult<()> {
        let mut pipeline = redis::pipe();
        for channel in channels {
            let mut command = self.cmd(name);
            command.arg(channel);
            pipeline.add_command(command);
        }
        pipeline.exec_async(&mut self.commands).await
    }

    /// Checks that the connection still works.
    async fn check(&mut self) -> Result<(), RedisConnectionError> {
        let hello = HelloReply::ask(&mut self.commands).await?;
        // A replica also accepts sharded channels and forwards published messages, but it cannot count the listeners at
        // its master.
        if self.is_sharded && hello.is_replica { Err(RedisConnectionError::Replica) } else { Ok(()) }
    }

    /// Pings Redis periodically, and returns the error once the connection no longer works. Cancel-safe: a cancelled
    /// call can be repeated.
    pub(super) async fn wait_until_broken(&mut self) -> RedisConnectionError {
        loop {
            tokio::select! {
                () = self.ended.cancelled() => return RedisConnectionError::Closed,
                _ = self.ping.tick() => {}
            }
            if let Err(broken) = self.check().await {
                return broken;
            }
        }
    }
}
