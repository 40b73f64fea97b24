//! The feed of one session.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::task::Waker;
use std::time::Duration;

use bytes::Bytes;
use parking_lot::{Mutex, RwLock};
use tokio::time::Instant;

use super::page_cache::{FramePage, PageCache};
use super::presence::PresenceList;
use super::registry::OpenFeeds;
use super::ring::Ring;
use super::snapshot::SnapshotCache;
use super::watchers::{ViewerPosition, Watchers};
use super::{
    Cursor, FeedSettings, JsonViewer, StartingPoint, Viewer, deltas::DeltaSchedule, fold::Fold, frame,
    running_messages::PartialTexts,
};
use crate::bus::{Bus, Urgency};
use crate::kernel::{Actor, Event, LeaveReason, LogChange, MemberChange, ParticipantId, SessionId, View};
use crate::protocol::ServerFrame;
use crate::store::{EventStore, RecordedEvent};
use crate::store_error::StoreError;
use crate::telemetry::metrics;

/// A session's recent frames, encoded once, and their viewers.
pub struct Feed {
    pub(super) session: SessionId,
    pub(super) settings: FeedSettings,
    pub(super) store: Arc<dyn EventStore>,
    pub(super) core: RwLock<FeedCore>,
    pub(super) watchers: Mutex<Watchers>,
    pub(super) watching: Mutex<PresenceList>,
    pub(super) snapshot: SnapshotCache,
    pages: Arc<PageCache>,
    registry: Weak<OpenFeeds>,
    /// The bus to the other nodes. `None` on a single node.
    pub(super) bus: Option<Arc<dyn Bus>>,
    /// Number of orchestrators on this node that write the session: zero or one, and briefly two during a handover.
    owners: AtomicUsize,
    pub(super) catching_up: tokio::sync::Mutex<()>,
    pub(super) requested_at: Mutex<Option<Instant>>,
}

/// State that is behind one lock because it changes together.
pub(super) struct FeedCore {
    pub(super) ring: Ring,
    pub(super) removals: HashMap<ParticipantId, Removal>,
    /// Incremented by every event about participants. A cursor reads `removals` only when this has changed, so all
    /// other events cost viewers nothing.
    pub(super) epoch: u64,
    pub(super) running: PartialTexts,
    pub(super) deltas: DeltaSchedule,
    /// True if, according to the last liveness signal, fragments are shown while they are written.
    pub(super) live: bool,
    pub(super) fold: Fold,
}

/// Position in the feed at which a participant was removed or left.
#[derive(Clone, Copy)]
pub(super) struct Removal {
    pub(super) position: u64,
    pub(super) seq: u64,
    pub(super) reason: LeaveReason,
}

impl Feed {
    pub(super) fn new(
        session: SessionId,
        head: u64,
        store: Arc<dyn EventStore>,
        settings: FeedSettings,
        pages: Arc<PageCache>,
        registry: Weak<OpenFeeds>,
        bus: Option<Arc<dyn Bus>>,
    ) -> Self {
        let ring = Ring::new(head, settings.max_ring_bytes);
        Self {
            session,
            settings,
            store,
            core: RwLock::new(FeedCore::new(ring)),
            watchers: Mutex::default(),
            watching: Mutex::default(),
            snapshot: SnapshotCache::default(),
            pages,
            registry,
            bus,
            owners: AtomicUsize::new(0),
            catching_up: tokio::sync::Mutex::default(),
            requested_at: Mutex::default(),
        }
    }

    /// Marks this node as the writer of the session until the returned guard is dropped. Viewers no longer depend on
    /// the bus, and other nodes receive the frames.
    pub fn own(self: &Arc<Self>) -> OwnershipGuard {
        self.owners.fetch_add(1, Ordering::Relaxed);
        self.signal_liveness();
        OwnershipGuard(self.clone())
    }

    /// Returns whether this node is the session's writer.
    pub fn is_owned(&self) -> bool {
        self.owners.load(Ordering::Relaxed) > 0
    }

    /// Returns the session of this feed.
    pub fn session(&self) -> SessionId {
        self.session
    }

    /// Returns the seq of the newest event.
    pub fn head(&self) -> u64 {
        self.core.read().ring.seq()
    }

    /// Shows durable events (law 1) to viewers here and on other nodes.
    pub fn publish(self: &Arc<Self>, events: &[RecordedEvent]) {
        self.take(events);
        events.iter().for_each(|recorded| self.broadcast(&recorded.frame, Urgency::Now));
    }

    /// Shows durable events to viewers on this node. Ignores events that were already shown. After a gap, viewers read
    /// the store.
    pub(super) fn take(self: &Arc<Self>, events: &[RecordedEvent]) {
        let mut core = self.core.write();
        // An event can end a message, and its text must be complete by then.
        self.show_deltas(&mut core);
        let mut taken = 0;
        for recorded in events {
            let (seq, head) = (recorded.event.seq, core.ring.seq());
            if seq <= head {
                continue;
            }
            if seq > head + 1 {
                core.ring.skip_to(seq - 1);
                core.fold = Fold::Absent;
            }
            core.ring.push(&recorded.frame, Some(seq));
            core.running.follow(&recorded.event.fact);
            core.fold.follow(recorded);
            core.follow_participants(&recorded.event);
            taken += 1;
        }
        if events.iter().any(|recorded| recorded.event.fact.is_redaction()) {
            // Frames and state contain the erased text, so discard them. Viewers read the redacted log again.
            let head = core.ring.seq();
            core.ring.skip_to(head);
            core.fold = Fold::Absent;
            self.pages.forget(self.session);
            // Before the lock is released: a delivery in progress must not continue with the erased text.
            self.wake();
        }
        drop(core);
        metrics().frames.add(["event"], taken);
        self.deliver();
    }

    /// Wakes the tasks of all viewers. Unlike [`Feed::deliver`], can be called while the feed is locked.
    pub(super) fn wake(&self) {
        self.watchers.lock().wake();
    }

    /// Shows an ephemeral signal to viewers here and on other nodes.
    pub fn signal(self: &Arc<Self>, name: &str, data: serde_json::Value) {
        let frame = ServerFrame::Signal { session: self.session, name: name.into(), data };
        let json = frame.encode();
        self.push(&json);
        self.broadcast(&json.into(), Urgency::Soon);
    }

    /// Shows a frame that is not an event to viewers on this node.
    pub(super) fn push(self: &Arc<Self>, json: &[u8]) {
        self.core.write().ring.push(json, None);
        metrics().frames.count(["signal"]);
        self.deliver();
    }

    /// Follows the feed as JSON frames: first the events after `after`, then the partial texts of running messages,
    /// then live frames.
    pub fn watch(self: &Arc<Self>, after: u64) -> JsonViewer {
        JsonViewer::new(Viewer::after(Cursor::new(self.clone(), None), after))
    }

    /// Follows the feed like [`Feed::watch`], for a participant. The participant counts as present, and the watch ends
    /// when they are removed.
    pub fn watch_as(self: &Arc<Self>, id: ParticipantId, who: &Actor, after: u64) -> JsonViewer {
        JsonViewer::new(Viewer::after(Cursor::new(self.clone(), Some((id, who))), after))
    }

    /// Returns the current moment as a starting point for a viewer.
    pub(super) fn start(&self) -> StartingPoint {
        let mut core = self.core.write();
        self.starting_point(&mut core)
    }

    pub(super) fn starting_point(&self, core: &mut FeedCore) -> StartingPoint {
        // Otherwise, the next delta would repeat text that the partials below contain.
        if self.show_deltas(core) {
            self.wake();
        }
        let mut extras: Vec<Bytes> = core.running.partials(self.session).collect();
        extras.extend(self.watching.lock().last());
        self.update_liveness(core);
        // A viewer assumes that everything is live, so only the opposite needs a signal.
        if !core.live {
            extras.push(frame::text_frame(&self.liveness(false)).into());
        }
        StartingPoint { position: core.ring.end(), seq: core.ring.seq(), extras: extras.into() }
    }

    /// Returns one page of events after `after` up to `through`. Never empty while there are such events.
    pub(super) async fn page(&self, after: u64, through: u64) -> Result<FramePage, StoreError> {
        self.pages.after(self.session, after, through).await
    }

    pub(super) fn park(&self, key: usize, waker: &Waker, position: ViewerPosition) {
        self.watchers.lock().park(key, waker, position);
    }

    pub(super) fn add_viewer(self: &Arc<Self>, who: Option<(ParticipantId, &Actor)>) -> usize {
        if let Some((id, actor)) = who
            && self.watching.lock().add(id, actor)
        {
            self.schedule_presence();
        }
        metrics().viewers.inc();
        self.watchers.lock().add(|| self.follow_others())
    }

    pub(super) fn remove_viewer(self: &Arc<Self>, key: usize, who: Option<ParticipantId>) {
        let is_due = who.is_some_and(|id| self.watching.lock().remove(id));
        let followed = {
            let mut watchers = self.watchers.lock();
            let followed = watchers.remove(key);
            if followed.is_some() {
                // Without viewers, this node no longer learns of redactions, so it must not keep pages.
                self.pages.forget(self.session);
                self.watching.lock().forget_others();
            }
            followed
        };
        metrics().viewers.dec();
        if followed.is_some() {
            // Report without the viewers who just left, because without viewers, this node sends no further reports.
            self.report_presence();
        }
        if is_due {
            self.schedule_presence();
        }
    }

    pub(super) fn schedule_presence(self: &Arc<Self>) {
        // A cursor can be dropped during the shutdown of the runtime, when no viewer is left to notify.
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let (feed, delay) = (Arc::downgrade(self), Duration::from_millis(self.settings.presence_ms));
        runtime.spawn(async move {
            tokio::time::sleep(delay).await;
            let Some(feed) = feed.upgrade() else { return };
            let json = feed.watching.lock().signal(feed.session, feed.settings.max_presence_names);
            if let Some(json) = json {
                feed.push(&json);
                feed.report_presence();
            }
        });
    }
}

impl FeedCore {
    pub(super) fn new(ring: Ring) -> Self {
        Self {
            ring,
            removals: HashMap::new(),
            epoch: 0,
            running: PartialTexts::default(),
            deltas: DeltaSchedule::default(),
            live: true,
            fold: Fold::Absent,
        }
    }

    fn follow_participants(&mut self, event: &Event) {
        let LogChange::Member(participant, change) = event.fact.log_change() else { return };
        match change {
            MemberChange::Left(reason) => {
                let removal = Removal { position: self.ring.end(), seq: event.seq, reason };
                self.removals.insert(participant, removal);
            }
            MemberChange::Joined(_) => {
                self.removals.remove(&participant);
            }
            MemberChange::RoleChanged(_) => return,
        }
        self.epoch += 1;
    }

    pub(super) fn view(&self) -> Option<View> {
        match &self.fold {
            Fold::Current(state) => Some(state.view().clone()),
            _ => None,
        }
    }
}

/// Guard of this node's ownership of a session. This node counts as the session's writer while the guard lives.
pub struct OwnershipGuard(Arc<Feed>);

impl Drop for OwnershipGuard {
    fn drop(&mut self) {
        self.0.owners.fetch_sub(1, Ordering::Relaxed);
        self.0.signal_liveness();
    }
}

impl std::ops::Deref for OwnershipGuard {
    type Target = Arc<Feed>;

    fn deref(&self) -> &Arc<Feed> {
        &self.0
    }
}

impl Drop for Feed {
    fn drop(&mut self) {
        if let Some(registry) = self.registry.upgrade() {
            registry.forget(self.session);
        }
    }
}
