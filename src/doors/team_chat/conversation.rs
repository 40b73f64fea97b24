//! Conversation ids and their sessions.

use super::refusal::Refusal;
use crate::identity::Participant;
use crate::kernel::SessionId;
use crate::node::Node;

const PREFIX: &str = "team_session_";

/// Returns the conversation's id: the session's id in the format of the specification.
pub(super) fn id(session: SessionId) -> String {
    format!("{PREFIX}{}", session.0.simple())
}

/// Returns the session of a conversation's id.
pub(super) fn session(conversation: &str) -> Result<SessionId, Refusal> {
    let hex = conversation.strip_prefix(PREFIX).ok_or_else(Refusal::unknown_conversation)?;
    format!("s_{hex}").parse().map_err(|_| Refusal::unknown_conversation())
}

/// Returns the session of a conversation's id, if it exists and the participant can see it.
pub(super) async fn seen_by(node: &Node, who: &Participant, conversation: &str) -> Result<SessionId, Refusal> {
    let session = session(conversation)?;
    node.access.role(who, session).await?;
    Ok(session)
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
