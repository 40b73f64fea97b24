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
use tracing::Instrument;

use super::context::OrchestratorContext;
use super::error::SubmitError;
use super::lease_renewal::Lease;
use super::mailbox::{MailboxMessage, mailbox_full, refuse, refuse_all};
use super::session_task::SessionTask;
use super::{Cluster, OrchestratorSettings};
use crate::agent::ModelPort;
use crate::bus::BusRequest;
use crate::feed::FeedRegistry;
use crate::identity::IdentityStore;
use crate::kernel::{Event, Rejection, SessionId, State};
use crate::protocol::{Code, Problem};
use crate::store::{ClaimError, EventStore, RecordedEvent, restore};
use crate::store_error::StoreError;
use crate::supervise::supervise;
use crate::telemetry::{log_spans, metrics};
use crate::tool::Toolbox;

/// Registry of the sessions that are live on this node. A command for an idle session wakes it.
#[derive(Clone)]
pub struct SessionRegistry {
    pub(super) shared: Arc<OrchestratorContext>,
    live: Arc<Mutex<HashMap<SessionId, LiveSession>>>,
    tasks: TaskTracker,
    /// Cancelled when the last task has ended. The lease must not end before that.
    ended: CancellationToken,
}

/// Uptime of a session's task after which its failure count is reset.
const FAILURE_RESET: Duration = Duration::from_secs(60);

/// Retry policy for a session that cannot be read.
#[derive(Clone, Copy)]
pub(super) enum ReadRetries {
    /// Try once and report the failure to the sender, who retries.
    Once,
    /// Retry until the session is claimed. Without a sender that retries, the run would stall until the next restart.
    UntilTaken,
}

/// The handle of a live session.
#[derive(Clone)]
pub(super) struct LiveSession {
    mailbox: mpsc::Sender<MailboxMessage>,
    /// Cancelled when the session has been claimed, or could not be claimed immediately.
    pub(super) claimed: CancellationToken,
    /// Cancelled when the session's task has ended.
    ended: CancellationToken,
}

impl SessionRegistry {
    /// Creates the registry without live sessions.
    pub fn new(
        store: Arc<dyn EventStore>,
        feeds: FeedRegistry,
        models: Arc<dyn ModelPort>,
        toolbox: Toolbox,
        settings: OrchestratorSettings,
        cluster: Option<Cluster>,
        identities: Option<Arc<dyn IdentityStore>>,
    ) -> Self {
        let stopping = CancellationToken::new();
        let (tasks, lease) = (TaskTracker::new(), Lease::new());
        let shared = OrchestratorContext {
            store,
            feeds,
            models,
            toolbox,
            identities,
            settings,
            stopping,
            lease,
            cluster,
            tasks: tasks.clone(),
        };
        Self { shared: Arc::new(shared), live: Arc::default(), tasks, ended: CancellationToken::new() }
    }

    /// Returns up to `limit` events of the session, the last of them with this seq.
    pub async fn events_before(&self, session: SessionId, seq: u64, limit: u32) -> Result<Vec<Event>, Problem> {
        let mut events: Vec<Event> = vec![];
        let mut after = seq.saturating_sub(limit.into());
        // A page is limited in bytes too.
        while after < seq {
            let page = self.shared.store.read(session, after, u32::try_from(seq - after).unwrap_or(limit)).await?;
            let Some(last) = page.last() else { break };
            after = last.seq;
            for stored in page {
                events.push(RecordedEvent::try_from(stored)?.event);
            }
        }
        Ok(events)
    }

    /// Returns the session's current state. The state of an idle session is read from the store, without waking it.
    pub async fn state(&self, session: SessionId) -> Result<Arc<State>, Problem> {
        if self.is_live(session) {
            let (reply, state) = oneshot::channel();
            if self.post(session, MailboxMessage::State { reply }).await.is_ok()
                && let Ok(state) = state.await
            {
                return Ok(state);
            }
        }
        let state = restore(&*self.shared.store, session, None).await.map_err(Problem::from)?;
        if state.seq() == 0 { Err(Rejection::UnknownSession.into()) } else { Ok(Arc::new(state)) }
    }

    /// Returns the number of live sessions.
    pub fn len(&self) -> usize {
        self.live.lock().len()
    }

    /// Returns whether no session is live.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns whether this node is allowed to write the sessions that it has claimed: it holds its lease, or needs
    /// none.
    pub fn may_write(&self) -> bool {
        self.shared.may_write()
    }

    /// Starts the lease if this node belongs to a cluster, and starts serving requests from other nodes. Then resumes
    /// outstanding work. Returns the number of sessions to resume.
    ///
    /// # Errors
    /// Fails if the store does not respond.
    pub async fn start(&self, requests: Option<mpsc::Receiver<BusRequest>>) -> Result<usize, StoreError> {
        if let Some(cluster) = &self.shared.cluster {
            cluster.begin(&self.shared.lease).await?;
            tracing::debug!(node = %cluster.me.node, "lease started");
            let (cluster, shared, ended) = (cluster.clone(), self.shared.clone(), self.ended.clone());
            tokio::spawn(supervise("lease renewal", move || {
                let (cluster, shared, ended) = (cluster.clone(), shared.clone(), ended.clone());
                async move { cluster.renew_lease(&shared.lease, ended).await }
            }));
        }
        if let Some(requests) = requests {
            tokio::spawn(self.clone().serve_peer_requests(requests));
        }
        let first = self.claim_orphans().await?;
        let (count, mut first, registry) = (first.claims.len(), Some(first), self.clone());
        tokio::spawn(supervise("session takeover", move || {
            registry.clone().take_over_sessions(first.take().unwrap_or_default())
        }));
        Ok(count)
    }

    /// Shuts down in this order: sessions accept no more commands, turns are cancelled, and states are saved.
    /// Acknowledged commands are in the log, and outstanding work is resumed at the next start.
    pub async fn shutdown(&self) {
        self.shared.stopping.cancel();
        self.tasks.close();
        self.tasks.wait().await;
        self.ended.cancel();
        if let Some(cluster) = &self.shared.cluster {
            match cluster.leases.end(cluster.me.node).await {
                Ok(()) => tracing::debug!("lease ended"),
                Err(error) => {
                    tracing::warn!(%error, "lease not ended; this node's sessions are free when it expires");
                }
            }
        }
    }

    /// Returns whether the node is shutting down and accepts no more commands.
    pub(super) fn is_stopping(&self) -> bool {
        self.shared.stopping.is_cancelled()
    }

    /// Returns whether the session is live on this node.
    pub fn is_live(&self, session: SessionId) -> bool {
        self.live.lock().contains_key(&session)
    }

    /// Puts a message into the session's mailbox, and wakes the session if it is idle.
    pub(super) async fn post(&self, session: SessionId, mut mail: MailboxMessage) -> Result<(), SubmitError> {
        loop {
            let live = self.wake(session, ReadRetries::Once)?;
            // The last quarter is reserved for controls: a flood of chat must not block the stop button.
            if mail.is_chat() && live.mailbox.capacity() <= live.mailbox.max_capacity() / 4 {
                return Err(mailbox_full().into());
            }
            match live.mailbox.try_send(mail) {
                Ok(()) => return Ok(()),
                Err(mpsc::error::TrySendError::Full(_)) => return Err(mailbox_full().into()),
                Err(mpsc::error::TrySendError::Closed(back)) => mail = back,
            }
            // The session's task is ending. Two tasks for one session would fence each other, so wait for the end of
            // this one and then wake the session again.
            live.ended.cancelled().await;
        }
    }

    pub(super) fn wake(&self, session: SessionId, retries: ReadRetries) -> Result<LiveSession, SubmitError> {
        if self.is_stopping() {
            return Err(SubmitError::Elsewhere);
        }
        let mut sessions = self.live.lock();
        if let Some(live) = sessions.get(&session) {
            return Ok(live.clone());
        }
        if sessions.len() >= self.shared.settings.max_live_sessions {
            let message = "too many live sessions on this server; retry later";
            return Err(Problem::new(Code::Busy, message).retry_after(5_000).into());
        }
        let (mailbox, inbox) = mpsc::channel(self.shared.settings.max_waiting_commands);
        let live = LiveSession { mailbox, claimed: CancellationToken::new(), ended: CancellationToken::new() };
        sessions.insert(session, live.clone());
        let end = LiveSessionGuard {
            live: self.live.clone(),
            session,
            claimed: live.claimed.clone(),
            ended: live.ended.clone(),
        };
        let served = self.clone().serve(session, inbox, end, retries);
        self.tasks.spawn(served.instrument(log_spans::own_session(session)));
        Ok(live)
    }

    async fn serve(
        self,
        session: SessionId,
        mut mailbox: mpsc::Receiver<MailboxMessage>,
        end: LiveSessionGuard,
        mut retries: ReadRetries,
    ) {
        let mut failures = 0;
        loop {
            let since = Instant::now();
            let served = self.claim_and_serve(session, &mut mailbox, &end.claimed, retries);
            let outcome = AssertUnwindSafe(served).catch_unwind().await;
            failures = if since.elapsed() > FAILURE_RESET { 1 } else { failures + 1 };
            let (problem, pause) = match outcome {
                Ok(Ok(())) => break,
                Ok(Err(reason @ (ClaimError::Held(_) | ClaimError::Taken))) => {
                    tracing::debug!(%reason, "session not claimed");
                    break;
                }
                Ok(Err(error)) => {
                    // As long as this node might have the session, no other node takes it over, so keep retrying.
                    if matches!(error, ClaimError::NoReply(_)) {
                        retries = ReadRetries::UntilTaken;
                    }
                    let problem = Problem::from(error.clone());
                    if matches!(retries, ReadRetries::Once) {
                        refuse(&mut mailbox, || problem.clone().into());
                        break;
                    }
                    tracing::warn!(%error, "session not claimed; retrying");
                    (problem, self.shared.settings.store_pause_ms(failures))
                }
                Err(_) => {
                    // No other node takes over a session that this task has claimed, so keep retrying.
                    retries = ReadRetries::UntilTaken;
                    tracing::error!("session task panicked; restarting");
                    let pause = self.shared.settings.panic_pause_ms(failures);
                    let message = "the session failed and is restarting; retry";
                    (Problem::new(Code::Busy, message).retry_after(pause), pause)
                }
            };
            tokio::select! {
                // Without a fixed order, the branch would be chosen at random, and a simulated plan could not be
                // reproduced.
                biased;
                () = self.shared.stopping.cancelled() => break,
                () = sleep(Duration::from_millis(pause)) => {}
                () = refuse_all(&mut mailbox, || problem.clone().into()) => break,
            }
        }
        mailbox.close();
        // The session is about to be resumed on this node or another one, and its next owner handles these commands
        // when they are retried.
        refuse(&mut mailbox, || SubmitError::Elsewhere);
    }

    /// Claims the session, and serves it until it is released.
    async fn claim_and_serve(
        &self,
        session: SessionId,
        mailbox: &mut mpsc::Receiver<MailboxMessage>,
        claimed: &CancellationToken,
        retries: ReadRetries,
    ) -> Result<(), ClaimError> {
        // `claimed` is cancelled even after a panic. Otherwise, the search that waits for it would never run again.
        let beginning = claimed.clone().drop_guard();
        let task = SessionTask::start(session, self.shared.clone()).await?;
        drop(beginning);
        if matches!(retries, ReadRetries::UntilTaken) {
            metrics().taken_over.inc();
        }
        task.run(mailbox).await.map_err(ClaimError::NoReply)
    }
}

/// Guard that removes a session from the live sessions when its task ends for any reason. The next command wakes the
/// session again.
struct LiveSessionGuard {
    live: Arc<Mutex<HashMap<SessionId, LiveSession>>>,
    session: SessionId,
    claimed: CancellationToken,
    ended: CancellationToken,
}

impl Drop for LiveSessionGuard {
    fn drop(&mut self) {
        self.live.lock().remove(&self.session);
        self.claimed.cancel();
        self.ended.cancel();
    }
}
