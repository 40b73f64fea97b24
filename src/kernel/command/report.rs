//! Content of the orchestrator's commands: the results of models and tools.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;

use crate::call::{CallSourceKind, Permission, Risk};
use crate::{AttemptError, FileLimits, MessageId, NewFile};

/// A call that a model proposes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProposedCall {
    /// Name of the tool.
    pub name: Arc<str>,
    /// Arguments as the model wrote them.
    pub arguments: Arc<str>,
}

/// Result of a tool call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CallOutput {
    /// Text that the agent reads.
    pub text: Arc<str>,
    /// Files that the call made; their content is already stored.
    pub files: Vec<NewFile>,
    /// Limits on the files of the session.
    pub limits: FileLimits,
}

impl<T: Into<Arc<str>>> From<T> for CallOutput {
    fn from(text: T) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}

/// File with the structured output of a turn. Its content is already stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StructuredOutputFile {
    /// The file.
    pub file: NewFile,
    /// Limits on the files of the session.
    pub limits: FileLimits,
}

/// Decision of the rules about a call.
#[derive(Debug, Clone, PartialEq)]
pub enum CallCheck {
    /// The tool exists and accepts the arguments.
    Known {
        /// Permission that the rules grant.
        permission: Permission,
        /// True if the call can safely be repeated.
        idempotent: bool,
        /// Risk of the call.
        risk: Risk,
        /// True if the call changes nothing and sends no private data of the session elsewhere.
        reads_only: bool,
        /// Kinds of source that the result represents for its readers.
        result_sources: BTreeSet<CallSourceKind>,
        /// JSON Schema of the arguments.
        schema: Value,
    },
    /// The call is not possible; the error is for the agent.
    Impossible(AttemptError),
}

/// Partial output of an attempt that did not complete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartialMessage {
    /// Message that the attempt was writing.
    pub message: MessageId,
    /// Text that the attempt had written when it ended.
    pub text: Arc<str>,
    /// Usage of the attempt. `None` if its response had not begun.
    pub usage: Option<Usage>,
}

/// Usage and cost of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Usage {
    /// Model that responded, as `provider/model`.
    pub model: Arc<str>,
    /// Tokens in the request.
    pub input_tokens: u64,
    /// Tokens in the response.
    pub output_tokens: u64,
    /// True if the token counts are estimates.
    pub estimated: bool,
    /// Cost in millionths of the configured currency.
    pub cost_micros: u64,
}
