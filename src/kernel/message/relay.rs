//! Messages from another conversation, relayed by the participant who starts a run with them.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::mention::RouteReason;
use super::say::require_text;
use crate::draft::Draft;
use crate::{Fact, FileId, MessageId, Rejection, file};

/// Role of the author of a relayed text, according to its sender. The server cannot verify the role, so the text counts
/// as the sender's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RelayRole {
    /// A user of the other conversation.
    User,
    /// A model of the other conversation.
    Assistant,
    /// The instructions of the other conversation.
    System,
    /// A tool's result in the other conversation.
    Tool,
}

impl RelayRole {
    /// Returns the name of the role on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::System => "system",
            Self::Tool => "tool",
        }
    }
}

/// One relayed message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PriorMessage {
    /// Role of the author in the other conversation. Example: `assistant`.
    pub role: RelayRole,
    /// Text of the message. Must not be blank unless `files` is given.
    pub text: Arc<str>,
    /// Ids of session files that belong to the message.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileId>,
}

impl PriorMessage {
    /// Maximum number of relayed messages in a run. More would push each other out of the prompts.
    pub const MAX: usize = 50;
}

/// Posts the relayed messages. Agents read them, but they start nothing.
pub(super) fn post_prior(draft: &mut Draft, earlier: &[PriorMessage]) -> Result<(), Rejection> {
    if earlier.len() > PriorMessage::MAX {
        let reason = format!("earlier has {} messages; send at most {}", earlier.len(), PriorMessage::MAX);
        return Err(Rejection::Invalid(reason.into()));
    }
    let mut attached = vec![];
    for PriorMessage { text, files, .. } in earlier {
        attached.push(file::commands::attached_files(draft.view(), files)?);
        if files.is_empty() {
            require_text(text)?;
        }
    }
    for (PriorMessage { role, text, .. }, files) in earlier.iter().zip(attached) {
        let message = MessageId(draft.next_seq());
        draft.emit(Fact::MessagePosted { message, text: text.clone(), files, relays: Some(*role), request: None });
        let (to, reason) = (vec![], RouteReason::Default);
        draft.emit(Fact::MessageRouted { message, to, reason, unresolved: vec![], waiting: None });
    }
    Ok(())
}
