//! Tools behind one interface: what an agent may call, what it may do, and how it ends.
//!
//! Who may call what is `policy`'s; when a call is made, asked about, or made again is the kernel's.

mod arguments;
mod builtin;
pub mod code;
mod confine;
mod document_search;
mod file;
mod guard;
mod lines;
pub mod mcp;
mod people;
mod places;
pub mod policy;
pub mod python;
pub mod report;
#[cfg(test)]
mod result_authors_tests;
mod settings;
mod spec;
mod time;
mod toolbox;
pub mod web;

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;

use crate::kernel::{AgentId, CallId, File, ParticipantId, SessionId};
use crate::quotas::PythonMeter;

pub use builtin::builtin;
pub use confine::Confinement;
pub use guard::Guard;
pub use people::{Nobody, People, Progress};
pub use places::QueueSettings;
pub use settings::ToolSettings;
pub use spec::{SideEffect, Spec};
pub use time::Stopwatch;
pub use toolbox::{Offer, Source, Toolbox};

/// What an agent can call.
///
/// Dropping the future of a call ends the call: what it has begun is stopped, and nothing of it stays behind. Time-out and
/// output limit are the caller's, by the tool's [`Spec`].
#[async_trait]
pub trait Tool: Send + Sync + 'static {
    /// What it is.
    fn spec(&self) -> &Spec;

    /// One call, with arguments that its schema accepts.
    ///
    /// # Errors
    /// In words for the agent that called, who may try something else.
    async fn call(&self, at: &Place, arguments: Value) -> Result<Output, ToolError>;
}

/// Where a call is made.
#[derive(Clone)]
pub struct Place {
    /// For this session.
    pub session: SessionId,
    /// Name of the session's team.
    pub team: Arc<str>,
    /// By this agent.
    pub agent: AgentId,
    /// This call; a repetition has the same id, so that whoever is called can tell.
    pub call: CallId,
    /// The code bases that the session was given, by the names that the configuration has for them.
    pub code: Vec<Arc<str>>,
    /// The knowledge bases that the session was given.
    pub knowledge: Vec<Arc<str>>,
    /// Every version of the session's files, oldest first.
    pub files: Vec<Arc<File>>,
    /// Participant who began the run, in whose quotas the call counts.
    pub caused_by: Option<ParticipantId>,
    /// Counts the time of Python programs.
    pub python: PythonMeter,
    /// Whom it can ask.
    pub people: Arc<dyn People>,
    /// Measures the call's time, and stands still while it waits for people or its place.
    pub watch: Stopwatch,
    /// What the rules keep out of its result.
    pub guard: Guard,
}

/// What a call brought.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Output {
    /// What the agent reads.
    pub text: String,
    /// What it made, which becomes files of the session.
    pub files: Vec<Made>,
}

/// A file that a call made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made {
    /// What it is to be called; the nearest that a file may be called is taken.
    pub name: String,
    /// What is in it.
    pub content: Vec<u8>,
}

impl<T: Into<String>> From<T> for Output {
    fn from(text: T) -> Self {
        Self { text: text.into(), files: vec![] }
    }
}

/// Why a call brought nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ToolError {
    /// Of few: `tool_failed`, `tool_timed_out`, `tool_unavailable`, `arguments_invalid`, `not_found`, `outside` …
    pub code: &'static str,
    /// What is wrong and what would be right, for the agent and for people; nothing secret.
    pub message: String,
}

impl ToolError {
    /// With these words.
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}
