//! Which session a conversation is, and who speaks in it.

use axum::Extension;

use super::refusal::Refusal;
use crate::http;
use crate::identity::{Participant, Standing, standing_participant};
use crate::kernel::SessionId;
use crate::node::Node;
use crate::protocol::{Code, Problem};

const PREFIX: &str = "team_session_";

/// The conversation's id: the session's, in the form that the document has.
pub(super) fn id(session: SessionId) -> String {
    format!("{PREFIX}{}", session.0.simple())
}

/// The session behind a conversation's id.
pub(super) fn session(conversation: &str) -> Result<SessionId, Refusal> {
    let hex = conversation.strip_prefix(PREFIX).ok_or_else(Refusal::unknown_conversation)?;
    format!("s_{hex}").parse().map_err(|_| Refusal::unknown_conversation())
}

/// The session behind a conversation's id, if it is there and theirs to see.
pub(super) async fn seen_by(node: &Node, who: &Participant, conversation: &str) -> Result<SessionId, Refusal> {
    let session = session(conversation)?;
    http::role(node, session, who).await?;
    Ok(session)
}

/// Who calls: whoever the request's token or cookie names, else the door's guest where guests are let in.
pub(super) async fn caller(node: &Node, who: Option<Extension<Participant>>) -> Result<Participant, Refusal> {
    match who {
        Some(Extension(who)) => Ok(who),
        None if node.takes_guests() => {
            let store = &*node.identities;
            let guest = standing_participant(store, "team_chat guest", "Guest", Standing::Guest).await;
            Ok(guest.map_err(Problem::from)?)
        }
        None => Err(Problem::new(Code::Unauthenticated, "send Authorization: Bearer with a token").into()),
    }
}

/// Whether they may begin a conversation: guests only where everybody may come in as one.
pub(super) fn may_begin(node: &Node, who: &Participant) -> Result<(), Refusal> {
    if who.standing != Standing::Guest || node.takes_guests() {
        return Ok(());
    }
    Err(Problem::new(Code::Forbidden, "a guest's token cannot begin a conversation; use a member's").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conversation_is_its_session_under_another_name() {
        let session_id = SessionId(uuid::Uuid::from_u128(0xa1b2));
        let conversation = id(session_id);
        assert_eq!(conversation, "team_session_0000000000000000000000000000a1b2");
        assert_eq!(session(&conversation).ok(), Some(session_id));
        for bad in ["", "team_session_", "team_session_xyz", "s_0000000000000000000000000000a1b2"] {
            assert!(session(bad).is_err(), "{bad}");
        }
    }
}
