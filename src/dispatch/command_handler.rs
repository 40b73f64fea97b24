//! Receiver of completed commands, which also provides the session data that their checks need.

use std::sync::Arc;

use async_trait::async_trait;
use uuid::Uuid;

use crate::kernel::mention::{self, Addressee};
use crate::kernel::{Command, CommandSender, GateId, SessionId};
use crate::orchestrator::SessionRegistry;
use crate::protocol::Problem;

/// Code and knowledge bases of a session, and its team.
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

    /// Returns the account of the team if a message to these addressees would start a run in a session. Without
    /// addressees or mentions, it is for the session's agents.
    async fn run_team(&self, session: SessionId, text: &str, to: Option<&[Addressee]>)
    -> Result<Option<Uuid>, Problem>;

    /// Returns the code and knowledge bases of a session, and its team.
    async fn session_bases(&self, session: SessionId) -> Result<SessionBases, Problem>;

    /// Returns whether an open gate is about the budget. Arguments of a call can look like an edit of a budget.
    async fn is_budget_gate(&self, session: SessionId, gate: GateId) -> Result<bool, Problem>;
}

#[async_trait]
impl CommandHandler for SessionRegistry {
    async fn submit(&self, session: SessionId, by: CommandSender, command: Command) -> Result<u64, Problem> {
        SessionRegistry::submit(self, session, by, command).await
    }

    fn has_state(&self, session: SessionId) -> bool {
        // Without its lease, another node might have gone on with the session.
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

    async fn is_budget_gate(&self, session: SessionId, gate: GateId) -> Result<bool, Problem> {
        Ok(self.state(session).await?.view().gates.iter().any(|open| open.id == gate && open.budget.is_some()))
    }
}
