//! An in-memory store that follows the store's laws, on the simulation's clock.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use parking_lot::Mutex;
use roundtable::agent::teams::{ExecutionChange, ExecutionListing, ExecutionStatus};
use roundtable::kernel::{CommandId, Event, ParticipantId, Role, SessionId};
use roundtable::node_id::NodeId;
use roundtable::protocol;
use roundtable::store::{admission::AdmissionState, *};
use tokio::sync::OwnedMutexGuard;
use tokio::time::Instant;

/// One session's log.
#[derive(Default)]
pub(super) struct SessionLog {
    pub(super) fence: u64,
    owner: Option<NodeId>,
    pub(super) frames: Vec<Bytes>,
    /// Frames staged for an erasure, by the writer's fence and the event's seq.
    staged: BTreeMap<(u64, u64), Bytes>,
    pub(super) receipts: HashMap<(String, String), u64>,
    members: HashMap<ParticipantId, Role>,
    pub(super) unfinished: bool,
    snapshot: Option<(u64, Bytes)>,
    /// The execution that is the session's first run.
    pub(super) execution: Option<ExecutionListing>,
    /// For each append that took effect: its fence, and the fence that was in force.
    pub(super) writers: Vec<(u64, u64)>,
}

impl SessionLog {
    fn change_execution(&mut self, session: SessionId, change: &ExecutionChange) {
        match change {
            ExecutionChange::Started { team, version, at } => {
                self.execution.get_or_insert(ExecutionListing {
                    id: session.into(),
                    team: *team,
                    team_version: *version,
                    status: ExecutionStatus::Running,
                    started_at: *at,
                    completed_at: None,
                    error: None,
                    usage: None,
                    title: "".into(),
                });
            }
            ExecutionChange::Ended { status, error, usage, at } => {
                let running = self.execution.as_mut().filter(|row| row.status == ExecutionStatus::Running);
                if let Some(row) = running {
                    (row.status, row.error, row.completed_at) = (*status, error.clone(), Some(*at));
                    row.usage = Some(*usage);
                }
            }
            ExecutionChange::Erased => self.execution = None,
        }
    }
}

/// The store.
#[derive(Default)]
pub(super) struct MemoryStore {
    pub(super) logs: Mutex<BTreeMap<SessionId, SessionLog>>,
    /// Locks held by commits in progress.
    rows: Mutex<BTreeMap<SessionId, Arc<RowLock>>>,
    pub(super) nodes: Mutex<BTreeMap<NodeId, NodeLease>>,
}

/// A node's lease: how long it lasts, and when the node may next take over other sessions.
pub(super) struct NodeLease {
    until: Instant,
    takeover_after: Instant,
    term: LeaseTerm,
}

type RowLock = tokio::sync::Mutex<()>;

impl MemoryStore {
    /// Locks a session for a write, which waits until earlier writes are committed.
    pub(super) async fn row(&self, session: SessionId) -> OwnedMutexGuard<()> {
        let row = self.rows.lock().entry(session).or_default().clone();
        row.lock_owned().await
    }

    fn lives(&self, node: NodeId) -> bool {
        self.nodes.lock().get(&node).is_some_and(|lease| lease.until > Instant::now())
    }

    fn may_take_over(&self, node: NodeId) -> bool {
        let now = Instant::now();
        self.nodes.lock().get(&node).is_some_and(|lease| lease.until > now && lease.takeover_after <= now)
    }

    pub(super) fn claim_after(
        &self,
        session: SessionId,
        lease: Option<NodeId>,
        seen: Fence,
    ) -> Result<Fence, ClaimError> {
        if lease.is_some_and(|node| !self.lives(node)) {
            return Err(ClaimError::Lapsed);
        }
        let mut logs = self.logs.lock();
        let log = logs.entry(session).or_default();
        let is_free = |owner| !self.lives(owner) && lease.is_none_or(|node| self.may_take_over(node));
        match log.owner.filter(|owner| Some(*owner) != lease && !is_free(*owner)) {
            Some(owner) => Err(ClaimError::Held(owner)),
            None if log.fence != seen.0 => Err(ClaimError::Taken),
            None => {
                log.fence += 1;
                log.owner = lease;
                Ok(Fence(log.fence))
            }
        }
    }

    pub(super) fn release(&self, session: SessionId, fence: Fence) {
        if let Some(log) = self.logs.lock().get_mut(&session).filter(|log| log.fence == fence.0) {
            log.owner = None;
        }
    }

    /// Begins the log of a session, owned by the author of its first event.
    pub(super) fn create(&self, session: SessionId, events: &[Event]) {
        let mut logs = self.logs.lock();
        let log = logs.entry(session).or_default();
        log.frames.extend(events.iter().map(|event| protocol::encode_event(session, event)));
        log.members.extend(events[0].by.participant_id().map(|owner| (owner, Role::Owner)));
    }

    pub(super) fn append(&self, append: &Append) -> Result<(), AppendError> {
        let mut logs = self.logs.lock();
        let mut known = AdmissionState::default();
        let log = logs.entry(append.session).or_default();
        if log.owner.is_none_or(|owner| self.lives(owner)) {
            known.sessions.insert(append.session, (log.fence, log.frames.len() as u64));
        }
        for CommandReceipt { actor, command, .. } in &append.receipts {
            if let Some(seq) = log.receipts.get(&(actor.to_string(), command.to_string())) {
                known.receipts.insert((append.session, actor.clone(), command.clone()), *seq);
            }
        }
        known.admit(append)?;
        log.frames.extend(append.events.iter().map(|recorded| recorded.frame.clone()));
        let receipts = append.receipts.iter();
        log.receipts
            .extend(receipts.map(|receipt| ((receipt.actor.to_string(), receipt.command.to_string()), receipt.seq)));
        for (participant, role) in &append.members {
            match role {
                Some(role) => log.members.insert(*participant, *role),
                None => log.members.remove(participant),
            };
        }
        if let Some(erasure) = &append.erasure {
            for ((fence, seq), frame) in std::mem::take(&mut log.staged) {
                if fence == append.fence.0 {
                    log.frames[usize::try_from(seq).expect("is small") - 1] = frame;
                }
            }
            log.snapshot = Some((log.frames.len() as u64, erasure.snapshot.clone()));
        }
        append.execution.iter().for_each(|change| log.change_execution(append.session, change));
        log.unfinished = append.listing.unfinished;
        log.writers.push((append.fence.0, log.fence));
        Ok(())
    }

    pub(super) fn begin_erasure(&self, session: SessionId, fence: Fence) {
        self.logs.lock().entry(session).or_default().staged.retain(|(staged, _), _| *staged > fence.0);
    }

    pub(super) fn stage_erasure(&self, session: SessionId, fence: Fence, frames: &[(u64, Bytes)]) {
        let staged = frames.iter().map(|(seq, frame)| ((fence.0, *seq), frame.clone()));
        self.logs.lock().entry(session).or_default().staged.extend(staged);
    }

    pub(super) fn read(&self, session: SessionId, after: u64, limit: u32) -> Vec<StoredEvent> {
        let logs = self.logs.lock();
        let frames = logs.get(&session).map_or(&[][..], |log| &log.frames);
        let stored = frames.iter().zip(1..).skip(usize::try_from(after).unwrap_or(usize::MAX));
        stored.take(limit as usize).map(|(frame, seq)| StoredEvent { seq, frame: frame.clone() }).collect()
    }

    pub(super) fn head(&self, session: SessionId) -> u64 {
        self.logs.lock().get(&session).map_or(0, |log| log.frames.len() as u64)
    }

    pub(super) fn ownership(&self, session: SessionId) -> SessionOwnership {
        let logs = self.logs.lock();
        let Some(log) = logs.get(&session) else { return SessionOwnership::default() };
        let owner = log.owner.filter(|owner| self.lives(*owner));
        SessionOwnership { head: log.frames.len() as u64, owner, fence: Fence(log.fence), claimer: log.owner }
    }

    pub(super) fn receipt(&self, session: SessionId, actor: &str, command: &CommandId) -> Option<u64> {
        self.logs.lock().get(&session)?.receipts.get(&(actor.to_owned(), command.to_string())).copied()
    }

    pub(super) fn save_snapshot(&self, session: SessionId, seq: u64, state: Bytes) {
        if let Some(log) = self.logs.lock().get_mut(&session)
            && log.snapshot.as_ref().is_none_or(|(kept, _)| *kept <= seq)
        {
            log.snapshot = Some((seq, state));
        }
    }

    pub(super) fn snapshot(&self, session: SessionId) -> Option<(u64, Bytes)> {
        self.logs.lock().get(&session)?.snapshot.clone()
    }

    pub(super) fn role(&self, session: SessionId, participant: ParticipantId) -> Option<Role> {
        self.logs.lock().get(&session)?.members.get(&participant).copied()
    }

    pub(super) fn orphans(&self, lease: Option<NodeId>, limit: u32) -> Vec<SessionId> {
        let logs = self.logs.lock();
        let is_free = |owner| !self.lives(owner) && lease.is_none_or(|node| self.may_take_over(node));
        let orphan = |log: &SessionLog| log.unfinished && log.owner.is_none_or(is_free);
        logs.iter().filter(|(_, log)| orphan(log)).map(|(session, _)| *session).take(limit as usize).collect()
    }

    pub(super) fn renew(&self, node: NodeId, ttl: Duration) -> LeaseTerm {
        let (now, mut nodes) = (Instant::now(), self.nodes.lock());
        let until = now + ttl;
        let (takeover_after, term) = match nodes.get(&node) {
            Some(lease) if lease.until > now => (lease.takeover_after, lease.term),
            Some(lease) => (until, LeaseTerm(lease.term.0 + 1)),
            None => (now, LeaseTerm(0)),
        };
        nodes.insert(node, NodeLease { until, takeover_after, term });
        term
    }

    pub(super) fn end(&self, node: NodeId) {
        self.nodes.lock().remove(&node);
    }
}
