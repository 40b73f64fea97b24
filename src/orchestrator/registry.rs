//! The sessions that are live on this node.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use parking_lot::Mutex;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::cluster::Look;
use super::lease::Lease;
use super::mail::{Mail, crowded, refuse, refuse_all};
use super::refusal::Refusal;
use super::shared::Shared;
use super::task::Task;
use super::{Cluster, OrchestratorBounds};
use crate::agent::Mind;
use crate::bus::Asked;
use crate::feed::Feeds;
use crate::kernel::{Rejection, SessionId, State};
use crate::lasting::lasting;
use crate::protocol::{Code, Problem};
use crate::store::{ClaimError, EventStore, StoreError, restore};
use crate::telemetry::happened;
use crate::tool::Toolbox;

/// The sessions that are live on this node; a command for one that sleeps wakes it.
#[derive(Clone)]
pub struct Orchestrators {
    pub(super) shared: Arc<Shared>,
    live: Arc<Mutex<HashMap<SessionId, Live>>>,
    tasks: TaskTracker,
    /// Cancelled when the last task is over: only then the lease may end.
    ended: CancellationToken,
}

/// A session that was served for so long has failed for the first time when it fails then.
const LASTED: Duration = Duration::from_secs(60);

/// How long a session that cannot be read is tried.
#[derive(Clone, Copy)]
enum Patience {
    /// Its sender is told, and sends again.
    Once,
    /// Nobody may ever ask for it: its run would stand still until the next restart.
    UntilTaken,
}

/// A live session: where its commands go.
#[derive(Clone)]
struct Live {
    mailbox: mpsc::Sender<Mail>,
    /// Cancelled when it has been claimed, or could not be at once.
    begun: CancellationToken,
    /// Cancelled when its task is over.
    over: CancellationToken,
}

impl Orchestrators {
    /// None is live yet.
    pub fn new(
        store: Arc<dyn EventStore>,
        feeds: Feeds,
        minds: Arc<dyn Mind>,
        toolbox: Toolbox,
        bounds: OrchestratorBounds,
        cluster: Option<Cluster>,
    ) -> Self {
        let stopping = CancellationToken::new();
        let (tasks, lease) = (TaskTracker::new(), Lease::new());
        let shared = Shared { store, feeds, minds, toolbox, bounds, stopping, lease, cluster, tasks: tasks.clone() };
        Self { shared: Arc::new(shared), live: Arc::default(), tasks, ended: CancellationToken::new() }
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
        let state = restore(&*self.shared.store, session, None).await.map_err(Problem::from)?;
        if state.seq() == 0 { Err(Rejection::UnknownSession.into()) } else { Ok(Arc::new(state)) }
    }

    /// Take up sessions with outstanding work that no living node has, as after a crash.
    pub(super) async fn look(&self) -> Result<Look, StoreError> {
        let room = self.shared.bounds.live_sessions.saturating_sub(self.len());
        let room = u32::try_from(room).unwrap_or(u32::MAX);
        // Of a dead node's sessions the others take some at a time, so that no one of them gets all.
        let most = self.shared.cluster.as_ref().map_or(room, |cluster| room.min(cluster.settings.take_at_once));
        let sessions = self.shared.store.orphans(self.shared.me(), most).await?;
        let is_full = sessions.len() >= most as usize;
        let mut begun = vec![];
        for session in sessions.into_iter().filter(|session| !self.is_live(*session)) {
            match self.wake(session, Patience::UntilTaken) {
                Ok(live) => begun.push(live.begun),
                Err(refusal) => tracing::warn!(%session, ?refusal, "not taken up"),
            }
        }
        Ok(Look { begun, is_full })
    }

    /// How many sessions are live.
    pub fn len(&self) -> usize {
        self.live.lock().len()
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether this node may write what it has claimed: its lease lasts, or it needs none.
    pub fn may_write(&self) -> bool {
        self.shared.may_write()
    }

    /// Begin: as a node of a cluster with its lease, and what other nodes ask is answered from now on; then with what is
    /// outstanding. How many sessions were taken up.
    ///
    /// # Errors
    /// If the store does not answer.
    pub async fn start(&self, questions: Option<mpsc::Receiver<Asked>>) -> Result<usize, StoreError> {
        if let Some(cluster) = &self.shared.cluster {
            cluster.begin(&self.shared.lease).await?;
            let (cluster, shared, ended) = (cluster.clone(), self.shared.clone(), self.ended.clone());
            tokio::spawn(lasting("the renewal of the lease", move || {
                let (cluster, shared, ended) = (cluster.clone(), shared.clone(), ended.clone());
                async move { cluster.keep(&shared.lease, ended).await }
            }));
        }
        if let Some(questions) = questions {
            tokio::spawn(self.clone().answer_peers(questions));
        }
        let first = self.look().await?;
        let (count, mut first, adopting) = (first.begun.len(), Some(first), self.clone());
        tokio::spawn(lasting("the looks for what other nodes left", move || {
            adopting.clone().adopt(first.take().unwrap_or_default())
        }));
        Ok(count)
    }

    /// Stop in order: no session takes anything more, turns are dropped, states are kept. What was acknowledged is in the
    /// log, and what is outstanding is taken up at the next start.
    pub async fn shutdown(&self) {
        self.shared.stopping.cancel();
        self.tasks.close();
        self.tasks.wait().await;
        self.ended.cancel();
        if let Some(cluster) = &self.shared.cluster
            && let Err(error) = cluster.leases.end(cluster.me.node).await
        {
            tracing::warn!(%error, "the lease is not ended; what this node had is free when it runs out");
        }
    }

    /// Whether the node takes no more commands.
    pub(super) fn is_stopping(&self) -> bool {
        self.shared.stopping.is_cancelled()
    }

    pub(super) fn is_live(&self, session: SessionId) -> bool {
        self.live.lock().contains_key(&session)
    }

    /// Put mail into the session's box, waking it where it sleeps.
    pub(super) async fn post(&self, session: SessionId, mut mail: Mail) -> Result<(), Refusal> {
        loop {
            let live = self.wake(session, Patience::Once)?;
            // The last quarter is kept free: a flood of chat must not lock out the stop button.
            if mail.is_chat() && live.mailbox.capacity() <= live.mailbox.max_capacity() / 4 {
                return Err(crowded().into());
            }
            match live.mailbox.try_send(mail) {
                Ok(()) => return Ok(()),
                Err(mpsc::error::TrySendError::Full(_)) => return Err(crowded().into()),
                Err(mpsc::error::TrySendError::Closed(back)) => mail = back,
            }
            // It is just going to sleep: two tasks for one session would fence each other, so wait and wake it anew.
            live.over.cancelled().await;
        }
    }

    fn wake(&self, session: SessionId, patience: Patience) -> Result<Live, Refusal> {
        if self.is_stopping() {
            return Err(Refusal::Elsewhere);
        }
        let mut sessions = self.live.lock();
        if let Some(live) = sessions.get(&session) {
            return Ok(live.clone());
        }
        if sessions.len() >= self.shared.bounds.live_sessions {
            let message = "the server has as many live sessions as it may; send the same again later";
            return Err(Problem::new(Code::Busy, message).retry_after(5_000).into());
        }
        let (mailbox, inbox) = mpsc::channel(self.shared.bounds.mailbox);
        let live = Live { mailbox, begun: CancellationToken::new(), over: CancellationToken::new() };
        sessions.insert(session, live.clone());
        let end = End { live: self.live.clone(), session, begun: live.begun.clone(), over: live.over.clone() };
        self.tasks.spawn(self.clone().serve(session, inbox, end, patience));
        Ok(live)
    }

    async fn serve(self, session: SessionId, mut mailbox: mpsc::Receiver<Mail>, end: End, mut patience: Patience) {
        let mut failures = 0;
        loop {
            let since = Instant::now();
            let served = self.claim_and_serve(session, &mut mailbox, &end.begun, patience);
            let outcome = AssertUnwindSafe(served).catch_unwind().await;
            failures = if since.elapsed() > LASTED { 1 } else { failures + 1 };
            let (problem, pause) = match outcome {
                Ok(Ok(()) | Err(ClaimError::Held(_) | ClaimError::Taken)) => break,
                Ok(Err(error)) => {
                    // As long as this node may have it, nobody else takes it up.
                    if matches!(error, ClaimError::Unanswered(_)) {
                        patience = Patience::UntilTaken;
                    }
                    let problem = Problem::from(error.clone());
                    if matches!(patience, Patience::Once) {
                        refuse(&mut mailbox, || problem.clone().into());
                        break;
                    }
                    tracing::warn!(%session, %error, "will take it up later");
                    (problem, self.shared.bounds.store_pause_ms(failures))
                }
                Err(_) => {
                    // What it had claimed nobody else takes up either.
                    patience = Patience::UntilTaken;
                    tracing::error!(%session, "its task panicked; will take it up later");
                    let pause = self.shared.bounds.panic_pause_ms(failures);
                    let message = "the session's work has failed and begins anew in a moment; send the same again";
                    (Problem::new(Code::Busy, message).retry_after(pause), pause)
                }
            };
            tokio::select! {
                // Whichever branch chance took first would decide; a simulated plan could not be repeated.
                biased;
                () = self.shared.stopping.cancelled() => break,
                () = sleep(Duration::from_millis(pause)) => {}
                () = refuse_all(&mut mailbox, || problem.clone().into()) => break,
            }
        }
        mailbox.close();
        // It is just being taken up anew, or moves: whoever has it next answers.
        refuse(&mut mailbox, || Refusal::Elsewhere);
    }

    /// Claim the session, and serve it until it is given back.
    async fn claim_and_serve(
        &self,
        session: SessionId,
        mailbox: &mut mpsc::Receiver<Mail>,
        begun: &CancellationToken,
        patience: Patience,
    ) -> Result<(), ClaimError> {
        // Also where it panics: whoever waits for it would never look for other sessions again.
        let beginning = begun.clone().drop_guard();
        let task = Task::start(session, self.shared.clone()).await?;
        drop(beginning);
        if matches!(patience, Patience::UntilTaken) {
            happened().taken_over.inc();
        }
        task.run(mailbox).await.map_err(ClaimError::Unanswered)
    }
}

/// Takes a session off the list however its service ends: the next command finds it asleep and wakes it.
struct End {
    live: Arc<Mutex<HashMap<SessionId, Live>>>,
    session: SessionId,
    begun: CancellationToken,
    over: CancellationToken,
}

impl Drop for End {
    fn drop(&mut self) {
        self.live.lock().remove(&self.session);
        self.begun.cancel();
        self.over.cancel();
    }
}
