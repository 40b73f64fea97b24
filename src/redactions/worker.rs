//! Worker that executes redaction requests.

use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::{RedactionRequest, RedactionRequestTarget, RedactionStore, RetentionRow};
use crate::audit::{AuditAction, NewAuditEntry};
use crate::kernel::{
    Actor, Command, CommandId, CommandSender, ParticipantId, REDACTED, RedactionTarget, Role, SessionId, Timestamp,
};
use crate::node::Node;
use crate::protocol::{Code, Problem};
use crate::store::StoreError;

/// Interval between two checks for requests that came from the command line or that wait for the end of a run.
const CHECK_INTERVAL: Duration = Duration::from_secs(60);

/// Queue of redaction requests, with a notification for new ones.
#[derive(Clone)]
pub struct RedactionWorker {
    store: Arc<dyn RedactionStore>,
    asked: Arc<Notify>,
}

impl RedactionWorker {
    /// Creates the queue in this store.
    pub fn new(store: Arc<dyn RedactionStore>) -> Self {
        Self { store, asked: Arc::default() }
    }

    /// Stores a request, which this node executes immediately, or any node later. Returns its number.
    ///
    /// # Errors
    /// If the store does not respond.
    pub async fn request(&self, target: RedactionRequestTarget, by: &Actor) -> Result<u64, StoreError> {
        let id = self.store.request_redaction(target, by).await?;
        self.asked.notify_one();
        Ok(id)
    }

    /// Replaces a participant's name on the server, disables them and deletes their credentials.
    ///
    /// # Errors
    /// If the store does not respond.
    pub async fn erase_identity(&self, participant: ParticipantId, content: bool) -> Result<bool, StoreError> {
        self.store.erase_identity(participant, REDACTED, content).await
    }

    /// Returns whether the log of a session mentions the participant.
    ///
    /// # Errors
    /// If the store does not respond.
    pub async fn has_appeared(&self, session: SessionId, participant: ParticipantId) -> Result<bool, StoreError> {
        self.store.has_appeared(session, participant).await
    }

    /// Returns the next outstanding requests after a number, oldest first, at most 100. 0 for the first ones.
    ///
    /// # Errors
    /// If the store does not respond.
    pub async fn requests(&self, after: u64) -> Result<Vec<RedactionRequest>, StoreError> {
        self.store.redaction_requests(after).await
    }

    /// Executes requests until the server stops.
    pub(crate) async fn keep_up(self, node: Weak<Node>, stopping: CancellationToken) {
        loop {
            let Some(current) = node.upgrade() else { return };
            self.carry_out(&current).await;
            drop(current);
            tokio::select! {
                () = tokio::time::sleep(CHECK_INTERVAL) => {}
                () = self.asked.notified() => {}
                () = stopping.cancelled() => return,
            }
        }
    }

    /// Executes all outstanding requests once. The next check retries failures.
    pub async fn carry_out(&self, node: &Node) {
        let mut last = 0;
        loop {
            let requests = match self.requests(last).await {
                Ok(requests) => requests,
                Err(error) => return tracing::warn!(%error, "cannot list redaction requests"),
            };
            let Some(newest) = requests.last() else { return };
            last = newest.id;
            for request in &requests {
                self.attempt(node, request).await;
            }
        }
    }

    async fn attempt(&self, node: &Node, request: &RedactionRequest) {
        match self.one(node, request).await {
            Ok(true) => match self.store.complete_redaction(request.id).await {
                Ok(()) => tracing::info!(redaction = request.id, "redacted"),
                Err(error) => {
                    tracing::warn!(%error, redaction = request.id, "redaction not marked as complete; repeating it")
                }
            },
            Ok(false) => tracing::info!(redaction = request.id, "redaction waits for active runs"),
            Err(problem) => tracing::warn!(%problem, redaction = request.id, "redaction failed; retrying later"),
        }
    }

    /// Executes one request. Returns whether it is complete.
    async fn one(&self, node: &Node, request: &RedactionRequest) -> Result<bool, Problem> {
        // The same in each try: a command counts once in each session.
        let id: CommandId = format!("redaction-{}", request.id).parse().map_err(Problem::internal)?;
        let (participant, content) = match request.target {
            RedactionRequestTarget::Session(session) => {
                return submit(node, session, &request.by, id, RedactionTarget::Session, None).await;
            }
            RedactionRequestTarget::Participant { participant, content } => (participant, content),
        };
        self.erase_identity(participant, content).await?;
        let (mut last, mut done) = (None, true);
        loop {
            let sessions = self.store.sessions_after(last, participant).await?;
            let Some(newest) = sessions.last() else { return Ok(done) };
            last = Some(*newest);
            for session in sessions {
                let target = RedactionTarget::Participant { participant, content };
                // One session that cannot be redacted now must not delay the redaction of all others.
                done &= match submit(node, session, &request.by, id.clone(), target, None).await {
                    Ok(redacted) => redacted,
                    Err(problem) => {
                        tracing::warn!(%problem, %session, redaction = request.id, "session not redacted yet");
                        false
                    }
                };
            }
        }
    }

    /// Redacts sessions past their retention, and returns how many. The next sweep retries failures, which do not delay
    /// other sessions.
    pub async fn sweep(&self, node: &Node, now: Timestamp) -> Result<u64, Problem> {
        let (mut last, mut redacted) = (None, 0);
        loop {
            let over = self.store.past_retention(now, last).await?;
            let Some(newest) = over.last() else { return Ok(redacted) };
            last = Some(*newest);
            for RetentionRow { session, .. } in over {
                let id = format!("retention-{}", uuid::Uuid::now_v7().simple()).parse().map_err(Problem::internal)?;
                let words = Some("the retention period of the session has ended");
                match submit(node, session, &Actor::system(), id, RedactionTarget::Session, words).await {
                    Ok(true) => {
                        let entry = NewAuditEntry::new(AuditAction::Redaction).session(session).subject(session);
                        node.audit.record(entry.detail("retention", true));
                        redacted += 1;
                    }
                    Ok(false) => {}
                    Err(problem) => tracing::warn!(%problem, %session, "session not redacted yet"),
                }
            }
        }
    }
}

/// Submits a redaction. Returns true if it was applied or the session no longer exists, false while a run is active.
async fn submit(
    node: &Node,
    session: SessionId,
    actor: &Actor,
    id: CommandId,
    target: RedactionTarget,
    reason: Option<&str>,
) -> Result<bool, Problem> {
    let by = CommandSender::Participant { actor: actor.clone(), id, granted_role: Some(Role::Owner) };
    let command = Command::Redact { target, reason: reason.map(Into::into) };
    match node.orchestrators.submit(session, by, command).await {
        Ok(_) => Ok(true),
        Err(problem) if problem.code() == Code::UnknownSession => Ok(true),
        Err(problem) if problem.code() == Code::RunActive => Ok(false),
        Err(problem) => Err(problem),
    }
}
