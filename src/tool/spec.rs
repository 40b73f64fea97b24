//! Description of a tool.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use serde_json::Value;

use crate::kernel::call::CallSourceKind;

/// Effect of a call. Without a rule for the tool, people are asked before a call changes anything outside the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SideEffect {
    /// The call changes nothing.
    None,
    /// The call can change the session's files.
    Session,
    /// The call changes nothing, but its arguments leave the server and can contain private data of the session.
    Outbound,
    /// The call can change anything: programs, other machines, other people's data.
    World,
}

/// Description of a tool for models, people and the code that runs it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    /// Name in calls: at most 64 letters, digits, `_` and `-`, which all providers accept. Example: `code_read`.
    pub name: Arc<str>,
    /// Purpose of the tool, and when to use it.
    pub description: Arc<str>,
    /// JSON Schema of the arguments, which are an object.
    pub schema: Value,
    /// Effect of a call.
    pub effect: SideEffect,
    /// True if repeating a call has no further effect. A call whose result was lost is repeated without asking people
    /// only if this is true.
    pub idempotent: bool,
    /// True if the tool's server states that the changes of a call can be undone.
    pub can_undo: bool,
    /// Kinds of source that an agent has read once it has read a result. Empty if nothing in the result comes from
    /// outside the conversation and the session's files, which count separately.
    pub result_sources: BTreeSet<CallSourceKind>,
    /// Timeout of a call.
    pub time: Duration,
    /// Maximum number of bytes of output that an agent reads. The middle of longer output is left out, with a note.
    pub output_bytes: usize,
    /// True if the tool reads the session's code bases. A session without a code base is not offered the tool, because
    /// every call would fail.
    pub needs_code: bool,
}

impl ToolSpec {
    /// Returns the description with `kinds` as the source kinds of its results.
    #[must_use]
    pub fn returning<const N: usize>(self, kinds: [CallSourceKind; N]) -> Self {
        Self { result_sources: kinds.into(), ..self }
    }

    /// Returns the description of a tool that changes nothing, whose results are of unknown origin, with a timeout of
    /// 30 s and an output limit of 16 KiB.
    pub fn reading(name: &str, description: &str, schema: Value) -> Self {
        Self {
            name: name.into(),
            description: description.into(),
            schema,
            effect: SideEffect::None,
            idempotent: true,
            can_undo: false,
            result_sources: CallSourceKind::unknown(),
            time: Duration::from_secs(30),
            output_bytes: 16 * 1024,
            needs_code: false,
        }
    }
}
