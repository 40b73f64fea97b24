//! The orchestrator of one session: takes commands one by one, decides, makes durable, publishes, performs.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use tokio::sync::{broadcast, mpsc};
use tokio::time::{Instant, sleep_until};

use super::calls::Calls;
use super::clock::Clock;
use super::erasing::{after, erase};
use super::mail::Mail;
use super::recording::record;
use super::refusal::{NotApplied, Refusal};
use super::shared::Shared;
use super::turns::{FollowUp, Turns};
use super::{observe, spans};
use crate::feed::Owned;
use crate::kernel::{self, By, Command, Decision, Effect, Envelope, SessionId, State, Timestamp};
use crate::protocol::Problem;
use crate::store::{Append, AppendError, ClaimError, Fence, Recorded, StoreError, restore, tail};

/// One live session.
pub(super) struct Task {
    session: SessionId,
    shared: Arc<Shared>,
    state: State,
    fence: Fence,
    /// That of the latest claim, if it happened: its answer may have been lost.
    claimed: Fence,
    feed: Owned,
    turns: Turns,
    calls: Calls,
    /// Results of the session's own work that are not in the log yet.
    backlog: VecDeque<FollowUp>,
    /// The last append got no answer, or the lease was over for a time: the log may hold more than the state knows, and
    /// another node may have the session.
    doubtful: bool,
    lapses: broadcast::Receiver<()>,
    outage: Option<Outage>,
    /// How often it did not, one time after the other.
    failures: u32,
    kept: u64,
    clock: Clock,
}

/// The store did not answer, at `since`; at `until` the backlog is tried again.
struct Outage {
    since: Instant,
    until: Instant,
    error: StoreError,
}

impl Task {
    /// Claim the log, restore the state and take up what is outstanding.
    pub(super) async fn start(session: SessionId, shared: Arc<Shared>) -> Result<Self, ClaimError> {
        // A lapse while this is under way may cost the claim, too.
        let lapses = shared.lease.lapses();
        let fence = shared.claim(session).await?;
        // What is to be given back: none where it may have been claimed again without an answer.
        let mut claimed = Some(fence);
        let taken_up = async {
            let mut task = Self::restored(session, shared.clone(), fence, lapses).await?;
            let recovered = task.recover().await;
            claimed = (task.claimed == task.fence).then_some(task.fence);
            recovered.map(|()| task)
        };
        match (taken_up.await, claimed) {
            // Another node may be able to do what this one cannot.
            (Err(ClaimError::Unavailable(error)), Some(fence)) => Err(match shared.release(session, fence).await {
                Ok(()) => ClaimError::Unavailable(error),
                Err(_) => ClaimError::Unanswered(error),
            }),
            (Err(ClaimError::Unavailable(error)), None) => Err(ClaimError::Unanswered(error)),
            (taken_up, _) => taken_up,
        }
    }

    async fn restored(
        session: SessionId,
        shared: Arc<Shared>,
        fence: Fence,
        lapses: broadcast::Receiver<()>,
    ) -> Result<Self, StoreError> {
        let state = restore(&*shared.store, session, None).await?;
        let feed = shared.feeds.open(session).await?.own();
        // One that followed another node until now may be behind what that node has written.
        feed.catch_up().await?;
        let turns = Turns::new(shared.minds.clone(), shared.toolbox.clone(), feed.clone());
        let calls = Calls::new(shared.toolbox.clone(), feed.clone());
        let (kept, clock) = (state.seq(), Clock::after(state.view().updated_at));
        Ok(Self {
            session,
            shared,
            state,
            fence,
            claimed: fence,
            feed,
            turns,
            calls,
            backlog: VecDeque::new(),
            doubtful: false,
            lapses,
            outage: None,
            failures: 0,
            kept,
            clock,
        })
    }

    /// Take up what was outstanding, before anything else is decided: work that is begun here must not be taken for what was
    /// lost elsewhere.
    async fn recover(&mut self) -> Result<(), ClaimError> {
        if self.state.seq() == 0 || self.state.view().closed {
            return Ok(());
        }
        let seq = match self.apply(By::Shell { cause: None }, Command::Recover).await {
            Ok(seq) => seq,
            Err(NotApplied::Fenced) => return Err(ClaimError::Taken),
            Err(NotApplied::Unavailable(error)) => return Err(error.into()),
            Err(NotApplied::Problem(problem)) => {
                tracing::error!(session = %self.session, %problem, "what was outstanding is not taken up");
                return Ok(());
            }
        };
        // Also where it led to no event: what the lost node had only begun to look at is in the state.
        for effect in kernel::outstanding(&self.state) {
            self.perform(effect, seq).await;
        }
        Ok(())
    }

    /// Serve until the session has been idle for long, the node stops, or another node has taken the session; then give
    /// it back.
    ///
    /// # Errors
    /// Where it could not be given back: it may be this node's still, and nobody else's.
    pub(super) async fn run(mut self, mailbox: &mut mpsc::Receiver<Mail>) -> Result<(), StoreError> {
        let idle = Duration::from_secs(self.shared.bounds.idle_seconds);
        let stopping = self.shared.stopping.clone();
        loop {
            if self.work_off().await.is_err() {
                break;
            }
            let (due, end) = (self.state.next_due(), self.state.view().updated_at);
            let due = due.filter(|_| self.backlog.is_empty()).map(|at| self.clock.instant_of(at, end));
            let retry = self.outage.as_ref().map(|outage| outage.until);
            let rest = Instant::now() + idle;
            tokio::select! {
                biased;
                () = stopping.cancelled() => break,
                _ = self.lapses.recv() => self.doubtful = true,
                // What the session's own work has led to comes first: there is little of it, and of mail there may be
                // so much that no answer would ever be written.
                outcome = self.turns.next() => self.backlog.push_back(outcome),
                outcome = self.calls.next() => self.backlog.push_back(outcome),
                () = sleep_until(due.unwrap_or(rest)), if due.is_some() => {
                    self.backlog.push_back(FollowUp { cause: None, command: Command::Due });
                }
                () = sleep_until(retry.unwrap_or(rest)), if retry.is_some() => self.outage = None,
                mail = mailbox.recv() => match mail {
                    Some(mail) => if self.answer(mail).await.is_err() { break },
                    None => break,
                },
                () = sleep_until(rest), if self.is_at_rest() => break,
            }
        }
        // Dropped turns are taken up again by whoever serves the session next: they are outstanding in its state.
        self.turns.stop().await;
        self.calls.stop().await;
        if self.state.seq() > self.kept {
            self.keep();
        }
        let released = self.shared.release(self.session, self.fence).await;
        // Where this node stops, its lease is about to end.
        if stopping.is_cancelled() { Ok(()) } else { released }
    }

    /// Whether nothing is outstanding that only this task can do.
    fn is_at_rest(&self) -> bool {
        self.backlog.is_empty() && !self.doubtful && !self.state.is_unfinished()
    }

    /// Look at the log where it is in doubt; then write what the session's own work has led to, in order.
    async fn work_off(&mut self) -> Result<(), ()> {
        if self.outage.is_none() {
            match self.catch_up().await {
                Ok(()) | Err(NotApplied::Problem(_)) => {}
                Err(NotApplied::Fenced) => return Err(()),
                Err(NotApplied::Unavailable(error)) => self.retry_later(error),
            }
        }
        while self.outage.is_none() {
            let Some(FollowUp { cause, command }) = self.backlog.pop_front() else { return Ok(()) };
            match self.apply(By::Shell { cause }, command.clone()).await {
                Ok(_) => {}
                Err(NotApplied::Fenced) => return Err(()),
                Err(NotApplied::Problem(problem)) => {
                    tracing::error!(session = %self.session, %problem, "result refused")
                }
                Err(NotApplied::Unavailable(error)) => {
                    // A model's answer is paid for, and kept. A title has no attempt: its cost might count twice.
                    tracing::warn!(session = %self.session, %error, "will write the result later");
                    if !matches!(command, Command::TitleMade { .. }) {
                        self.backlog.push_front(FollowUp { cause, command });
                    }
                    self.retry_later(error);
                }
            }
        }
        Ok(())
    }

    fn retry_later(&mut self, error: StoreError) {
        let since = Instant::now();
        self.failures = self.failures.saturating_add(1);
        let until = since + Duration::from_millis(self.shared.bounds.store_pause_ms(self.failures));
        self.outage = Some(Outage { since, until, error });
    }

    async fn answer(&mut self, mail: Mail) -> Result<(), ()> {
        match mail {
            Mail::State { reply } => {
                let _ = reply.send(Arc::new(self.state.clone()));
                Ok(())
            }
            Mail::Command { at, by, command, reply } => {
                // What has waited while the store did not answer is told at once: one after the other would else wait
                // for as long as the store may take.
                if let Some(outage) = self.outage.as_ref().filter(|outage| at < outage.since) {
                    let _ = reply.send(Err(Problem::from(outage.error.clone()).into()));
                    return Ok(());
                }
                let (answer, end) = match self.apply(by, command).await {
                    Ok(seq) => (Ok(seq), Ok(())),
                    Err(NotApplied::Problem(problem)) => (Err(problem.into()), Ok(())),
                    Err(NotApplied::Unavailable(error)) => {
                        self.retry_later(error.clone());
                        (Err(Problem::from(error).into()), Ok(()))
                    }
                    Err(NotApplied::Fenced) => (Err(Refusal::Elsewhere), Err(())),
                };
                let _ = reply.send(answer);
                end
            }
        }
    }

    /// Apply a command to what the log really holds.
    async fn apply(&mut self, by: By, command: Command) -> Result<u64, NotApplied> {
        let mut envelope = Envelope { at: Timestamp::default(), by, command };
        loop {
            self.catch_up().await?;
            envelope.at = self.clock.now(self.state.view().updated_at);
            match self.write(&envelope).await {
                // Another node has the session, or only the lease was over for a time, as after an outage: to claim it
                // again tells which.
                Err(NotApplied::Fenced) => self.doubtful = true,
                answer => return answer,
            }
        }
    }

    /// The whole program: decide, append, evolve, publish, perform. Nothing has happened until `append` says so.
    async fn write(&mut self, envelope: &Envelope) -> Result<u64, NotApplied> {
        let begun = Instant::now();
        let events = match kernel::decide(&self.state, envelope) {
            Ok(Decision::Repeated(seq)) => return Ok(seq),
            // Also a participant's command that changes nothing has its receipt: its repetition might change something.
            Ok(Decision::Events(events)) if events.is_empty() && matches!(envelope.by, By::Shell { .. }) => {
                return Ok(self.state.seq());
            }
            Ok(Decision::Events(events)) => events,
            Err(no) => return self.first_answer(&envelope.by).await?.ok_or(NotApplied::Problem(no.into())),
        };
        let mut next = self.state.clone();
        events.iter().for_each(|event| kernel::evolve(&mut next, event));
        let erasure = match erase(&*self.shared.store, &mut next, self.fence, &events).await {
            // What was staged may arrive late: under the next fence it is none of the next redaction's.
            Err(NotApplied::Unavailable(error)) => return Err(self.doubt(error)),
            erasure => erasure?,
        };
        let append = Append { erasure, ..record(events, &envelope.by, &self.state, &next, self.fence) };
        let (recorded, erases, decided) = (append.events.clone(), append.erasure.is_some(), Instant::now());
        match self.shared.store.append(append).await {
            Ok(()) => {}
            Err(AppendError::Repeated { seq }) => return Ok(seq),
            Err(AppendError::Fenced) => return Err(NotApplied::Fenced),
            Err(AppendError::Conflict { actual }) => {
                return Err(self.doubt(StoreError(format!("the log is at {actual}").into())));
            }
            Err(AppendError::Unavailable(error)) => return Err(self.doubt(error)),
        }
        self.failures = 0;
        let before = std::mem::replace(&mut self.state, next);
        if matches!(envelope.by, By::Participant { .. }) {
            spans::command(&before, &self.state, envelope.at, (begun.elapsed(), decided.elapsed()));
        }
        self.show(&before, &recorded).await;
        if erases && let Err(error) = self.shared.store.finish_erasure(self.session).await {
            tracing::info!(session = %self.session, %error, "what was redacted will be erased later");
        }
        Ok(self.state.seq())
    }

    /// Claim the session again before the next decision: nobody knows what became of a write.
    fn doubt(&mut self, error: StoreError) -> NotApplied {
        self.doubtful = true;
        NotApplied::Unavailable(error)
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
            Effect::Judge { call } => self.backlog.extend(self.calls.judge(&self.state, call, cause)),
            Effect::Call { call, attempt, rev, digest } => {
                self.calls.start(&self.state, call, attempt, rev, &digest, cause);
            }
            Effect::Tell { call, reply } => self.calls.tell(call, reply),
            Effect::Title { run, message } => self.turns.titles.start(&self.state, run, message, cause),
            Effect::Stop { control } => {
                let (mut quicker, mut dropped) = self.turns.stop().await;
                quicker.extend(self.calls.stop().await);
                self.backlog.push_back(FollowUp { cause: Some(cause), command: Command::Acknowledge { control } });
                self.backlog.extend(quicker);
                let items = self.state.view().active_run().map_or(&[][..], |run| &run.items);
                let mut left = vec![];
                for item in items {
                    left.push(self.turns.unfinished(item.message, dropped.remove(&item.message)).await);
                }
                let command = Command::Stopped { control, left };
                self.backlog.push_back(FollowUp { cause: Some(cause), command });
            }
        }
    }

    /// Where the log may hold more than the state knows, or another node may have the session, read what it really holds.
    async fn catch_up(&mut self) -> Result<(), NotApplied> {
        // A node that has slept does not hear of it before it looks: what it refused from an old state would be final.
        self.doubtful |= !self.shared.may_write();
        if self.doubtful {
            // A claim waits for an append that is under way. Afterwards that has happened, or never will: one that was
            // committed later would be in the log, with its receipt, and nobody would work on it.
            self.reclaim().await?;
            let tail = tail(&*self.shared.store, self.session, self.state.seq()).await;
            let tail = tail.map_err(NotApplied::Unavailable)?;
            // This node may have slept since, and what the next owner wrote is in the tail.
            let place = self.shared.store.place(self.session).await.map_err(NotApplied::Unavailable)?;
            if place.fence != self.fence {
                return Err(NotApplied::Fenced);
            }
            let next = after(&*self.shared.store, &self.state, &tail).await.map_err(NotApplied::Unavailable)?;
            self.doubtful = false;
            let before = std::mem::replace(&mut self.state, next);
            self.show(&before, &tail).await;
        }
        Ok(())
    }

    /// Claim the log again, unless somebody else has: what another node has written is not this task's to work on.
    async fn reclaim(&mut self) -> Result<(), NotApplied> {
        let claimed = self.shared.store.reclaim(self.session, self.shared.me(), self.claimed).await;
        if matches!(claimed, Err(ClaimError::Unanswered(_))) {
            self.claimed = self.claimed.next();
        }
        self.fence = claimed?;
        self.claimed = self.fence;
        Ok(())
    }

    fn keep(&mut self) {
        self.kept = self.state.seq();
        self.shared.keep(&self.state);
    }
}
