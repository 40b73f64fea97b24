//! A node's connections to the world: they can be slow, cut, frozen or dead.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use parking_lot::Mutex;
use roundtable::agent::{Completion, ModelPort, StopReason, Title, TurnError, TurnRequest};
use roundtable::bus::{Bus, BusRequestError, BusStatus, BusSubscription, BusTraffic, Urgency};
use roundtable::kernel::{AttemptError, CommandId, ParticipantId, Role, SessionId, Timestamp, TurnBound, Usage};
use roundtable::node_id::NodeId;
use roundtable::store::*;
use roundtable::store_error::StoreError;
use tokio::sync::{Notify, watch};

use super::counting_tool::answer;
use super::memory_store::MemoryStore;
use super::pause::pause;
use servers::random::Random;

/// Faults of a node.
pub(super) struct NodeFaults {
    /// The node is starting and still receives all responses, because it could not start without them.
    pub(super) starting: AtomicBool,
    /// The node never does anything again.
    pub(super) dead: AtomicBool,
    /// The node does nothing until it is thawed.
    pub(super) frozen: AtomicBool,
    thawed: Notify,
    /// The node's database does not respond.
    pub(super) cut: AtomicBool,
    /// Half of the messages and requests that the node sends over the bus are lost.
    pub(super) unheard: AtomicBool,
    dice: Mutex<Random>,
}

impl NodeFaults {
    pub(super) fn none(dice: Random) -> Arc<Self> {
        Arc::new(Self {
            starting: AtomicBool::new(true),
            dead: AtomicBool::new(false),
            frozen: AtomicBool::new(false),
            thawed: Notify::new(),
            cut: AtomicBool::new(false),
            unheard: AtomicBool::new(false),
            dice: Mutex::new(dice),
        })
    }

    /// Waits while the node is frozen, and forever if it is dead.
    pub(super) async fn alive(&self) {
        loop {
            let thawed = self.thawed.notified();
            if !self.frozen.load(Relaxed) {
                break;
            }
            thawed.await;
        }
        if self.dead.load(Relaxed) {
            std::future::pending::<()>().await;
        }
    }

    pub(super) fn thaw(&self) {
        self.frozen.store(false, Relaxed);
        self.thawed.notify_waiters();
    }

    async fn pass(&self) -> Result<(), StoreError> {
        let wait = self.below(3);
        pause(wait).await;
        self.alive().await;
        if self.cut.load(Relaxed) {
            pause(5).await;
            return Err(StoreError::unavailable("cut"));
        }
        Ok(())
    }

    /// Decides whether the response to an append that took effect is lost.
    async fn lose_response(&self) -> Result<(), StoreError> {
        self.alive().await;
        let is_lost = self.one_in(12) && !self.starting.load(Relaxed);
        if is_lost { Err(StoreError::unavailable("the answer was lost")) } else { Ok(()) }
    }

    pub(super) fn one_in(&self, n: u64) -> bool {
        self.below(n) == 0
    }

    pub(super) fn below(&self, n: u64) -> u64 {
        self.dice.lock().below(n)
    }
}

/// The store, as one node sees it.
pub(super) struct FaultyStoreLink {
    pub(super) memory: Arc<MemoryStore>,
    pub(super) faults: Arc<NodeFaults>,
}

#[async_trait]
impl EventStore for FaultyStoreLink {
    async fn claim_after(&self, session: SessionId, lease: Option<NodeId>, seen: Fence) -> Result<Fence, ClaimError> {
        self.faults.pass().await?;
        let row = self.memory.row(session).await;
        if self.faults.one_in(12) {
            let (memory, late) = (self.memory.clone(), self.faults.below(300));
            tokio::spawn(async move {
                drop(row);
                pause(late).await;
                let _ = memory.claim_after(session, lease, seen);
            });
            return Err(ClaimError::NoReply(StoreError::unavailable("it is on its way")));
        }
        let fence = self.memory.claim_after(session, lease, seen)?;
        drop(row);
        self.faults.lose_response().await.map_err(ClaimError::NoReply)?;
        Ok(fence)
    }

    async fn release(&self, session: SessionId, fence: Fence) -> Result<(), StoreError> {
        self.faults.pass().await?;
        if self.faults.one_in(6) {
            return Err(StoreError::unavailable("lost on its way"));
        }
        self.memory.release(session, fence);
        self.faults.lose_response().await
    }

    async fn append(&self, append: Append) -> Result<(), AppendError> {
        self.faults.pass().await?;
        let row = self.memory.row(append.session).await;
        if self.faults.one_in(12) {
            let (memory, late) = (self.memory.clone(), self.faults.below(300));
            tokio::spawn(async move {
                pause(late).await;
                let _ = memory.append(&append);
                drop(row);
            });
            return Err(AppendError::Unavailable(StoreError::unavailable("the commit takes its time")));
        }
        let written = self.memory.append(&append);
        drop(row);
        self.faults.alive().await;
        if self.faults.one_in(40) {
            return Err(AppendError::Unavailable(StoreError::unavailable("the answer was lost")));
        }
        written
    }

    async fn begin_erasure(&self, session: SessionId, fence: Fence) -> Result<(), StoreError> {
        self.faults.pass().await?;
        self.memory.begin_erasure(session, fence);
        self.faults.lose_response().await
    }

    async fn stage_erasure(&self, session: SessionId, fence: Fence, frames: &[(u64, Bytes)]) -> Result<(), StoreError> {
        self.faults.pass().await?;
        if self.faults.one_in(12) {
            let (memory, late, frames) = (self.memory.clone(), self.faults.below(300), frames.to_vec());
            tokio::spawn(async move {
                pause(late).await;
                memory.stage_erasure(session, fence, &frames);
            });
            return Err(StoreError::unavailable("it is on its way"));
        }
        self.memory.stage_erasure(session, fence, frames);
        self.faults.lose_response().await
    }

    async fn finish_erasure(&self, _: SessionId) -> Result<(), StoreError> {
        self.faults.pass().await
    }

    async fn read(&self, session: SessionId, after: u64, limit: u32) -> Result<Vec<StoredEvent>, StoreError> {
        self.faults.pass().await?;
        Ok(self.memory.read(session, after, limit))
    }

    async fn head(&self, session: SessionId) -> Result<u64, StoreError> {
        self.faults.pass().await?;
        Ok(self.memory.head(session))
    }

    async fn heads(&self, sessions: &[SessionId]) -> Result<Vec<(SessionId, u64)>, StoreError> {
        self.faults.pass().await?;
        Ok(sessions.iter().map(|session| (*session, self.memory.head(*session))).collect())
    }

    async fn ownership(&self, session: SessionId) -> Result<SessionOwnership, StoreError> {
        self.faults.pass().await?;
        Ok(self.memory.ownership(session))
    }

    async fn receipt(&self, session: SessionId, actor: &str, command: &CommandId) -> Result<Option<u64>, StoreError> {
        self.faults.pass().await?;
        Ok(self.memory.receipt(session, actor, command))
    }

    async fn save_snapshot(&self, session: SessionId, seq: u64, snapshot: Bytes) -> Result<(), StoreError> {
        self.faults.pass().await?;
        self.memory.save_snapshot(session, seq, snapshot);
        Ok(())
    }

    async fn snapshot(&self, session: SessionId) -> Result<Option<(u64, Bytes)>, StoreError> {
        self.faults.pass().await?;
        Ok(self.memory.snapshot(session))
    }

    async fn list(&self, _: SessionQuery) -> Result<Vec<SessionListing>, StoreError> {
        Ok(vec![])
    }

    async fn role(&self, session: SessionId, participant: ParticipantId) -> Result<Option<Role>, StoreError> {
        self.faults.pass().await?;
        Ok(self.memory.role(session, participant))
    }

    async fn orphans(&self, lease: Option<NodeId>, limit: u32) -> Result<Vec<SessionId>, StoreError> {
        self.faults.pass().await?;
        Ok(self.memory.orphans(lease, limit))
    }

    async fn remove_expired(&self, _: Timestamp) -> Result<u64, StoreError> {
        Ok(0)
    }
}

#[async_trait]
impl LeaseStore for FaultyStoreLink {
    async fn renew(&self, node: &LiveNode, ttl: Duration) -> Result<LeaseTerm, StoreError> {
        self.faults.pass().await?;
        let term = self.memory.renew(node.node, ttl);
        self.faults.lose_response().await?;
        Ok(term)
    }

    async fn others(&self, _: NodeId) -> Result<Vec<LiveNode>, StoreError> {
        Ok(vec![])
    }

    async fn end(&self, node: NodeId) -> Result<(), StoreError> {
        self.faults.pass().await?;
        self.memory.end(node);
        Ok(())
    }

    async fn remove_expired_nodes(&self) -> Result<(), StoreError> {
        Ok(())
    }
}

/// The bus, as one node sees it.
pub(super) struct FaultyBusLink {
    pub(super) bus: Arc<dyn Bus>,
    pub(super) faults: Arc<NodeFaults>,
    /// Status of the bus, for all nodes.
    pub(super) status: watch::Sender<BusStatus>,
}

impl FaultyBusLink {
    fn is_down(&self) -> bool {
        !self.status.borrow().is_up()
    }

    fn is_lost(&self) -> bool {
        let NodeFaults { dead, frozen, unheard, .. } = &*self.faults;
        self.is_down() || dead.load(Relaxed) || frozen.load(Relaxed) || (unheard.load(Relaxed) && self.faults.one_in(2))
    }
}

#[async_trait]
impl Bus for FaultyBusLink {
    fn node(&self) -> NodeId {
        self.bus.node()
    }

    fn publish(&self, session: SessionId, news: Bytes, urgency: Urgency) {
        if !self.is_lost() {
            self.bus.publish(session, news, urgency);
        }
    }

    fn follow(&self, session: SessionId) -> BusSubscription {
        self.bus.follow(session)
    }

    async fn ask(&self, node: NodeId, question: Bytes, within: Duration) -> Result<Bytes, BusRequestError> {
        self.faults.alive().await;
        if self.is_down() {
            return Err(BusRequestError::Down);
        }
        if self.is_lost() {
            pause(u64::try_from(within.as_millis()).expect("is short")).await;
            return Err(BusRequestError::Late);
        }
        let answer = self.bus.ask(node, question, within).await;
        self.faults.alive().await;
        if self.is_lost() { Err(BusRequestError::Late) } else { answer }
    }

    fn status(&self) -> watch::Receiver<BusStatus> {
        self.status.subscribe()
    }

    fn traffic(&self) -> &BusTraffic {
        self.bus.traffic()
    }
}

/// A model that writes a short text, slowly, and sometimes fails.
pub(super) struct FaultyModel {
    pub(super) faults: Arc<NodeFaults>,
}

#[async_trait]
impl ModelPort for FaultyModel {
    async fn turn(
        &self,
        request: TurnRequest,
        on_text: &mut (dyn for<'t> FnMut(&'t str) + Send),
    ) -> Result<Completion, TurnError> {
        let (pieces, pace, fails, cut, (wanted, tool_calls)) = {
            let mut dice = self.faults.dice.lock();
            let (fails, cut) = (dice.below(12) == 0, dice.below(12) == 0);
            (2 + dice.below(6), 1 + dice.below(15), fails, cut, answer(&request, &mut dice))
        };
        let mut text = String::new();
        for piece in 0..pieces {
            pause(pace).await;
            self.faults.alive().await;
            let fragment = match &wanted {
                Some(whole) if piece == 0 => whole.clone(),
                Some(_) => continue,
                None => format!("词{piece} "),
            };
            on_text(&fragment);
            text += &fragment;
            if fails && piece == 1 {
                let error = AttemptError { code: "model_unavailable".into(), message: "down".into() };
                return Err(TurnError::new(error, true));
            }
        }
        let usage = Usage {
            model: "sim/sim".into(),
            input_tokens: 1,
            output_tokens: pieces,
            estimated: false,
            cost_micros: 1 + pieces,
        };
        Ok(Completion {
            text,
            tool_calls,
            reasoning: None,
            usage,
            finish: if cut { StopReason::Length } else { StopReason::Stop },
        })
    }

    async fn estimate(&self, _: TurnRequest, _: &str) -> Option<Usage> {
        None
    }

    async fn title(&self, text: &str, _: Option<TurnBound>) -> Title {
        let (pace, thinks) = {
            let mut dice = self.faults.dice.lock();
            (1 + dice.below(15), dice.below(3) > 0)
        };
        pause(pace).await;
        self.faults.alive().await;
        let (model, input_tokens) = ("sim/sim".into(), text.len() as u64);
        let usage = Usage { model, input_tokens, output_tokens: 1, estimated: false, cost_micros: input_tokens + 1 };
        if thinks { Title { text: Some("Thought of".into()), usage: Some(usage) } } else { Title::default() }
    }

    fn backoff(&self, _: u32, _: Option<u64>) -> u64 {
        0
    }
}
