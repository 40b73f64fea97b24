//! The connection that subscribes.

use std::{collections::HashSet, convert::Infallible, sync::Arc};

use super::{
    RedisConnectionError,
    channel::{BusAddress, Channels},
    connection::{OpenRedisConnection, RedisConnection},
    message_handler::RedisMessageHandler,
};
use crate::{bus::followers::Followers, kernel::SessionId};

/// Maximum number of channels in one pipeline.
const MAX_BATCH_CHANNELS: usize = 256;

/// Keeps the subscriptions of this node equal to the sessions that are followed on it.
pub(super) struct Subscriber {
    link: RedisConnection,
    channels: Arc<Channels>,
    followers: Arc<Followers>,
    incoming: Arc<RedisMessageHandler>,
}

impl Subscriber {
    pub(super) fn new(
        link: RedisConnection,
        channels: Arc<Channels>,
        followers: Arc<Followers>,
        incoming: Arc<RedisMessageHandler>,
    ) -> Self {
        Self { link, channels, followers, incoming }
    }

    pub(super) async fn run(mut self) {
        loop {
            let Err(broken) = self.serve().await;
            self.followers.deactivate_all();
            self.incoming.requests.fail_all();
            self.link.record_failure(&broken).await;
        }
    }

    /// Opens one connection, and maintains its subscriptions until it breaks.
    async fn serve(&mut self) -> Result<Infallible, RedisConnectionError> {
        let incoming = self.incoming.clone();
        let mut connected = self.link.connect(move |push| incoming.take(push)).await?;
        connected.each("SUBSCRIBE", self.channels.fixed()).await?;
        let mut subscribed = HashSet::new();
        self.follow(&mut connected, &mut subscribed).await?;
        self.link.works();
        loop {
            tokio::select! {
                broken = connected.wait_until_broken() => return Err(broken),
                () = self.followers.change.notified() => {}
            }
            self.follow(&mut connected, &mut subscribed).await?;
        }
    }

    /// Subscribes to exactly the followed sessions. A session is active once Redis confirms its subscription:
    /// [`RedisMessageHandler`] receives the confirmation in order with the messages.
    async fn follow(
        &self,
        connected: &mut OpenRedisConnection,
        subscribed: &mut HashSet<SessionId>,
    ) -> Result<(), RedisConnectionError> {
        let (mut more, mut fewer) = (vec![], vec![]);
        for (session, followed) in self.followers.changed() {
            match (followed, subscribed.contains(&session)) {
                (true, false) => more.push(session),
                // The followers left and returned before Redis was notified, so they have missed nothing.
                (true, true) => self.followers.in_force(session),
                (false, true) => fewer.push(session),
                (false, false) => {}
            }
        }
        for sessions in fewer.chunks(MAX_BATCH_CHANNELS) {
            for session in sessions {
                subscribed.remove(session);
            }
            connected.each("UNSUBSCRIBE", self.names(sessions)).await?;
        }
        for sessions in more.chunks(MAX_BATCH_CHANNELS) {
            subscribed.extend(sessions);
            connected.each("SUBSCRIBE", self.names(sessions)).await?;
        }
        Ok(())
    }

    fn names(&self, sessions: &[SessionId]) -> impl Iterator<Item = String> {
        sessions.iter().map(|session| self.channels.name(BusAddress::Session(*session)))
    }
}
