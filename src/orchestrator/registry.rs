//! The sessions that are live on this node.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{mpsc, oneshot};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::task::{Mail, Shared, Task, unavailable};
use super::{OrchestratorBounds, restore};
use crate::agent::Models;
use crate::feed::Feeds;
use crate::kernel::{By, Command, Rejection, SessionId, State};
use crate::protocol::{Code, Problem};
use crate::store::{EventStore, StoreError};

/// The sessions that are live on this node; a command for one that sleeps wakes it.
#[derive(Clone)]
pub struct Orchestrators {
    shared: Arc<Shared>,
    live: Arc<Mutex<HashMap<SessionId, Live>>>,
    tasks: TaskTracker,
}

/// How long a session that cannot be read is tried.
#[derive(Clone, Copy)]
enum Patience {
    /// Its sender is told, and sends again.
    Once,
    /// Nobody may ever ask for it: its run would stand still until the next restart.
    UntilTaken,
}

/// A live session: where its commands go, and when its task is over.
#[derive(Clone)]
struct Live {
    mailbox: mpsc::Sender<Mail>,
    over: CancellationToken,
}

impl Orchestrators {
    /// None is live yet.
    pub fn new(store: Arc<dyn EventStore>, feeds: Feeds, models: Models, bounds: OrchestratorBounds) -> Self {
        let stopping = CancellationToken::new();
        let shared = Arc::new(Shared { store, feeds, models, bounds, stopping });
        Self { shared, live: Arc::default(), tasks: TaskTracker::new() }
    }

    /// Hand a command to its session's orchestrator and wait for the answer: the seq of its last event, durable. The
    /// command counts even if the caller stops waiting.
    pub async fn submit(&self, session: SessionId, by: By, command: Command) -> Result<u64, Problem> {
        let creates = matches!(command, Command::Create { .. });
        if !creates && !self.is_live(session) {
            // Else any id that somebody makes up would be claimed, and leave a row in the store.
            let head = self.shared.store.head(session).await.map_err(|error| unavailable(&error))?;
            if head == 0 {
                return Err(Rejection::UnknownSession.into());
            }
        }
        let (reply, answer) = oneshot::channel();
        self.post(session, Mail::Command { by, command, reply }).await?;
        answer.await.unwrap_or_else(|_| Err(self.lost()))
    }

    /// The session's state now. One that sleeps is read from the store and sleeps on.
    pub async fn state(&self, session: SessionId) -> Result<Arc<State>, Problem> {
        if self.is_live(session) {
            let (reply, answer) = oneshot::channel();
            if self.post(session, Mail::State { reply }).await.is_ok()
                && let Ok(state) = answer.await
            {
                return Ok(state);
            }
        }
        let state = restore(&*self.shared.store, session).await.map_err(|error| unavailable(&error))?;
        if state.seq() == 0 { Err(Rejection::UnknownSession.into()) } else { Ok(Arc::new(state)) }
    }

    /// Take up every session with outstanding work, as after a crash; how many.
    pub async fn recover(&self) -> Result<usize, StoreError> {
        let most = u32::try_from(self.shared.bounds.live_sessions).unwrap_or(u32::MAX);
        let sessions = self.shared.store.unfinished(most).await?;
        for session in &sessions {
            if let Err(problem) = self.wake(*session, Patience::UntilTaken) {
                tracing::warn!(%session, %problem, "not taken up");
            }
        }
        Ok(sessions.len())
    }

    /// How many sessions are live.
    pub fn len(&self) -> usize {
        self.live.lock().len()
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Stop in order: no session takes anything more, turns are dropped, states are kept. What was acknowledged is in the
    /// log, and what is outstanding is taken up at the next start.
    pub async fn shutdown(&self) {
        self.shared.stopping.cancel();
        self.tasks.close();
        self.tasks.wait().await;
    }

    fn is_live(&self, session: SessionId) -> bool {
        self.live.lock().contains_key(&session)
    }

    /// Put mail into the session's box, waking it where it sleeps.
    async fn post(&self, session: SessionId, mut mail: Mail) -> Result<(), Problem> {
        loop {
            let live = self.wake(session, Patience::Once)?;
            match live.mailbox.try_send(mail) {
                Ok(()) => return Ok(()),
                Err(mpsc::error::TrySendError::Full(_)) => {
                    let message = "too many commands are waiting for this session; send the same again";
                    return Err(Problem::new(Code::Busy, message).retry_after(1_000));
                }
                Err(mpsc::error::TrySendError::Closed(back)) => mail = back,
            }
            // It is just going to sleep: two tasks for one session would fence each other, so wait and wake it anew.
            live.over.cancelled().await;
        }
    }

    fn wake(&self, session: SessionId, patience: Patience) -> Result<Live, Problem> {
        if self.shared.stopping.is_cancelled() {
            return Err(stopping());
        }
        let mut sessions = self.live.lock();
        if let Some(live) = sessions.get(&session) {
            return Ok(live.clone());
        }
        if sessions.len() >= self.shared.bounds.live_sessions {
            let message = "the server has as many live sessions as it may; send the same again later";
            return Err(Problem::new(Code::Busy, message).retry_after(5_000));
        }
        let (mailbox, inbox) = mpsc::channel(self.shared.bounds.mailbox);
        let live = Live { mailbox, over: CancellationToken::new() };
        sessions.insert(session, live.clone());
        self.tasks.spawn(self.clone().serve(session, inbox, live.over.clone(), patience));
        Ok(live)
    }

    async fn serve(
        self,
        session: SessionId,
        mut mailbox: mpsc::Receiver<Mail>,
        over: CancellationToken,
        patience: Patience,
    ) {
        let _end = End { live: self.live.clone(), session, over };
        loop {
            match (Task::start(session, self.shared.clone()).await, patience) {
                (Ok(task), _) => break task.run(&mut mailbox).await,
                (Err(error), Patience::Once) => break refuse(&mut mailbox, || unavailable(&error)),
                (Err(error), Patience::UntilTaken) => tracing::warn!(%session, %error, "will take it up later"),
            }
            let pause = Duration::from_millis(self.shared.bounds.store_retry_ms);
            if self.shared.stopping.run_until_cancelled(tokio::time::sleep(pause)).await.is_none() {
                break;
            }
        }
        refuse(&mut mailbox, || self.lost());
    }

    fn lost(&self) -> Problem {
        if self.shared.stopping.is_cancelled() { stopping() } else { again() }
    }
}

/// Takes a session off the list however its task ends: after a panic, too, the next command finds it asleep and wakes it.
struct End {
    live: Arc<Mutex<HashMap<SessionId, Live>>>,
    session: SessionId,
    over: CancellationToken,
}

impl Drop for End {
    fn drop(&mut self) {
        self.live.lock().remove(&self.session);
        self.over.cancel();
    }
}

/// Answer what is left in the box; nothing more comes in.
fn refuse(mailbox: &mut mpsc::Receiver<Mail>, problem: impl Fn() -> Problem) {
    mailbox.close();
    while let Ok(mail) = mailbox.try_recv() {
        if let Mail::Command { reply, .. } = mail {
            let _ = reply.send(Err(problem()));
        }
    }
}

fn stopping() -> Problem {
    Problem::new(Code::ShuttingDown, "the server is shutting down; send the same again").retry_after(1_000)
}

fn again() -> Problem {
    Problem::new(Code::Busy, "the session is being taken up; send the same again").retry_after(200)
}
