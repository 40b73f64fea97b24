//! Routing of commands to the node that has the session.

use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep};

use super::mail::Mail;
use super::refusal::Refusal;
use super::{Cluster, Orchestrators, observe};
use crate::bus::{AskError, Asked, Bus, BusStatus};
use crate::kernel::{By, Command, Rejection, SessionId};
use crate::peer::{self, Answer, Order, Question};
use crate::protocol::{Code, Problem};
use crate::store::NodeId;

/// First pause before a command is retried. Doubles with each retry.
const FIRST_PAUSE: Duration = Duration::from_millis(20);
/// Maximum pause between two retries.
const LONGEST_PAUSE: Duration = Duration::from_millis(320);
/// Time limit for retries on a server without a cluster. There, a session is elsewhere only while its task ends.
const REACH: Duration = Duration::from_secs(5);
/// Maximum outage of the bus during which forwarding still waits for it. A reconnection takes less than this.
const BREAK: Duration = Duration::from_millis(1_000);
/// Timeout for another node's reply. After it, the sender looks up the session's owner again.
const ANSWER: Duration = Duration::from_millis(2_000);

impl Orchestrators {
    /// Sends a command to its session's orchestrator, on whichever node that is. Waits for the result: the seq of the
    /// command's last event, which is durable. The command counts even if the caller stops waiting.
    pub async fn submit(&self, session: SessionId, by: By, command: Command) -> Result<u64, Problem> {
        let begun = Instant::now();
        let answer = self.deliver(session, by, command).await;
        observe::answered(&answer, begun.elapsed());
        answer
    }

    async fn deliver(&self, session: SessionId, by: By, command: Command) -> Result<u64, Problem> {
        let end = Instant::now() + self.shared.cluster.as_ref().map_or(REACH, |cluster| cluster.settings.reach());
        let mut pause = FIRST_PAUSE;
        loop {
            // A retry is safe: a command counts once (law 6).
            match self.try_once(session, &by, &command).await {
                Ok(seq) => return Ok(seq),
                Err(Refusal::Problem(problem)) => return Err(problem),
                Err(Refusal::Elsewhere) if self.is_stopping() => return Err(stopping()),
                Err(Refusal::Elsewhere) if Instant::now() + pause < end => sleep(pause).await,
                Err(Refusal::Elsewhere) => return Err(unreachable()),
            }
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    async fn try_once(&self, session: SessionId, by: &By, command: &Command) -> Result<u64, Refusal> {
        if self.is_live(session) {
            return self.submit_here(session, by.clone(), command.clone()).await;
        }
        let place = self.shared.store.place(session).await.map_err(Problem::from)?;
        if place.head == 0 && !matches!(command, Command::Create { .. }) {
            // Otherwise any made-up id would be claimed, and leave a row in the store.
            return Err(Problem::from(Rejection::UnknownSession).into());
        }
        match (&self.shared.cluster, place.owner) {
            (Some(cluster), Some(owner)) if owner != cluster.me.node => {
                if is_away(&*cluster.bus) {
                    return Err(unreachable().into());
                }
                forward(cluster, owner, session, by, command).await
            }
            _ => self.submit_here(session, by.clone(), command.clone()).await,
        }
    }

    async fn submit_here(&self, session: SessionId, by: By, command: Command) -> Result<u64, Refusal> {
        let (reply, answer) = oneshot::channel();
        self.post(session, Mail::Command { at: Instant::now(), by, command, reply }).await?;
        answer.await.unwrap_or(Err(Refusal::Elsewhere))
    }

    /// Answers the requests of other nodes until the bus ends. Each request runs in its own task, so that a slow one
    /// delays no other.
    pub(super) async fn answer_peers(self, mut questions: mpsc::Receiver<Asked>) {
        while let Some(asked) = questions.recv().await {
            tokio::spawn(self.clone().answer_peer(asked));
        }
    }

    async fn answer_peer(self, asked: Asked) {
        let answer = match peer::decode(&asked.content) {
            Some(Question::Command(order)) => {
                let Order { session, actor, id, standing, command } = *order;
                match self.submit_here(session, By::Participant { actor, id, standing }, command).await {
                    Ok(seq) => Answer::Done(seq),
                    Err(Refusal::Problem(problem)) => Answer::Refused(problem.0),
                    Err(Refusal::Elsewhere) => Answer::Elsewhere,
                }
            }
            Some(Question::Partials(session)) => self.partials(session),
            None => Answer::Elsewhere,
        };
        asked.answer(peer::encode(&answer));
    }

    /// Returns the texts so far of running items, if this node writes the session.
    fn partials(&self, session: SessionId) -> Answer {
        match self.shared.feeds.get(session).filter(|feed| feed.is_owned()) {
            Some(feed) => {
                let (head, items) = feed.partials();
                Answer::Partials { head, items }
            }
            None => Answer::Elsewhere,
        }
    }
}

/// Returns whether the bus has been down for longer than a reconnection takes.
fn is_away(bus: &dyn Bus) -> bool {
    matches!(&*bus.status().borrow(), BusStatus::Down { since, .. } if since.elapsed() >= BREAK)
}

async fn forward(
    cluster: &Cluster,
    owner: NodeId,
    session: SessionId,
    by: &By,
    command: &Command,
) -> Result<u64, Refusal> {
    // Commands of the orchestrator itself come from the node that runs the session and never travel.
    let By::Participant { actor, id, standing } = by.clone() else { return Err(Refusal::Elsewhere) };
    let order = Order { session, actor, id, standing, command: command.clone() };
    let question = peer::encode(&Question::Command(Box::new(order)));
    let answer = match cluster.bus.ask(owner, question, ANSWER).await {
        Err(AskError::TooLarge) => {
            let message = "the command is too large to forward to the session's node; send a smaller one";
            return Err(Problem::new(Code::TooLarge, message).into());
        }
        answer => answer.ok().as_deref().and_then(peer::decode),
    };
    observe::forwarded(answer.as_ref());
    match answer {
        Some(Answer::Done(seq)) => Ok(seq),
        Some(Answer::Refused(body)) => Err(Problem(body).into()),
        // The node died, is disconnected, or has released the session. Look up the owner again.
        Some(Answer::Elsewhere | Answer::Partials { .. }) | None => Err(Refusal::Elsewhere),
    }
}

fn stopping() -> Problem {
    Problem::new(Code::ShuttingDown, "the server is shutting down; retry").retry_after(1_000)
}

fn unreachable() -> Problem {
    let message = "the session's node is unreachable; retry";
    Problem::new(Code::Busy, message).retry_after(1_000)
}
