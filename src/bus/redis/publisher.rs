//! The connection that publishes.

use std::{collections::HashMap, convert::Infallible, ops::ControlFlow, sync::Arc};

use redis::RedisResult;

use super::{
    RedisConnectionError,
    channel::{BusAddress, Channels},
    connection::{OpenRedisConnection, RedisConnection},
    outbox::{Outbox, OutboxMessage},
    wire::{self, MessageSender},
};
use crate::node_id::NodeId;
use crate::telemetry::{OperationKind, OperationTimer};

/// Publishes queued messages to Redis in batches. Messages that arrive during a write form the next batch.
pub(super) struct Publisher {
    link: RedisConnection,
    sender: MessageSender,
    outbox: Arc<Outbox>,
    channels: Arc<Channels>,
    /// The batch in flight.
    batch: Vec<OutboxMessage>,
}

impl Publisher {
    pub(super) fn new(link: RedisConnection, node: NodeId, outbox: Arc<Outbox>, channels: Arc<Channels>) -> Self {
        Self { link, sender: MessageSender { node, connection: 0 }, outbox, channels, batch: vec![] }
    }

    pub(super) async fn run(mut self) {
        loop {
            let Err(broken) = self.serve().await;
            self.outbox.close(&self.batch);
            self.batch.clear();
            self.link.record_failure(&broken).await;
        }
    }

    /// Opens one connection, and publishes over it until it breaks.
    async fn serve(&mut self) -> Result<Infallible, RedisConnectionError> {
        let mut connected = self.link.connect(|_| ControlFlow::Continue(())).await?;
        self.sender.connection += 1;
        // A node of a Redis cluster learns only with a delay that another node took over its slot and has the
        // listeners, so messages might not have reached them.
        self.outbox.open(connected.is_sharded && self.sender.connection > 1);
        self.link.works();
        loop {
            tokio::select! {
                broken = connected.wait_until_broken() => return Err(broken),
                batch = self.outbox.next() => self.batch = batch,
            }
            self.publish(&mut connected).await?;
            self.batch.clear();
        }
    }

    /// Sends one `PUBLISH` per address, all in one write.
    async fn publish(&mut self, connected: &mut OpenRedisConnection) -> RedisResult<()> {
        let mut messages: Vec<(BusAddress, Vec<u8>)> = vec![];
        let mut places: HashMap<BusAddress, usize> = HashMap::new();
        let mut waiting = vec![];
        for item in &mut self.batch {
            let place = *places.entry(item.address).or_insert_with(|| {
                messages.push((item.address, wire::begin(self.sender)));
                messages.len() - 1
            });
            wire::add(&mut messages[place].1, &item.part);
            waiting.extend(item.reached.take().map(|reached| (place, reached)));
        }
        let mut pipeline = redis::pipe();
        for (address, message) in &messages {
            let mut command = connected.cmd("PUBLISH");
            command.arg(self.channels.name(*address)).arg(message.as_slice());
            pipeline.add_command(command);
        }
        let _timer = OperationTimer::start(OperationKind::BusPublish);
        let listeners: Vec<u64> = pipeline.query_async(&mut connected.commands).await?;
        for (place, reached) in waiting {
            // Fails if the requester no longer waits.
            let _ = reached.send(listeners.get(place).copied().unwrap_or(0));
        }
        Ok(())
    }
}
