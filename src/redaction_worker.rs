//! Worker that executes redaction requests.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::audit::{AuditAction, AuditLog, NewAuditEntry};
use crate::kernel::{Actor, Command, CommandId, CommandSender, RedactionTarget, Role, SessionId, Timestamp};
use crate::orchestrator::SessionRegistry;
use crate::protocol::{Code, Problem};
use crate::redactions::{RedactionQueue, RedactionRequest, RedactionRequestTarget, RetentionRow};
use crate::telemetry::log_spans;

/// Interval between two checks for requests that came from the command line or that wait for the end of a run.
const CHECK_INTERVAL: Duration = Duration::from_secs(60);

/// Executes redaction requests.
#[derive(Clone)]
pub struct RedactionWorker {
    /// Outstanding requests.
    pub(crate) queue: RedactionQueue,
    /// Sessions, which record their redaction.
    pub(crate) sessions: SessionRegistry,
    /// Audit log, for sessions past their retention.
    pub(crate) audit: AuditLog,
}

impl RedactionWorker {
    /// Executes requests until the server stops.
    pub(crate) async fn run(self, stopping: CancellationToken) {
        loop {
            self.execute_all().await;
            tokio::select! {
                () = tokio::time::sleep(CHECK_INTERVAL) => {}
                () = self.queue.changed() => {}
                () = stopping.cancelled() => return,
            }
        }
    }

    /// Executes all outstanding requests once. The next check retries failures.
    pub async fn execute_all(&self) {
        let mut last = 0;
        loop {
            let requests = match self.queue.requests(last).await {
                Ok(requests) => requests,
                Err(error) => return tracing::warn!(%error, "cannot list redaction requests"),
            };
            let Some(newest) = requests.last() else { return };
            last = newest.id;
            for request in &requests {
                self.attempt(request).await;
            }
        }
    }

    async fn attempt(&self, request: &RedactionRequest) {
        match self.execute(request).await {
            Ok(true) => match self.queue.store().complete_redaction(request.id).await {
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
    async fn execute(&self, request: &RedactionRequest) -> Result<bool, Problem> {
        // The same id for each attempt, because a command takes effect only once in each session.
        let id: CommandId = format!("redaction-{}", request.id).parse().map_err(Problem::internal)?;
        let (participant, content) = match request.target {
            RedactionRequestTarget::Session(session) => {
                return self.submit(session, &request.by, id, RedactionTarget::Session, None).await;
            }
            RedactionRequestTarget::Participant { participant, content } => (participant, content),
        };
        self.queue.erase_identity(participant, content).await?;
        let (mut last, mut done) = (None, true);
        loop {
            let sessions = self.queue.store().sessions_after(last, participant).await?;
            let Some(newest) = sessions.last() else { return Ok(done) };
            last = Some(*newest);
            for session in sessions {
                let target = RedactionTarget::Participant { participant, content };
                // One session that cannot be redacted now must not delay the redaction of all others.
                done &= match self.submit(session, &request.by, id.clone(), target, None).await {
                    Ok(redacted) => redacted,
                    Err(problem) => {
                        log_spans::own_session(session)
                            .in_scope(|| tracing::warn!(%problem, redaction = request.id, "session not redacted yet"));
                        false
                    }
                };
            }
        }
    }

    /// Redacts sessions past their retention, and returns their number. The next sweep retries failures, which do not
    /// delay other sessions.
    pub async fn sweep(&self, now: Timestamp) -> Result<u64, Problem> {
        let (mut last, mut redacted) = (None, 0);
        loop {
            let over = self.queue.store().past_retention(now, last).await?;
            let Some(newest) = over.last() else { return Ok(redacted) };
            last = Some(*newest);
            for RetentionRow { session, .. } in over {
                let id = format!("retention-{}", uuid::Uuid::now_v7().simple()).parse().map_err(Problem::internal)?;
                let message = Some("the retention period of the session has ended");
                match self.submit(session, &Actor::system(), id, RedactionTarget::Session, message).await {
                    Ok(true) => {
                        let entry = NewAuditEntry::new(AuditAction::Redaction).session(session).subject(session);
                        self.audit.record(entry.detail("retention", true));
                        redacted += 1;
                    }
                    Ok(false) => {}
                    Err(problem) => {
                        log_spans::own_session(session)
                            .in_scope(|| tracing::warn!(%problem, "session not redacted yet"));
                    }
                }
            }
        }
    }

    /// Submits a redaction. Returns true if it was applied or the session no longer exists, false while a run is
    /// active.
    async fn submit(
        &self,
        session: SessionId,
        actor: &Actor,
        id: CommandId,
        target: RedactionTarget,
        reason: Option<&str>,
    ) -> Result<bool, Problem> {
        let by =
            CommandSender::Participant { actor: actor.clone(), id, granted_role: Some(Role::Owner), max_role: None };
        let command = Command::Redact { target, reason: reason.map(Into::into) };
        match self.sessions.submit(session, by, command).await {
            Ok(_) => Ok(true),
            Err(problem) if problem.code() == Code::UnknownSession => Ok(true),
            Err(problem) if problem.code() == Code::RunActive => Ok(false),
            Err(problem) => Err(problem),
        }
    }
}
