//! Carrying requests out.

use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::{PastRetention, RedactionRequest, RedactionRequests, RequestTarget};
use crate::audit::{AuditAction, NewAuditEntry};
use crate::kernel::{
    Actor, By, Command, CommandId, ParticipantId, REDACTED, RedactionTarget, Role, SessionId, Timestamp,
};
use crate::node::Node;
use crate::protocol::{Code, Problem};
use crate::store::StoreError;

/// Pause between two looks for requests that came from the command line or were refused while a run was under way.
const PAUSE: Duration = Duration::from_secs(60);

/// Requests, and a bell for new ones.
#[derive(Clone)]
pub struct Redactions {
    store: Arc<dyn RedactionRequests>,
    asked: Arc<Notify>,
}

impl Redactions {
    /// Requests in this store.
    pub fn new(store: Arc<dyn RedactionRequests>) -> Self {
        Self { store, asked: Arc::default() }
    }

    /// Keep a request, to be carried out at once by this node, or later by any.
    ///
    /// # Errors
    /// If the store does not answer.
    pub async fn request(&self, target: RequestTarget, by: &Actor) -> Result<u64, StoreError> {
        let id = self.store.request_redaction(target, by).await?;
        self.asked.notify_one();
        Ok(id)
    }

    /// Replace a participant's name on the server and refuse what they had to sign in with.
    ///
    /// # Errors
    /// If the store does not answer.
    pub async fn erase_identity(&self, participant: ParticipantId, content: bool) -> Result<bool, StoreError> {
        self.store.erase_identity(participant, REDACTED, content).await
    }

    /// Whether the log of a session names the participant.
    ///
    /// # Errors
    /// If the store does not answer.
    pub async fn has_appeared(&self, session: SessionId, participant: ParticipantId) -> Result<bool, StoreError> {
        self.store.has_appeared(session, participant).await
    }

    /// The next requests after this one that are not done yet, oldest first, at most 100; 0 for the first ones.
    ///
    /// # Errors
    /// If the store does not answer.
    pub async fn requests(&self, after: u64) -> Result<Vec<RedactionRequest>, StoreError> {
        self.store.redaction_requests(after).await
    }

    /// Carry out requests until the server stops.
    pub(crate) async fn keep_up(self, node: Weak<Node>, stopping: CancellationToken) {
        loop {
            let Some(current) = node.upgrade() else { return };
            self.carry_out(&current).await;
            drop(current);
            tokio::select! {
                () = tokio::time::sleep(PAUSE) => {}
                () = self.asked.notified() => {}
                () = stopping.cancelled() => return,
            }
        }
    }

    /// Carry out what is asked for. What cannot be done now is the next look's.
    pub async fn carry_out(&self, node: &Node) {
        let mut last = 0;
        loop {
            let requests = match self.requests(last).await {
                Ok(requests) => requests,
                Err(error) => return tracing::warn!(%error, "cannot tell which redactions were asked for"),
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
                Err(error) => tracing::warn!(%error, redaction = request.id, "cannot note that it is done"),
            },
            Ok(false) => tracing::info!(redaction = request.id, "waits for runs that are under way"),
            Err(problem) => tracing::warn!(%problem, redaction = request.id, "will redact later"),
        }
    }

    /// Whether the request is done.
    async fn one(&self, node: &Node, request: &RedactionRequest) -> Result<bool, Problem> {
        // The same in each try: a command counts once in each session.
        let id: CommandId = format!("redaction-{}", request.id).parse().map_err(Problem::internal)?;
        let (participant, content) = match request.target {
            RequestTarget::Session(session) => {
                return submit(node, session, &request.by, id, RedactionTarget::Session, None).await;
            }
            RequestTarget::Participant { participant, content } => (participant, content),
        };
        self.erase_identity(participant, content).await?;
        let (mut last, mut done) = (None, true);
        loop {
            let sessions = self.store.sessions_after(last, participant).await?;
            let Some(newest) = sessions.last() else { return Ok(done) };
            last = Some(*newest);
            for session in sessions {
                let target = RedactionTarget::Participant { participant, content };
                // One that cannot be redacted now must not keep the person's name in all the others.
                done &= match submit(node, session, &request.by, id.clone(), target, None).await {
                    Ok(redacted) => redacted,
                    Err(problem) => {
                        tracing::warn!(%problem, %session, redaction = request.id, "will redact this session later");
                        false
                    }
                };
            }
        }
    }

    /// Redact sessions in which nothing has happened for as long as they are to be kept. One that cannot be redacted now is the
    /// next sweep's, and keeps no other from its own.
    pub async fn sweep(&self, node: &Node, now: Timestamp) -> Result<u64, Problem> {
        let (mut last, mut redacted) = (None, 0);
        loop {
            let over = self.store.past_retention(now, last).await?;
            let Some(newest) = over.last() else { return Ok(redacted) };
            last = Some(*newest);
            for PastRetention { session, .. } in over {
                let id = format!("retention-{}", uuid::Uuid::now_v7().simple()).parse().map_err(Problem::internal)?;
                let words = Some("the days for which it was to be kept are over");
                match submit(node, session, &Actor::system(), id, RedactionTarget::Session, words).await {
                    Ok(true) => {
                        let entry = NewAuditEntry::new(AuditAction::Redaction).session(session).subject(session);
                        node.audit.record(entry.detail("retention", true));
                        redacted += 1;
                    }
                    Ok(false) => {}
                    Err(problem) => tracing::warn!(%problem, %session, "will redact this session later"),
                }
            }
        }
    }
}

/// Whether the session has taken it, or is gone; false where a run is under way.
async fn submit(
    node: &Node,
    session: SessionId,
    actor: &Actor,
    id: CommandId,
    target: RedactionTarget,
    reason: Option<&str>,
) -> Result<bool, Problem> {
    let by = By::Participant { actor: actor.clone(), id, standing: Some(Role::Owner) };
    let command = Command::Redact { target, reason: reason.map(Into::into) };
    match node.orchestrators.submit(session, by, command).await {
        Ok(_) => Ok(true),
        Err(problem) if problem.code() == Code::UnknownSession => Ok(true),
        Err(problem) if problem.code() == Code::RunActive => Ok(false),
        Err(problem) => Err(problem),
    }
}
