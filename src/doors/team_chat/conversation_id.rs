//! Conversation ids and their sessions.

use super::error::TeamChatError;
use crate::identity::Participant;
use crate::kernel::SessionId;
use crate::node::Node;

const PREFIX: &str = "team_session_";

/// Returns the conversation's id: the session's id in the format of the specification.
pub(super) fn conversation_id(session: SessionId) -> String {
    format!("{PREFIX}{}", session.0.simple())
}

/// Returns the session of the conversation with this id.
pub(super) fn parse_conversation_id(conversation: &str) -> Result<SessionId, TeamChatError> {
    let hex = conversation.strip_prefix(PREFIX).ok_or_else(TeamChatError::unknown_conversation)?;
    format!("s_{hex}").parse().map_err(|_| TeamChatError::unknown_conversation())
}

/// Returns the session of the conversation with this id, if it exists and the participant can see it.
pub(super) async fn visible_session(
    node: &Node,
    who: &Participant,
    conversation: &str,
) -> Result<SessionId, TeamChatError> {
    let session = parse_conversation_id(conversation)?;
    node.access.role(who, session).await?;
    Ok(session)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conversation_is_its_session_under_another_name() {
        let session_id = SessionId(uuid::Uuid::from_u128(0xa1b2));
        let conversation = conversation_id(session_id);
        assert_eq!(conversation, "team_session_0000000000000000000000000000a1b2");
        assert_eq!(parse_conversation_id(&conversation).ok(), Some(session_id));
        for bad in ["", "team_session_", "team_session_xyz", "s_0000000000000000000000000000a1b2"] {
            assert!(parse_conversation_id(bad).is_err(), "{bad}");
        }
    }
}
