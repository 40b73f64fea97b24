//! Decides whether a caller may know of a session. REST, event streams, sockets and doors all ask here, so a session that
//! exists and one that does not look the same to a stranger.

use std::sync::Arc;

use crate::feed::{Feed, Feeds};
use crate::identity::Participant;
use crate::kernel::{Command, Rejection, Role, SessionId};
use crate::protocol::Problem;
use crate::reception::Reception;
use crate::store::EventStore;

/// Decides whether a caller may know of a session.
#[derive(Clone)]
pub struct Access {
    /// The logs, with the role of each participant.
    pub events: Arc<dyn EventStore>,
    /// The feeds that callers watch.
    pub feeds: Feeds,
    /// Takes the command that puts an administrator's reading on the record.
    pub reception: Reception,
}

impl Access {
    /// The caller's role in a session.
    ///
    /// # Errors
    /// `unknown_session` where the session does not exist or is not the caller's to see.
    pub async fn role(&self, who: &Participant, session: SessionId) -> Result<Role, Problem> {
        let listed = self.events.role(session, who.id).await?;
        let exists = listed.is_some() || (who.role(listed).is_some() && self.events.head(session).await? > 0);
        self.admit(who, session, listed, exists).await
    }

    /// The feed of a session, with the caller's role in it. The feed is opened before the role is read: a removal after that
    /// reaches a view of the feed.
    ///
    /// # Errors
    /// As [`Access::role`].
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
        if listed.is_none() {
            self.reception.audit.session_read(who, session);
            self.enter(who, session).await;
        }
        Ok(role)
    }

    /// An administrator may read every session, and comes into it so that everybody there sees that they do: as a viewer,
    /// since one more voter would change what a gate waits for.
    async fn enter(&self, who: &Participant, session: SessionId) {
        if let Err(problem) = self.reception.counted(who, session, None, Command::Enter { role: Role::Viewer }).await {
            // A closed or full session takes nobody in; an administrator may read it all the same.
            tracing::info!(%session, %problem, "an administrator reads without being in the session");
        }
    }
}
