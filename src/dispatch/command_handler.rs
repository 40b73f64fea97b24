//! Receiver of completed commands, which also provides the session data that their checks need.

use std::sync::Arc;

use async_trait::async_trait;
use uuid::Uuid;

use super::approved_invitations::{ApprovedInvitation, approved_invitations, can_follow};
use crate::clock;
use crate::kernel::gate::CommentTarget;
use crate::kernel::mention::{self, Addressee};
use crate::kernel::{
    self, Command, CommandId, CommandOutcome, CommandSender, Envelope, File, GateId, ParticipantId, SessionId,
};
use crate::orchestrator::SessionRegistry;
use crate::protocol::Problem;

/// Number of events that are read at first to find those of one command, and the maximum number. Most commands cause
/// few events, but a batch of votes can carry out many commands.
const EVENTS_OF_A_COMMAND: (u32, u32) = (64, 4096);

/// Team of a session, and its code bases and knowledge bases.
#[derive(Debug, Clone, Default)]
pub struct SessionBases {
    /// Name of the team.
    pub team: Arc<str>,
    /// Names of the code bases.
    pub code: Vec<Arc<str>>,
    /// Ids of the knowledge bases.
    pub knowledge: Vec<Arc<str>>,
}

/// Receiver of commands.
#[async_trait]
pub trait CommandHandler: Send + Sync + 'static {
    /// Applies a command and returns the seq of its last event, once that is durable.
    async fn submit(&self, session: SessionId, by: CommandSender, command: Command) -> Result<u64, Problem>;

    /// Returns whether this node has the current state of the session in memory.
    fn has_state(&self, session: SessionId) -> bool;

    /// Returns the account of the session's team if a message to these addressees would start a run, otherwise `None`.
    /// A message without addressees or mentions is for the session's agents.
    async fn run_team(&self, session: SessionId, text: &str, to: Option<&[Addressee]>)
    -> Result<Option<Uuid>, Problem>;

    /// Returns the team of a session, and its code bases and knowledge bases.
    async fn session_bases(&self, session: SessionId) -> Result<SessionBases, Problem>;

    /// Returns the file that a comment is about. Returns `None` if the comment is not about a file, or if the session
    /// would reject the comment or has already applied it.
    async fn commented_file(
        &self,
        session: SessionId,
        by: CommandSender,
        comment: Command,
    ) -> Result<Option<Arc<File>>, Problem>;

    /// Returns whether the event with this seq opened a gate that asks the owners about a command and is still open.
    async fn has_asked(&self, session: SessionId, seq: u64) -> Result<bool, Problem>;

    /// Returns the participants whom a sender's command has added by approving invitations that others had requested.
    /// `seq` is the seq of the command's last event.
    async fn approved_invitations(
        &self,
        session: SessionId,
        sender: ParticipantId,
        id: &CommandId,
        seq: u64,
    ) -> Result<Vec<ApprovedInvitation>, Problem>;

    /// Returns whether this gate is open and is about the budget. The edit alone does not show this, because the
    /// arguments of a call can look like an edit of a budget.
    async fn is_budget_gate(&self, session: SessionId, gate: GateId) -> Result<bool, Problem>;
}

#[async_trait]
impl CommandHandler for SessionRegistry {
    async fn submit(&self, session: SessionId, by: CommandSender, command: Command) -> Result<u64, Problem> {
        SessionRegistry::submit(self, session, by, command).await
    }

    fn has_state(&self, session: SessionId) -> bool {
        // Without this node's lease, another node might have continued the session.
        self.is_live(session) && self.may_write()
    }

    async fn run_team(
        &self,
        session: SessionId,
        text: &str,
        to: Option<&[Addressee]>,
    ) -> Result<Option<Uuid>, Problem> {
        let state = self.state(session).await?;
        let begins = state.view().active_run().is_none() && mention::route(state.view(), text, to).is_for_agents();
        Ok(begins.then(|| state.view().team.account()))
    }

    async fn session_bases(&self, session: SessionId) -> Result<SessionBases, Problem> {
        let state = self.state(session).await?;
        let (team, settings) = (state.view().team.name.clone(), &state.view().settings);
        Ok(SessionBases { team, code: settings.code.clone(), knowledge: settings.knowledge.clone() })
    }

    async fn commented_file(
        &self,
        session: SessionId,
        by: CommandSender,
        comment: Command,
    ) -> Result<Option<Arc<File>>, Problem> {
        let Command::Comment { target: CommentTarget::File { file, .. }, .. } = comment else { return Ok(None) };
        let state = self.state(session).await?;
        let envelope = Envelope { at: clock::now().max(state.view().updated_at), by, command: comment };
        let is_accepted = matches!(kernel::decide(&state, &envelope), Ok(CommandOutcome::Events { .. }));
        Ok(state.view().file(file).filter(|_| is_accepted).cloned())
    }

    async fn has_asked(&self, session: SessionId, seq: u64) -> Result<bool, Problem> {
        let state = self.state(session).await?;
        Ok(state.view().gates.iter().any(|open| open.id.0 == seq && open.command.is_some()))
    }

    async fn approved_invitations(
        &self,
        session: SessionId,
        sender: ParticipantId,
        id: &CommandId,
        seq: u64,
    ) -> Result<Vec<ApprovedInvitation>, Problem> {
        let (mut events, most) = EVENTS_OF_A_COMMAND;
        loop {
            let read = self.events_before(session, seq, events).await?;
            // The command might have caused earlier events too.
            match read.first() {
                Some(first) if first.seq > 1 && events < most && can_follow(first, sender, id) => events *= 4,
                _ => return Ok(approved_invitations(&read, sender, id)),
            }
        }
    }

    async fn is_budget_gate(&self, session: SessionId, gate: GateId) -> Result<bool, Problem> {
        Ok(self.state(session).await?.view().gates.iter().any(|open| open.id == gate && open.budget.is_some()))
    }
}
