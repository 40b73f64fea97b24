//! Following a session that another node writes: frames arrive over the bus, and missing events come from the store.

use std::sync::{Arc, Weak};
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::{BoxFuture, pending};
use tokio::time::{Instant, Interval, MissedTickBehavior};
use tokio_util::sync::{CancellationToken, DropGuard};
use tracing::Instrument;

use super::Feed;
use super::feed::FeedCore;
use super::running_messages::RemoteDelta;
use crate::bus::{Bus, BusSubscription, InboxItem, Urgency};
use crate::kernel::SessionId;
use crate::node_id::NodeId;
use crate::peer_messages::{self, MessageText, NodePresence, PeerNotice, PeerRequest, PeerResponse};
use crate::protocol::{Liveness, ServerFrame};
use crate::store::{RecordedEvent, StoredEvent};
use crate::store_error::StoreError;
use crate::telemetry::{log_spans, metrics};

/// Interval at which a node reports its viewers to the other nodes. A node that is silent for
/// [`super::presence::SILENCE_TIMEOUT`] counts as having no viewers.
const REPORT_INTERVAL: Duration = Duration::from_secs(10);
/// Minimum delay before the partial texts are requested again.
const MIN_REQUEST_INTERVAL: Duration = Duration::from_millis(100);
/// Timeout for the request for another node's partial texts. The request and the reply both go through Redis, and each
/// can take a second before the bus counts as down. Waiting for the reply blocks nothing else.
const TEXTS_TIMEOUT: Duration = Duration::from_secs(3);

/// Pending request for another node's partial texts.
type MessageTextsRequest = BoxFuture<'static, Option<MessageTexts>>;

/// Another node's partial texts, and the seq of its newest event at that moment.
struct MessageTexts {
    head: u64,
    texts: Vec<MessageText>,
}

enum FollowEvent {
    Received(InboxItem),
    Answered(Option<MessageTexts>),
    Refresh,
}

/// Follows the session until `ended` is cancelled or the feed is dropped. Does not keep the feed alive.
pub(super) async fn follow(feed: Weak<Feed>, session: SessionId, bus: Arc<dyn Bus>, ended: CancellationToken) {
    let mut following = bus.follow(session);
    tracing::debug!("subscribed to the bus");
    let mut refresh = tokio::time::interval(REPORT_INTERVAL);
    refresh.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let following = async {
        let (mut request, mut is_short) = (None, false);
        loop {
            let next = next_event(&mut request, &mut following, &mut refresh).await;
            let Some(feed) = feed.upgrade() else { return };
            // If messages are lost while a reply is in flight, the reply might not contain their text.
            is_short |= match next {
                FollowEvent::Received(InboxItem::Message(content)) => feed.handle_message(content).await,
                FollowEvent::Received(InboxItem::Lost) => {
                    feed.read_missing().await;
                    true
                }
                FollowEvent::Answered(texts) => {
                    if let Some(texts) = texts {
                        feed.apply_texts(texts).await;
                    }
                    false
                }
                FollowEvent::Refresh => {
                    feed.report_presence();
                    // If the bus changes state while this feed is being opened, the signal to all feeds misses this
                    // feed.
                    feed.signal_liveness();
                    false
                }
            };
            if is_short && request.is_none() {
                request = feed.request_texts(&bus);
                is_short = request.is_none();
            }
        }
    };
    ended.run_until_cancelled(following).await;
    tracing::debug!("subscription to the bus ended");
}

async fn next_event(
    request: &mut Option<MessageTextsRequest>,
    following: &mut BusSubscription,
    refresh: &mut Interval,
) -> FollowEvent {
    let answered = async {
        let Some(answer) = request else { return pending().await };
        let texts = answer.await;
        *request = None;
        texts
    };
    tokio::select! {
        biased;
        texts = answered => FollowEvent::Answered(texts),
        item = following.next() => FollowEvent::Received(item),
        _ = refresh.tick() => FollowEvent::Refresh,
    }
}

impl Feed {
    /// Follows other nodes, if there are any, until the returned guard is dropped.
    pub(super) fn follow_others(self: &Arc<Self>) -> Option<DropGuard> {
        let (bus, runtime) = (self.bus.as_ref()?, tokio::runtime::Handle::try_current().ok()?);
        let ended = CancellationToken::new();
        let following = follow(Arc::downgrade(self), self.session(), bus.clone(), ended.clone());
        runtime.spawn(following.instrument(log_spans::own_session(self.session())));
        Some(ended.drop_guard())
    }

    /// Returns whether the feed follows other nodes.
    pub(super) fn is_following(&self) -> bool {
        self.watchers.lock().are_following()
    }

    /// Reads from the store the events that this feed might have missed.
    async fn read_missing(self: &Arc<Self>) {
        if let Err(error) = self.catch_up().await {
            // The next periodic check retries.
            tracing::warn!(%error, "cannot read events that the bus lost");
        }
    }

    /// Handles a message from another node. Returns whether partial texts might be missing. Ignores a message that it
    /// cannot parse: a newer version can send messages that this version does not know.
    async fn handle_message(self: &Arc<Self>, content: Bytes) -> bool {
        if let Some(PeerNotice::Here(here)) = PeerNotice::read(&content) {
            self.record_presence(here);
            return false;
        }
        match serde_json::from_slice(&content) {
            Ok(ServerFrame::Event { event, .. }) => {
                let known = self.head();
                if event.seq == known + 1 {
                    self.take(&[RecordedEvent { event, frame: content }]);
                } else if event.seq > known {
                    // Events are missing. The store has them, and this one too.
                    self.read_missing().await;
                    return true;
                }
            }
            Ok(ServerFrame::Delta { message, attempt, at, text, .. }) => {
                return self.take_delta(message, attempt, at, &text) == RemoteDelta::Gap;
            }
            Ok(ServerFrame::Signal { .. }) => self.push(&content),
            _ => {}
        }
        false
    }

    /// Reads the store until the feed is at the head of the log.
    pub async fn catch_up(self: &Arc<Self>) -> Result<(), StoreError> {
        let _one_at_a_time = self.catching_up.lock().await;
        loop {
            let page = self.store.read(self.session(), self.head(), self.settings.max_page_events).await?;
            if page.is_empty() {
                return Ok(());
            }
            let page: Vec<RecordedEvent> =
                page.into_iter().map(<RecordedEvent as TryFrom<StoredEvent>>::try_from).collect::<Result<_, _>>()?;
            self.take(&page);
        }
    }

    /// Returns whether the log reaches this seq. If the feed is behind, it reads the store first: a viewer that comes
    /// from another node might have seen more events than this node has received.
    pub async fn covers(self: &Arc<Self>, seq: u64) -> Result<bool, StoreError> {
        if seq > self.head() {
            self.catch_up().await?;
        }
        Ok(seq <= self.head())
    }

    /// Requests the partial texts from the session's owner. `None` if this node is the owner, or a request was just
    /// sent.
    fn request_texts(&self, bus: &Arc<dyn Bus>) -> Option<MessageTextsRequest> {
        if self.is_owned() || !self.can_request_texts() {
            return None;
        }
        let (session, store, bus) = (self.session(), self.store.clone(), bus.clone());
        Some(Box::pin(async move {
            let owner = store.ownership(session).await.ok()?.owner?;
            // Without a reply, viewers see the message when it is complete.
            let answer =
                bus.ask(owner, peer_messages::encode(&PeerRequest::Partials(session)), TEXTS_TIMEOUT).await.ok()?;
            match peer_messages::decode(&answer)? {
                PeerResponse::Partials { head, texts } => Some(MessageTexts { head, texts }),
                _ => None,
            }
        }))
    }

    async fn apply_texts(self: &Arc<Self>, MessageTexts { head, texts }: MessageTexts) {
        // A message must not be shown before the event that starts it.
        if !matches!(self.covers(head).await, Ok(true)) || self.is_owned() {
            return;
        }
        for MessageText { message, attempt, text } in texts {
            let mut core = self.core.write();
            // If the message has ended in the meantime, do not open it, because nothing would close it again.
            if core.ring.seq() == head {
                core.running.record_start(message, attempt);
            }
            drop(core);
            self.take_delta(message, attempt, 0, &text);
        }
    }

    /// Returns whether enough time has passed since the last request for partial texts and, if so, records a new one.
    /// Without this limit, every fragment of a fast model would cause a request while the owner does not reply.
    fn can_request_texts(&self) -> bool {
        let now = Instant::now();
        let mut requested_at = self.requested_at.lock();
        let is_due = requested_at.is_none_or(|at| now.duration_since(at) >= MIN_REQUEST_INTERVAL);
        if is_due {
            *requested_at = Some(now);
        }
        is_due
    }

    /// Reports the viewers on this node to the other nodes.
    pub(super) fn report_presence(self: &Arc<Self>) {
        let Some(bus) = &self.bus else { return };
        let (who, more) = self.watching.lock().here(self.settings.max_presence_names);
        let here = PeerNotice::Here(NodePresence { node: bus.node(), who, more });
        bus.publish(self.session(), peer_messages::encode(&here), Urgency::Soon);
        if self.watching.lock().forget_silent() {
            self.schedule_presence();
        }
    }

    /// Forgets the viewers of dead nodes.
    pub(super) fn forget_viewers_of(self: &Arc<Self>, dead: &[NodeId]) {
        if self.watching.lock().forget_dead(dead) {
            self.schedule_presence();
        }
    }

    fn record_presence(self: &Arc<Self>, there: NodePresence) {
        let (due, new) = self.watching.lock().merge_node(there);
        if new {
            // The other node started following after the last report of this node.
            self.report_presence();
        }
        if due {
            self.schedule_presence();
        }
    }

    /// Signals to viewers whether fragments are shown while they are written, if that has changed because the bus went
    /// up or down, or because the session moved to or from this node.
    pub(super) fn signal_liveness(&self) {
        self.update_liveness(&mut self.core.write());
    }

    /// Signals liveness like [`Feed::signal_liveness`], while the caller holds the lock. The last signal therefore
    /// always matches the current state.
    pub(super) fn update_liveness(&self, core: &mut FeedCore) {
        let live = self.is_owned() || self.bus.as_ref().is_none_or(|bus| bus.status().borrow().is_up());
        if live != core.live {
            core.live = live;
            core.ring.push(&self.liveness(live), None);
            metrics().frames.count(["signal"]);
            self.wake();
        }
    }

    /// Returns the liveness signal as JSON.
    pub(super) fn liveness(&self, live: bool) -> Vec<u8> {
        let data = Liveness { live, delay_ms: if live { 0 } else { self.settings.poll_ms } };
        let data = serde_json::to_value(data).expect("a signal serializes: its keys are strings");
        ServerFrame::Signal { session: self.session(), name: "liveness".into(), data }.encode()
    }

    /// Publishes a frame to the nodes that follow the session.
    pub(super) fn broadcast(&self, frame: &Bytes, urgency: Urgency) {
        if let Some(bus) = &self.bus {
            bus.publish(self.session(), frame.clone(), urgency);
        }
    }
}
