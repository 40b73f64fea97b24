//! A connection that is made again without end.

use std::{convert::Infallible, ops::ControlFlow, sync::Arc, time::Duration};

use redis::{
    AsyncConnectionConfig, Client, Cmd, PushInfo, PushKind, RedisResult, ToRedisArgs, aio::MultiplexedConnection,
};
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at, sleep, timeout};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::{
    Broken,
    route::{Hello, Route},
};
use crate::bus::{
    BusSettings, Traffic,
    status::{Side, Status},
    traffic::count,
};
use crate::retry;

/// The way to Redis of one side of a lane.
pub(super) struct Link {
    route: Arc<Route>,
    settings: BusSettings,
    side: (usize, Side),
    status: Arc<Status>,
    traffic: Arc<Traffic>,
    /// Connections that failed one after the other.
    failures: u32,
    /// When the present connection began to work.
    works_since: Option<Instant>,
    worked_before: bool,
}

/// A connection that works.
pub(super) struct Connected {
    pub(super) commands: MultiplexedConnection,
    /// It leads to the owner of a slot of a Redis cluster.
    pub(super) is_sharded: bool,
    ended: CancellationToken,
    ping: Interval,
    /// What an ended connection still has in its hands is nobody's news.
    _end: DropGuard,
}

impl Link {
    pub(super) fn new(
        route: Arc<Route>,
        settings: BusSettings,
        side: (usize, Side),
        status: Arc<Status>,
        traffic: Arc<Traffic>,
    ) -> Self {
        Self { route, settings, side, status, traffic, failures: 0, works_since: None, worked_before: false }
    }

    /// Connect to where the route leads. What Redis says of itself goes to `push`, in the task that reads the connection,
    /// which is over when `push` says so.
    pub(super) async fn connect<P>(&self, push: P) -> Result<Connected, Broken>
    where
        P: Fn(PushInfo) -> ControlFlow<()> + Clone + Send + Sync + 'static,
    {
        let connecting = async {
            let from = self.route.begin();
            let mut connected = self.connect_to(&from, push.clone()).await?;
            if let Some(owner) = self.route.onward(&from, &mut connected.commands).await? {
                connected = Connected { is_sharded: true, ..self.connect_to(&owner, push).await? };
                connected.look().await?;
            }
            Ok(connected)
        };
        let within = Duration::from_millis(self.settings.connect_ms);
        timeout(within, connecting).await.unwrap_or(Err(Broken::Silent))
    }

    async fn connect_to<P>(&self, client: &Client, push: P) -> Result<Connected, Broken>
    where
        P: Fn(PushInfo) -> ControlFlow<()> + Send + Sync + 'static,
    {
        let ended = CancellationToken::new();
        let end = ended.clone();
        let told = move |info: PushInfo| -> Result<(), Infallible> {
            if info.kind == PushKind::Disconnection || (!end.is_cancelled() && push(info).is_break()) {
                end.cancel();
            }
            Ok(())
        };
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(None)
            .set_response_timeout(Some(Duration::from_millis(self.settings.answer_ms)))
            .set_push_sender(told);
        let commands = client.get_multiplexed_async_connection_with_config(&config).await?;
        let every = Duration::from_millis(self.settings.ping_ms);
        let mut ping = interval_at(Instant::now() + every, every);
        ping.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Ok(Connected { commands, is_sharded: false, ping, _end: ended.clone().drop_guard(), ended })
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
        let pause = retry::pause(self.failures, self.settings.retry_ms, self.settings.retry_most_ms);
        sleep(Duration::from_millis(pause)).await;
    }
}

impl Connected {
    /// The command for the channels there: sharded ones have their own, called alike.
    pub(super) fn cmd(&self, name: &str) -> Cmd {
        if self.is_sharded { redis::cmd(&format!("S{name}")) } else { redis::cmd(name) }
    }

    /// Say this of each channel, in one write. A command with several of them would be answered by as many pushes, of which
    /// the library takes one for the answer.
    pub(super) async fn each(&mut self, name: &str, channels: impl IntoIterator<Item: ToRedisArgs>) -> RedisResult<()> {
        let mut pipeline = redis::pipe();
        for channel in channels {
            let mut command = self.cmd(name);
            command.arg(channel);
            pipeline.add_command(command);
        }
        pipeline.exec_async(&mut self.commands).await
    }

    /// Ask whether it still works.
    async fn look(&mut self) -> Result<(), Broken> {
        let hello = Hello::ask(&mut self.commands).await?;
        // A replica takes sharded channels too, and passes on what is published; who listens at its master it cannot tell.
        if self.is_sharded && hello.is_replica { Err(Broken::Replica) } else { Ok(()) }
    }

    /// Wait until it no longer works, asking from time to time whether it does. May be given up and begun again.
    pub(super) async fn until_broken(&mut self) -> Broken {
        loop {
            tokio::select! {
                () = self.ended.cancelled() => return Broken::Closed,
                _ = self.ping.tick() => {}
            }
            if let Err(broken) = self.look().await {
                return broken;
            }
        }
    }
}
