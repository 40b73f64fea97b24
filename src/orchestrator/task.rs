//! The orchestrator of one session: takes commands one by one, decides, makes durable, publishes, performs.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use bytes::Bytes;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep_until};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::recording::record;
use super::turns::{Outcome, Turns};
use super::{Cluster, OrchestratorBounds, observe, spans};
use crate::agent::Mind;
use crate::clock::now;
use crate::feed::{Feeds, Owned};
use crate::kernel::{self, By, Command, Decision, Effect, Envelope, SessionId, State, Timestamp};
use crate::protocol::Problem;
use crate::store::{AppendError, ClaimError, EventStore, Fence, Recorded, StoreError, restore, tail};

/// What the orchestrators of a node share.
pub(super) struct Shared {
    pub(super) store: Arc<dyn EventStore>,
    pub(super) feeds: Feeds,
    pub(super) minds: Arc<dyn Mind>,
    pub(super) bounds: OrchestratorBounds,
    pub(super) stopping: CancellationToken,
    /// The other nodes, where there can be any.
    pub(super) cluster: Option<Cluster>,
    /// What a stop waits for: the sessions, and what they keep beside their work.
    pub(super) tasks: TaskTracker,
}

/// What a session's orchestrator is asked.
#[allow(clippy::large_enum_variant, reason = "nearly all mail is a command, and is moved once")]
pub(super) enum Mail {
    Command { by: By, command: Command, reply: oneshot::Sender<Result<u64, Refusal>> },
    State { reply: oneshot::Sender<Arc<State>> },
}

/// One live session.
pub(super) struct Task {
    session: SessionId,
    shared: Arc<Shared>,
    state: State,
    fence: Fence,
    feed: Owned,
    turns: Turns,
    /// Results of the session's own work that are not in the log yet.
    backlog: VecDeque<Outcome>,
    /// The last append got no answer: the log may hold more than the state knows.
    doubtful: bool,
    /// When the backlog is tried again, while the store does not answer.
    retry_at: Option<Instant>,
    kept: u64,
}

/// Why a command was not applied here.
#[derive(Debug)]
pub(super) enum Refusal {
    /// Its sender is told.
    Problem(Problem),
    /// Another node has the session, or is about to: the same may succeed there.
    Elsewhere,
}

impl From<Problem> for Refusal {
    fn from(problem: Problem) -> Self {
        Self::Problem(problem)
    }
}

/// Why a command was not applied.
enum NotApplied {
    Problem(Problem),
    /// The store does not answer; the same may succeed later.
    Unavailable(StoreError),
    /// Another node writes this log now: this task is over.
    Fenced,
}

impl Task {
    /// Claim the log, restore the state and take up what is outstanding.
    pub(super) async fn start(session: SessionId, shared: Arc<Shared>) -> Result<Self, ClaimError> {
        let lease = shared.cluster.as_ref().map(|cluster| cluster.me.node);
        let fence = shared.store.claim(session, lease).await?;
        let state = restore(&*shared.store, session, None).await?;
        let feed = shared.feeds.open(session).await?.own();
        // One that followed another node until now may be behind what that node has written.
        feed.catch_up().await?;
        let turns = Turns::new(shared.minds.clone(), feed.clone());
        let kept = state.seq();
        let backlog = VecDeque::from([Outcome { cause: None, command: Command::Recover }]);
        Ok(Self { session, shared, state, fence, feed, turns, backlog, doubtful: false, retry_at: None, kept })
    }

    /// Serve until the session has been idle for long, the node stops, or another node has taken the session.
    pub(super) async fn run(mut self, mailbox: &mut mpsc::Receiver<Mail>) {
        let idle = Duration::from_secs(self.shared.bounds.idle_seconds);
        let stopping = self.shared.stopping.clone();
        if self.state.seq() == 0 {
            self.backlog.clear();
        }
        loop {
            if self.work_off().await.is_err() {
                break;
            }
            let due = self.state.next_due().filter(|_| self.backlog.is_empty()).map(instant_of);
            let retry = self.retry_at.filter(|_| self.doubtful || !self.backlog.is_empty());
            let rest = Instant::now() + idle;
            tokio::select! {
                biased;
                () = stopping.cancelled() => break,
                mail = mailbox.recv() => match mail {
                    Some(mail) => if self.answer(mail).await.is_err() { break },
                    None => break,
                },
                outcome = self.turns.next() => self.backlog.push_back(outcome),
                () = sleep_until(due.unwrap_or(rest)), if due.is_some() => {
                    self.backlog.push_back(Outcome { cause: None, command: Command::Due });
                }
                () = sleep_until(retry.unwrap_or(rest)), if retry.is_some() => self.retry_at = None,
                () = sleep_until(rest), if self.is_at_rest() => mailbox.close(),
            }
        }
        // Dropped turns are taken up again by whoever serves the session next: they are outstanding in its state.
        self.turns.stop().await;
        if self.state.seq() > self.kept {
            self.keep();
        }
        // Else the others would have to wait for this node's lease to end. Where it fails, they do.
        if self.shared.cluster.is_some() {
            let _ = self.shared.store.release(self.session, self.fence).await;
        }
    }

    /// Whether nothing is outstanding that only this task can do.
    fn is_at_rest(&self) -> bool {
        self.backlog.is_empty() && !self.doubtful && !self.state.is_unfinished()
    }

    /// Look at the log where it is in doubt; then write what the session's own work has led to, in order.
    async fn work_off(&mut self) -> Result<(), ()> {
        if self.retry_at.is_none() {
            match self.catch_up().await {
                Ok(()) => {}
                Err(NotApplied::Fenced) => return Err(()),
                Err(_) => self.retry_later(),
            }
        }
        while self.retry_at.is_none() {
            let Some(Outcome { cause, command }) = self.backlog.pop_front() else { return Ok(()) };
            match self.apply(By::Shell { cause }, command.clone()).await {
                Ok(_) => {}
                Err(NotApplied::Fenced) => return Err(()),
                Err(NotApplied::Problem(problem)) => {
                    tracing::error!(session = %self.session, %problem, "result refused")
                }
                Err(NotApplied::Unavailable(error)) => {
                    // A model's answer is paid for: it is kept until the store takes it.
                    tracing::warn!(session = %self.session, %error, "will write the result later");
                    self.backlog.push_front(Outcome { cause, command });
                    self.retry_later();
                }
            }
        }
        Ok(())
    }

    fn retry_later(&mut self) {
        self.retry_at = Some(Instant::now() + Duration::from_millis(self.shared.bounds.store_retry_ms));
    }

    async fn answer(&mut self, mail: Mail) -> Result<(), ()> {
        match mail {
            Mail::State { reply } => {
                let _ = reply.send(Arc::new(self.state.clone()));
                Ok(())
            }
            Mail::Command { by, command, reply } => {
                let (answer, end) = match self.apply(by, command).await {
                    Ok(seq) => (Ok(seq), Ok(())),
                    Err(NotApplied::Problem(problem)) => (Err(problem.into()), Ok(())),
                    Err(NotApplied::Unavailable(error)) => {
                        self.retry_later();
                        (Err(Problem::from(error).into()), Ok(()))
                    }
                    Err(NotApplied::Fenced) => (Err(Refusal::Elsewhere), Err(())),
                };
                let _ = reply.send(answer);
                end
            }
        }
    }

    /// The whole program: decide, append, evolve, publish, perform. Nothing has happened until `append` says so.
    async fn apply(&mut self, by: By, command: Command) -> Result<u64, NotApplied> {
        self.catch_up().await?;
        let begun = Instant::now();
        let envelope = Envelope { at: now(), by, command };
        let events = match kernel::decide(&self.state, &envelope) {
            Ok(Decision::Repeated(seq)) => return Ok(seq),
            Ok(Decision::Events(events)) if !events.is_empty() => events,
            Ok(Decision::Events(_)) => return Ok(self.first_answer(&envelope.by).await?.unwrap_or(self.state.seq())),
            Err(no) => return self.first_answer(&envelope.by).await?.ok_or(NotApplied::Problem(no.into())),
        };
        let mut next = self.state.clone();
        events.iter().for_each(|event| kernel::evolve(&mut next, event));
        let append = record(events, &envelope.by, &self.state, &next, self.fence);
        let recorded = append.events.clone();
        let decided = Instant::now();
        match self.shared.store.append(append).await {
            Ok(()) => {}
            Err(AppendError::Repeated { seq }) => return Ok(seq),
            Err(AppendError::Fenced) => return Err(NotApplied::Fenced),
            Err(AppendError::Conflict { actual }) => {
                self.doubtful = true;
                return Err(NotApplied::Unavailable(StoreError(format!("the log is at {actual}").into())));
            }
            Err(AppendError::Unavailable(error)) => {
                self.doubtful = true;
                return Err(NotApplied::Unavailable(error));
            }
        }
        let before = std::mem::replace(&mut self.state, next);
        if matches!(envelope.by, By::Participant { .. }) {
            spans::command(&before, &self.state, envelope.at, (begun.elapsed(), decided.elapsed()));
        }
        self.show(&before, &recorded).await;
        Ok(self.state.seq())
    }

    /// The answer to a command that the state has forgotten: what was right the first time may be refused now.
    async fn first_answer(&self, by: &By) -> Result<Option<u64>, NotApplied> {
        let By::Participant { actor, id, .. } = by else { return Ok(None) };
        self.shared.store.receipt(self.session, &actor.id, id).await.map_err(NotApplied::Unavailable)
    }

    /// Publish what is durable, then do the work that it asks for.
    async fn show(&mut self, before: &State, recorded: &[Recorded]) {
        self.feed.publish(recorded);
        observe::recorded(before, recorded, &*self.shared.minds);
        spans::recorded(&self.shared.store, before, recorded);
        for Recorded { event, .. } in recorded {
            for effect in kernel::effects(&self.state, event) {
                self.perform(effect, event.seq).await;
            }
        }
        if self.state.seq() - self.kept >= self.shared.bounds.snapshot_every {
            self.keep();
        }
    }

    async fn perform(&mut self, effect: Effect, cause: u64) {
        match effect {
            Effect::Turn { message, attempt } => self.turns.start(&self.state, message, attempt, cause),
            Effect::Stop { control } => {
                let (quicker, mut dropped) = self.turns.stop().await;
                self.backlog.push_back(Outcome { cause: Some(cause), command: Command::Acknowledge { control } });
                self.backlog.extend(quicker);
                let items = self.state.view().active_run().map_or(&[][..], |run| &run.items);
                let mut left = vec![];
                for item in items {
                    left.push(self.turns.unfinished(item.message, dropped.remove(&item.message)).await);
                }
                let command = Command::Stopped { control, left };
                self.backlog.push_back(Outcome { cause: Some(cause), command });
            }
        }
    }

    /// After an append without an answer, read what the log really holds.
    async fn catch_up(&mut self) -> Result<(), NotApplied> {
        if self.doubtful {
            let tail = tail(&*self.shared.store, self.session, self.state.seq()).await;
            let tail = tail.map_err(NotApplied::Unavailable)?;
            // In this order: what was there before the fence was seen in force is of this task's own writing. What
            // another node has written is that node's to work on.
            let place = self.shared.store.place(self.session).await.map_err(NotApplied::Unavailable)?;
            if place.fence != self.fence {
                return Err(NotApplied::Fenced);
            }
            self.doubtful = false;
            let before = self.state.clone();
            tail.iter().for_each(|recorded| kernel::evolve(&mut self.state, &recorded.event));
            self.show(&before, &tail).await;
        }
        Ok(())
    }

    /// Keep the state, beside the work: restoring only gets slower where this fails.
    fn keep(&mut self) {
        self.kept = self.state.seq();
        let (store, session, seq) = (self.shared.store.clone(), self.session, self.kept);
        let snapshot = self.state.snapshot();
        self.shared.tasks.spawn(async move {
            let bytes = Bytes::from(serde_json::to_vec(&snapshot).unwrap_or_default());
            if let Err(error) = store.save_snapshot(session, seq, bytes).await {
                tracing::warn!(%session, %error, "the snapshot was not kept");
            }
        });
    }
}

fn instant_of(at: Timestamp) -> Instant {
    Instant::now() + Duration::from_millis(at.millis().saturating_sub(now().millis()))
}
