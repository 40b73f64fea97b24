//! What a tool says about itself.

use std::{sync::Arc, time::Duration};

use serde_json::Value;

/// What a call may change. Without a rule for the tool, what changes something outside is asked about first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SideEffect {
    /// Nothing.
    None,
    /// What belongs to the session: its files.
    Session,
    /// Nothing, but what is asked leaves the server: it can carry away what the session holds.
    Outbound,
    /// Anything: programs, other machines, other people's data.
    World,
}

/// What a tool is, for models, for people and for whoever runs it.
#[derive(Debug, Clone, PartialEq)]
pub struct Spec {
    /// What a call names: letters, digits, `_` and `-`, at most 64, as all providers take them.
    pub name: Arc<str>,
    /// What it does and when to use it.
    pub description: Arc<str>,
    /// JSON Schema of its arguments: an object.
    pub schema: Value,
    /// What a call may change.
    pub effect: SideEffect,
    /// Whether a call that is made twice does what one does. Only then is a call whose result was lost made again without
    /// asking people.
    pub idempotent: bool,
    /// How long a call may take.
    pub time: Duration,
    /// Bytes of its output that an agent gets to read; the middle of what is longer is left out, and said so.
    pub output_bytes: usize,
    /// Whether it reads the session's code bases. A session without one is not offered it: its agents would try it in vain.
    pub needs_code: bool,
}

impl Spec {
    /// A tool that changes nothing, with half a minute and 16 KiB.
    pub fn reading(name: &str, description: &str, schema: Value) -> Self {
        Self {
            name: name.into(),
            description: description.into(),
            schema,
            effect: SideEffect::None,
            idempotent: true,
            time: Duration::from_secs(30),
            output_bytes: 16 * 1024,
            needs_code: false,
        }
    }
}
