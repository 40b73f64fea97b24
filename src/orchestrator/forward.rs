//! Forwarding of commands to the node that has the session.

use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep};
use tracing::Instrument;

use super::error::SubmitError;
use super::mailbox::{MailboxMessage, WaitingCommand};
use super::{Cluster, SessionRegistry, metrics};
use crate::bus::{Bus, BusRequest, BusRequestError, BusStatus};
use crate::kernel::{Command, CommandSender, Rejection, SessionId};
use crate::node_id::NodeId;
use crate::peer_messages::{self, ForwardedCommand, PeerRequest, PeerResponse};
use crate::protocol::{Code, Problem};
use crate::telemetry::{OperationKind, OperationTimer, log_spans};

/// First pause before a command is retried. Doubles with each retry.
const FIRST_PAUSE: Duration = Duration::from_millis(20);
/// Maximum pause between two retries.
const MAX_PAUSE: Duration = Duration::from_millis(320);
/// Time limit for retries on a server without a cluster, where a command has to be retried only while the session's
/// task ends.
const FORWARD_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum outage of the bus during which forwarding still waits for it. A reconnection usually takes less time.
const MAX_AWAITED_OUTAGE: Duration = Duration::from_millis(1_000);
/// Timeout for another node's reply. After that, the sender looks up the session's owner again.
const REPLY_TIMEOUT: Duration = Duration::from_millis(2_000);

impl SessionRegistry {
    /// Sends a command to its session's orchestrator, on whichever node that is. Waits for the result: the seq of the
    /// command's last event, which is durable. The command takes effect even if the caller stops waiting.
    pub async fn submit(&self, session: SessionId, by: CommandSender, command: Command) -> Result<u64, Problem> {
        self.submit_timed(session, by, command).instrument(log_spans::session(session)).await
    }

    async fn submit_timed(&self, session: SessionId, by: CommandSender, command: Command) -> Result<u64, Problem> {
        let started = Instant::now();
        let _timer = OperationTimer::start(OperationKind::Command);
        let result = self.deliver(session, by, command).await;
        metrics::observe_command(&result, started.elapsed());
        result
    }

    async fn deliver(&self, session: SessionId, by: CommandSender, command: Command) -> Result<u64, Problem> {
        let end =
            Instant::now() + self.shared.cluster.as_ref().map_or(FORWARD_TIMEOUT, |cluster| cluster.settings.reach());
        let mut pause = FIRST_PAUSE;
        loop {
            // A retry is safe: a command takes effect only once (law 6).
            match self.try_once(session, &by, &command).await {
                Ok(seq) => return Ok(seq),
                Err(SubmitError::Problem(problem)) => return Err(problem),
                Err(SubmitError::Elsewhere) if self.is_stopping() => return Err(stopping_problem()),
                Err(SubmitError::Elsewhere) if Instant::now() + pause < end => sleep(pause).await,
                Err(SubmitError::Elsewhere) => return Err(unreachable_problem()),
            }
            pause = (pause * 2).min(MAX_PAUSE);
        }
    }

    async fn try_once(&self, session: SessionId, by: &CommandSender, command: &Command) -> Result<u64, SubmitError> {
        if self.is_live(session) {
            return self.submit_here(session, by.clone(), command.clone()).await;
        }
        let ownership = self.shared.store.ownership(session).await.map_err(Problem::from)?;
        if ownership.head == 0 && !matches!(command, Command::Create { .. }) {
            // Otherwise, any made-up id would be claimed and would leave a row in the store.
            return Err(Problem::from(Rejection::UnknownSession).into());
        }
        match (&self.shared.cluster, ownership.owner) {
            (Some(cluster), Some(owner)) if owner != cluster.me.node => {
                if is_bus_down(&*cluster.bus) {
                    return Err(unreachable_problem().into());
                }
                tracing::debug!(node = %owner, "forwarding a command to the session's node");
                forward(cluster, owner, session, by, command).await
            }
            _ => self.submit_here(session, by.clone(), command.clone()).await,
        }
    }

    async fn submit_here(&self, session: SessionId, by: CommandSender, command: Command) -> Result<u64, SubmitError> {
        let (reply, result) = oneshot::channel();
        self.post(session, MailboxMessage::Command(WaitingCommand { at: Instant::now(), by, command, reply })).await?;
        result.await.unwrap_or(Err(SubmitError::Elsewhere))
    }

    /// Serves the requests of other nodes until the bus is dropped. Each request runs in its own task, so that a slow
    /// one delays no other.
    pub(super) async fn serve_peer_requests(self, mut requests: mpsc::Receiver<BusRequest>) {
        while let Some(request) = requests.recv().await {
            tokio::spawn(self.clone().serve_peer_request(request));
        }
    }

    async fn serve_peer_request(self, request: BusRequest) {
        let reply = match peer_messages::decode(&request.content) {
            Some(PeerRequest::Command(order)) => {
                let ForwardedCommand { session, actor, id, granted_role, max_role, command } = *order;
                let sender = CommandSender::Participant { actor, id, granted_role, max_role };
                let submitted = self.submit_here(session, sender, command);
                match submitted.instrument(log_spans::own_session(session)).await {
                    Ok(seq) => PeerResponse::Done(seq),
                    Err(SubmitError::Problem(problem)) => PeerResponse::Refused(problem.0),
                    Err(SubmitError::Elsewhere) => PeerResponse::Elsewhere,
                }
            }
            Some(PeerRequest::Partials(session)) => self.partials(session),
            None => PeerResponse::Elsewhere,
        };
        request.reply(peer_messages::encode(&reply));
    }

    /// Returns the partial texts of running messages, or `Elsewhere` if this node does not write the session.
    fn partials(&self, session: SessionId) -> PeerResponse {
        match self.shared.feeds.get(session).filter(|feed| feed.is_owned()) {
            Some(feed) => {
                let (head, texts) = feed.partials();
                PeerResponse::Partials { head, texts }
            }
            None => PeerResponse::Elsewhere,
        }
    }
}

/// Returns whether the bus has been down for at least [`MAX_AWAITED_OUTAGE`].
fn is_bus_down(bus: &dyn Bus) -> bool {
    matches!(&*bus.status().borrow(), BusStatus::Down { since, .. } if since.elapsed() >= MAX_AWAITED_OUTAGE)
}

async fn forward(
    cluster: &Cluster,
    owner: NodeId,
    session: SessionId,
    by: &CommandSender,
    command: &Command,
) -> Result<u64, SubmitError> {
    // Commands of the orchestrator itself come from the node that runs the session and are never forwarded.
    let CommandSender::Participant { actor, id, granted_role, max_role } = by.clone() else {
        return Err(SubmitError::Elsewhere);
    };
    let order = ForwardedCommand { session, actor, id, granted_role, max_role, command: command.clone() };
    let request = peer_messages::encode(&PeerRequest::Command(Box::new(order)));
    let _timer = OperationTimer::start(OperationKind::Forward);
    let reply = match cluster.bus.ask(owner, request, REPLY_TIMEOUT).await {
        Err(BusRequestError::TooLarge) => {
            let message = "the command is too large to forward to the session's node; send a smaller one";
            return Err(Problem::new(Code::TooLarge, message).into());
        }
        reply => reply.ok().as_deref().and_then(peer_messages::decode),
    };
    metrics::observe_forward(reply.as_ref());
    match reply {
        Some(PeerResponse::Done(seq)) => Ok(seq),
        Some(PeerResponse::Refused(body)) => Err(Problem(body).into()),
        // The node died, is disconnected, or has released the session. Look up the owner again.
        Some(PeerResponse::Elsewhere | PeerResponse::Partials { .. }) | None => Err(SubmitError::Elsewhere),
    }
}

fn stopping_problem() -> Problem {
    Problem::new(Code::ShuttingDown, "the server is shutting down; retry").retry_after(1_000)
}

fn unreachable_problem() -> Problem {
    let message = "the session's node is unreachable; retry";
    Problem::new(Code::Busy, message).retry_after(1_000)
}
