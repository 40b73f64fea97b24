//! Access checks for sessions. REST, event streams, sockets and doors all use them, so that a stranger cannot
//! distinguish a session that exists from one that does not.

use std::sync::Arc;

use crate::agent::teams::{ExecutionId, ExecutionStore};
use crate::dispatch::Dispatcher;
use crate::feed::{Feed, FeedRegistry};
use crate::identity::Participant;
use crate::kernel::{Command, Rejection, Role, SessionId};
use crate::protocol::{Code, Problem};
use crate::store::EventStore;
use crate::telemetry::log_spans;

/// Checks the access of callers to sessions.
#[derive(Clone)]
pub struct Access {
    /// Session logs, with the role of each participant.
    pub events: Arc<dyn EventStore>,
    /// Executions, for tokens that open the sessions of a team.
    pub executions: Arc<dyn ExecutionStore>,
    /// Feeds that callers watch.
    pub feeds: FeedRegistry,
    /// Entry point for the command that records an administrator's read access.
    pub dispatcher: Dispatcher,
}

impl Access {
    /// Returns the caller's role in a session.
    ///
    /// # Errors
    /// `unknown_session` if the session does not exist or the caller has no access to it.
    pub async fn role(&self, who: &Participant, session: SessionId) -> Result<Role, Problem> {
        let listed = self.events.role(session, who.id).await?;
        let exists = listed.is_some() || (who.role(listed).is_some() && self.events.head(session).await? > 0);
        self.admit(who, session, listed, exists).await
    }

    /// Returns the feed of a session and the caller's role in it. The feed is opened before the role is read, so that a
    /// later removal of the caller reaches this view of the feed.
    ///
    /// # Errors
    /// The same as for [`Access::role`].
    pub async fn feed(&self, who: &Participant, session: SessionId) -> Result<(Arc<Feed>, Role), Problem> {
        let (feed, listed) = self.feeds.open_as(session, who.id).await?;
        let role = self.admit(who, session, listed, feed.head() > 0).await?;
        Ok((feed, role))
    }

    async fn admit(
        &self,
        who: &Participant,
        session: SessionId,
        listed: Option<Role>,
        exists: bool,
    ) -> Result<Role, Problem> {
        let role = who.role(listed).filter(|_| exists).ok_or(Rejection::UnknownSession)?;
        self.check_scope(who, session).await?;
        if listed.is_none() {
            self.dispatcher.audit.session_read(who, session);
            self.enter(who, session).await;
        }
        Ok(role)
    }

    /// Checks that the scope of the caller's token includes the session. Only callers whose role gives them access get
    /// the error about the scope, so that the error does not reveal to others that a session exists.
    async fn check_scope(&self, who: &Participant, session: SessionId) -> Result<(), Problem> {
        if self.is_in_scope(who, session).await? {
            return Ok(());
        }
        let message = "this token is limited to other sessions; use one whose scope has this session";
        Err(Problem::new(Code::TokenScope, message))
    }

    /// Returns whether the scope of the caller's token includes a session. Does not check the caller's role there.
    ///
    /// # Errors
    /// Fails if the store does not respond.
    pub async fn is_in_scope(&self, who: &Participant, session: SessionId) -> Result<bool, Problem> {
        let Some(scope) = who.scope.as_ref().filter(|scope| !scope.opens_session(session)) else { return Ok(true) };
        if scope.teams.is_empty() {
            return Ok(false);
        }
        let execution = self.executions.execution(ExecutionId::from(session)).await?;
        Ok(execution.is_some_and(|execution| scope.opens_team(execution.team.0)))
    }

    /// Adds an administrator who reads a session, so that everyone there sees them. They join as a viewer, because one
    /// more voter would change the votes that a gate waits for.
    async fn enter(&self, who: &Participant, session: SessionId) {
        if let Err(problem) =
            self.dispatcher.submit_counted(who, session, None, Command::Enter { role: Role::Viewer }).await
        {
            // A closed or full session admits no participants, but an administrator can still read it.
            log_spans::session(session)
                .in_scope(|| tracing::info!(%problem, "administrator reads the session without joining it"));
        }
    }
}
