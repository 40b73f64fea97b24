//! Where commands of participants come in, whatever they came through.

use std::sync::Arc;

use crate::identity::{IdentityStore, Participant};
use crate::kernel::{Command, CommandId, SessionId};
use crate::limits::RateLimits;
use crate::orchestrator::Orchestrators;
use crate::protocol::{Code, CommandFrame, Problem};

/// Takes commands of participants: checks their shape, keeps them to their pace, fills in what only the server knows,
/// stamps who sends them (law 7), and hands them to the session.
#[derive(Clone)]
pub struct Reception {
    /// The sessions.
    pub orchestrators: Orchestrators,
    /// Who is who.
    pub identities: Arc<dyn IdentityStore>,
    /// How fast one may act.
    pub limits: Arc<RateLimits>,
    /// Bytes of a text at most.
    pub text_bytes: usize,
}

impl Reception {
    /// A command as clients write it. The answer is the seq of its last event, durable.
    pub async fn frame(&self, who: &Participant, session: SessionId, frame: &CommandFrame) -> Result<u64, Problem> {
        let (id, command) = frame.command(self.text_bytes)?;
        self.keep_to_pace(who, &command).await?;
        self.take(who, session, id, command).await
    }

    /// A command that the server itself words on somebody's behalf.
    pub async fn command(&self, who: &Participant, session: SessionId, command: Command) -> Result<u64, Problem> {
        self.keep_to_pace(who, &command).await?;
        self.take(who, session, fresh_id()?, command).await
    }

    /// The same where it completes what was counted already: a new session and its first words are one act.
    pub async fn completion(&self, who: &Participant, session: SessionId, command: Command) -> Result<u64, Problem> {
        self.take(who, session, fresh_id()?, command).await
    }

    async fn keep_to_pace(&self, who: &Participant, command: &Command) -> Result<(), Problem> {
        self.limits.command(who.id, command)?;
        self.limits.command_everywhere(who.id, command).await
    }

    async fn take(
        &self,
        who: &Participant,
        session: SessionId,
        id: CommandId,
        command: Command,
    ) -> Result<u64, Problem> {
        let command = complete(&*self.identities, command).await?;
        self.orchestrators.submit(session, who.sends(id), command).await
    }
}

fn fresh_id() -> Result<CommandId, Problem> {
    format!("srv-{}", uuid::Uuid::now_v7().simple()).parse().map_err(Problem::internal)
}

/// The command with what the server knows and its sender does not say: kind and name of one who is invited.
pub async fn complete(identities: &dyn IdentityStore, command: Command) -> Result<Command, Problem> {
    let Command::Invite { participant, role, .. } = command else { return Ok(command) };
    let known = identities.participant(participant).await?;
    let known = known.ok_or_else(|| Problem::new(Code::UnknownParticipant, "the server knows nobody of this id"))?;
    Ok(Command::Invite { participant, kind: known.kind, name: known.name, role })
}
