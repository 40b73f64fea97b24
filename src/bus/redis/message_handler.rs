//! Messages from Redis, handled in the task that reads the connection. They go directly to followers and requesters,
//! whose inboxes are bounded, and are queued nowhere else.

use std::{collections::HashMap, ops::ControlFlow, sync::Arc};

use bytes::Bytes;
use parking_lot::Mutex;
use redis::{PushInfo, PushKind, Value};

use super::{
    channel::{BusAddress, Channels},
    requests::PendingRequests,
    wire::{self, MessagePart, MessageSender},
};
use crate::bus::followers::Followers;
use crate::node_id::NodeId;

/// Maximum number of nodes whose newest connection is tracked. A restarted node has a new id, so without a limit the
/// map would grow forever.
const MAX_SENDERS: usize = 1024;

/// Handler of messages from Redis.
pub(super) struct RedisMessageHandler {
    channels: Arc<Channels>,
    followers: Arc<Followers>,
    pub(super) requests: Arc<PendingRequests>,
    newest: Mutex<HashMap<NodeId, u32>>,
}

impl RedisMessageHandler {
    pub(super) fn new(channels: Arc<Channels>, followers: Arc<Followers>, requests: Arc<PendingRequests>) -> Self {
        Self { channels, followers, requests, newest: Mutex::default() }
    }

    /// Handles a push from Redis. `Break` means that this connection is no longer usable.
    pub(super) fn take(&self, push: PushInfo) -> ControlFlow<()> {
        let mut data = push.data.into_iter();
        let Some(Value::BulkString(channel)) = data.next() else { return ControlFlow::Continue(()) };
        let Some(address) = self.channels.address(&channel) else { return ControlFlow::Continue(()) };
        match (push.kind, data.next()) {
            (PushKind::Subscribe | PushKind::SSubscribe, _) => {
                if let BusAddress::Session(session) = address {
                    self.followers.in_force(session);
                }
            }
            (PushKind::Message | PushKind::SMessage, Some(Value::BulkString(message))) => {
                self.message(address, message.into());
            }
            // The slot has moved to another node of the Redis cluster, together with all its channels. Otherwise, Redis
            // confirms only our own requests to unsubscribe, which we send only for channels of sessions.
            (PushKind::SUnsubscribe, _) if !matches!(address, BusAddress::Session(_)) => return ControlFlow::Break(()),
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn message(&self, address: BusAddress, message: Bytes) {
        let Ok((sender, parts)) = wire::read(message) else {
            tracing::debug!("the bus delivered a message of another version");
            if let BusAddress::Session(session) = address {
                self.followers.report_loss(session);
            }
            return;
        };
        let own = sender.node == self.requests.node;
        if !self.is_newest(sender) || (own && !matches!(address, BusAddress::Node(_))) {
            return;
        }
        for part in parts {
            match (part, address) {
                (MessagePart::Publication(message), BusAddress::Session(session)) => {
                    self.followers.deliver(session, &message)
                }
                (MessagePart::Lost, BusAddress::Session(session)) => self.followers.report_loss(session),
                (MessagePart::AllLost, BusAddress::Everybody) => self.followers.report_loss_to_all(),
                (MessagePart::Request { id, content }, BusAddress::Node(_)) => {
                    self.requests.handle_request(sender.node, id, content)
                }
                (MessagePart::Reply { id, reply }, BusAddress::Node(_)) => self.requests.handle_reply(id, reply),
                _ => {}
            }
        }
    }

    /// Returns whether the message comes from the sender's newest connection. After a stall, Redis can deliver a
    /// message from a connection that its sender abandoned long ago, after messages from the next connection. Such a
    /// message would break the order.
    fn is_newest(&self, sender: MessageSender) -> bool {
        let mut newest = self.newest.lock();
        if newest.len() >= MAX_SENDERS {
            newest.clear();
        }
        let known = newest.entry(sender.node).or_default();
        *known = sender.connection.max(*known);
        *known == sender.connection
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tokio::sync::mpsc;

    use super::*;
    use crate::{
        bus::{BusSettings, BusTraffic, InboxItem, followers::DeliveryStart, redis::outbox::Outbox},
        kernel::SessionId,
    };

    #[tokio::test]
    async fn late_messages_on_a_former_connection_are_ignored() {
        let (here, there) = (NodeId::fresh(), NodeId::fresh());
        let settings = BusSettings::default();
        let traffic = Arc::new(BusTraffic::default());
        let followers = Followers::new(DeliveryStart::AtOnce, settings.max_follower_bytes, traffic.clone());
        let outbox = Arc::new(Outbox::new(&settings, traffic));
        let requests = Arc::new(PendingRequests::new(here, settings.max_requests, outbox, mpsc::channel(1).0));
        let channels = Arc::new(Channels::new("{test}", here));
        let incoming = RedisMessageHandler::new(channels, followers.clone(), requests);
        let session = SessionId(there.0);
        let mut following = followers.follow(session);
        let say = |connection, text: &'static str| {
            let mut message = wire::begin(MessageSender { node: there, connection });
            wire::add(&mut message, &MessagePart::Publication(text.into()));
            incoming.message(BusAddress::Session(session), message.into());
        };
        say(1, "first");
        say(2, "second");
        say(1, "too late");
        say(2, "third");
        assert_eq!(following.next().await, InboxItem::Lost);
        for text in ["first", "second", "third"] {
            assert_eq!(following.next().await, InboxItem::Message(text.into()));
        }
    }
}
