//! Words of a conversation that took place elsewhere, passed on by whoever begins a run with them.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::decide::Draft;
use super::mention::RouteReason;
use super::say::require_words;
use super::{Fact, FileId, MessageId, Rejection, files};

/// In which role the words were said, as their sender tells. The server has not seen it: the words count as the sender's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Relay {
    /// The user's.
    User,
    /// A model's answer.
    Assistant,
    /// Instructions that the conversation was held under.
    System,
    /// A tool's result.
    Tool,
}

impl Relay {
    /// What it is called on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::System => "system",
            Self::Tool => "tool",
        }
    }
}

/// One message of such a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Earlier {
    /// Who said it there.
    pub role: Relay,
    /// The words; empty only where files stand for them.
    pub text: Arc<str>,
    /// Files of the session that came with them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileId>,
}

impl Earlier {
    /// Messages that a run can begin with: more would push each other out of what agents are shown.
    pub const MAX: usize = 50;
}

/// Post what was said earlier, for agents to read and to begin nothing.
pub(super) fn post(draft: &mut Draft, earlier: &[Earlier]) -> Result<(), Rejection> {
    if earlier.len() > Earlier::MAX {
        let words = format!("earlier has {} messages; at most {} are accepted", earlier.len(), Earlier::MAX);
        return Err(Rejection::Invalid(words.into()));
    }
    let mut attached = vec![];
    for Earlier { text, files, .. } in earlier {
        attached.push(files::attached(draft.view(), files)?);
        if files.is_empty() {
            require_words(text)?;
        }
    }
    for (Earlier { role, text, .. }, files) in earlier.iter().zip(attached) {
        let message = MessageId(draft.next_seq());
        draft.emit(Fact::MessagePosted { message, text: text.clone(), files, relays: Some(*role) });
        let (to, reason) = (vec![], RouteReason::Default);
        draft.emit(Fact::MessageRouted { message, to, reason, unresolved: vec![], waiting: None });
    }
    Ok(())
}
