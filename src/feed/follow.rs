//! Following a session that another node has: its frames come over the bus, and whatever may be missing from the store.

use std::sync::{Arc, Weak};
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::{BoxFuture, pending};
use tokio::time::{Instant, Interval, MissedTickBehavior};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::Feed;
use super::feed::Core;
use super::items::Remote;
use crate::bus::{Bus, Following, Heard, Urgency};
use crate::kernel::{MessageId, SessionId};
use crate::peer::{self, Answer, Here, News, Partial, Question};
use crate::protocol::{Liveness, ServerFrame};
use crate::store::{NodeId, Recorded, StoreError, Stored};
use crate::telemetry::happened;

/// How often a node tells the others who watches there; who was not heard of for [`super::presence::FORGOTTEN`] is gone.
const REFRESH: Duration = Duration::from_secs(10);
/// How long it is at least until they are asked for again.
const ASK_AGAIN: Duration = Duration::from_millis(100);
/// How long another node may take to say what its items have so far: question and answer go through Redis, and each may
/// take a second there and back until the bus counts as down. Nothing waits for it.
const PARTIALS: Duration = Duration::from_secs(3);

/// What another node has to say of its items so far, on its way here.
type Asked = BoxFuture<'static, Option<Texts>>;

/// Its items so far, and its newest event at that moment.
struct Texts {
    head: u64,
    items: Vec<Partial>,
}

enum Next {
    Heard(Heard),
    Answered(Option<Texts>),
    Refresh,
}

/// Follow until nobody watches any more. The feed is not kept alive by it.
pub(super) async fn follow(feed: Weak<Feed>, session: SessionId, bus: Arc<dyn Bus>, ended: CancellationToken) {
    let mut following = bus.follow(session);
    let mut refresh = tokio::time::interval(REFRESH);
    refresh.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let following = async {
        let (mut asked, mut is_short) = (None, false);
        loop {
            let next = next(&mut asked, &mut following, &mut refresh).await;
            let Some(feed) = feed.upgrade() else { return };
            // What goes missing while an answer is on its way may be missing in it.
            is_short |= match next {
                Next::Heard(Heard::News(news)) => feed.hear(news).await,
                Next::Heard(Heard::Lost) => {
                    feed.make_up().await;
                    true
                }
                Next::Answered(texts) => {
                    if let Some(texts) = texts {
                        feed.take_texts(texts).await;
                    }
                    false
                }
                Next::Refresh => {
                    feed.say_who_is_here();
                    // Where it was just being opened when the bus came or went.
                    feed.say_how_live();
                    false
                }
            };
            if is_short && asked.is_none() {
                asked = feed.ask_for_texts(&bus);
                is_short = asked.is_none();
            }
        }
    };
    ended.run_until_cancelled(following).await;
}

async fn next(asked: &mut Option<Asked>, following: &mut Following, refresh: &mut Interval) -> Next {
    let answered = async {
        let Some(answer) = asked else { return pending().await };
        let texts = answer.await;
        *asked = None;
        texts
    };
    tokio::select! {
        biased;
        texts = answered => Next::Answered(texts),
        heard = following.next() => Next::Heard(heard),
        _ = refresh.tick() => Next::Refresh,
    }
}

impl Feed {
    /// Hear other nodes, where there are any, until what is answered is dropped.
    pub(super) fn follow_others(self: &Arc<Self>) -> Option<DropGuard> {
        let (bus, runtime) = (self.bus.as_ref()?, tokio::runtime::Handle::try_current().ok()?);
        let ended = CancellationToken::new();
        runtime.spawn(follow(Arc::downgrade(self), self.session(), bus.clone(), ended.clone()));
        Some(ended.drop_guard())
    }

    /// Whether it hears other nodes.
    pub(super) fn is_following(&self) -> bool {
        self.watchers.lock().are_following()
    }

    /// Events may be missing.
    async fn make_up(&self) {
        if let Err(error) = self.catch_up().await {
            // The next look comes back to it.
            tracing::warn!(session = %self.session(), %error, "cannot read what the bus has lost");
        }
    }

    /// What another node says; whether texts so far may be missing. News that cannot be read is ignored: a newer version
    /// may say more than this one knows.
    async fn hear(self: &Arc<Self>, news: Bytes) -> bool {
        if let Some(News::Here(here)) = News::read(&news) {
            self.hear_who_is_there(here);
            return false;
        }
        match serde_json::from_slice(&news) {
            Ok(ServerFrame::Event { event, .. }) => {
                let known = self.head();
                if event.seq == known + 1 {
                    self.take(&[Recorded { event, frame: news }]);
                } else if event.seq > known {
                    // A gap: what is between, and this event, are in the store.
                    self.make_up().await;
                    return true;
                }
            }
            Ok(ServerFrame::Delta { item, attempt, at, text, .. }) => {
                return self.take_delta(item, attempt, at, &text) == Remote::Gap;
            }
            Ok(ServerFrame::Signal { .. }) => self.push(&news),
            _ => {}
        }
        false
    }

    /// Bring the feed to the head of the log.
    pub async fn catch_up(&self) -> Result<(), StoreError> {
        let _one_at_a_time = self.catching_up.lock().await;
        loop {
            let page = self.store.read(self.session(), self.head(), self.bounds.page_events).await?;
            if page.is_empty() {
                return Ok(());
            }
            let page: Vec<Recorded> =
                page.into_iter().map(<Recorded as TryFrom<Stored>>::try_from).collect::<Result<_, _>>()?;
            self.take(&page);
        }
    }

    /// Whether the log reaches this seq; a feed that is behind is brought to its head first. A viewer who comes from
    /// another node may have seen more than this one has heard.
    pub async fn covers(&self, seq: u64) -> Result<bool, StoreError> {
        if seq > self.head() {
            self.catch_up().await?;
        }
        Ok(seq <= self.head())
    }

    /// Ask whoever writes the items, unless that was done just now.
    fn ask_for_texts(&self, bus: &Arc<dyn Bus>) -> Option<Asked> {
        if self.is_owned() || !self.may_ask() {
            return None;
        }
        let (session, store, bus) = (self.session(), self.store.clone(), bus.clone());
        Some(Box::pin(async move {
            let owner = store.place(session).await.ok()?.owner?;
            // Without an answer viewers see the item when it is whole.
            let answer = bus.ask(owner, peer::encode(&Question::Partials(session)), PARTIALS).await.ok()?;
            match peer::decode(&answer)? {
                Answer::Partials { head, items } => Some(Texts { head, items }),
                _ => None,
            }
        }))
    }

    async fn take_texts(&self, Texts { head, items }: Texts) {
        // An item that this feed has not seen begin must not be shown before its beginning is.
        if !matches!(self.covers(head).await, Ok(true)) || self.is_owned() {
            return;
        }
        for Partial { item, attempt, text } in items {
            let mut core = self.core.write();
            // One that is over since would never end again.
            if core.ring.seq() == head {
                core.items.begun(item, attempt);
            }
            drop(core);
            self.take_delta(item, attempt, 0, &text);
        }
    }

    /// Whether it is long enough since the last time. While nobody answers, every fragment of a fast model would ask.
    fn may_ask(&self) -> bool {
        let now = Instant::now();
        let mut asked = self.asked_at.lock();
        let may = asked.is_none_or(|at| now.duration_since(at) >= ASK_AGAIN);
        if may {
            *asked = Some(now);
        }
        may
    }

    /// A fragment that another node's model wrote.
    fn take_delta(&self, item: MessageId, attempt: u32, at: u64, text: &str) -> Remote {
        let mut core = self.core.write();
        let taken = core.items.remote(self.session(), item, attempt, at, text);
        if let Remote::News(json) = &taken {
            core.ring.push(json, None);
            drop(core);
            happened().frames.count(["delta"]);
            self.wake();
        }
        taken
    }

    /// Tell other nodes who watches here.
    pub(super) fn say_who_is_here(self: &Arc<Self>) {
        let Some(bus) = &self.bus else { return };
        let (who, more) = self.watching.lock().here(self.bounds.presence_names);
        let here = News::Here(Here { node: bus.node(), who, more });
        bus.publish(self.session(), peer::encode(&here), Urgency::Soon);
        if self.watching.lock().forget_silent() {
            self.schedule_presence();
        }
    }

    /// Nobody watches on these nodes any more.
    pub(super) fn forget_viewers_of(self: &Arc<Self>, dead: &[NodeId]) {
        if self.watching.lock().forget_dead(dead) {
            self.schedule_presence();
        }
    }

    fn hear_who_is_there(self: &Arc<Self>, there: Here) {
        let (due, new) = self.watching.lock().there(there);
        if new {
            // It began after the last time that this node said so.
            self.say_who_is_here();
        }
        if due {
            self.schedule_presence();
        }
    }

    /// Tell viewers whether what is written is shown as it is written, where that has changed: the bus has come or gone,
    /// or the session has come to this node or left it.
    pub(super) fn say_how_live(&self) {
        self.note_how_live(&mut self.core.write());
    }

    /// The same where the feed is locked: what is told last is what is so.
    pub(super) fn note_how_live(&self, core: &mut Core) {
        let live = self.is_owned() || self.bus.as_ref().is_none_or(|bus| bus.status().borrow().is_up());
        if live != core.live
            && let Some(json) = self.liveness(live)
        {
            core.live = live;
            core.ring.push(&json, None);
            happened().frames.count(["signal"]);
            self.wake();
        }
    }

    /// The signal that says so.
    pub(super) fn liveness(&self, live: bool) -> Option<Vec<u8>> {
        let data = Liveness { live, delay_ms: if live { 0 } else { self.bounds.poll_ms } };
        let data = serde_json::to_value(data).unwrap_or_default();
        let frame = ServerFrame::Signal { session: self.session(), name: "liveness".into(), data };
        serde_json::to_vec(&frame).ok()
    }

    /// Tell a frame to the nodes that follow.
    pub(super) fn tell(&self, frame: &Bytes, urgency: Urgency) {
        if let Some(bus) = &self.bus {
            bus.publish(self.session(), frame.clone(), urgency);
        }
    }
}
