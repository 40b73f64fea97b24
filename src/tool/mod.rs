//! Tools of agents behind one interface: descriptions, calls and results.
//!
//! `policy` decides whether a call needs permission. The kernel decides when to make a call, when to ask people about
//! it, and when to repeat it.

mod arguments;
mod builtin;
mod call_queue;
pub mod code;
mod confinement;
mod document_search;
mod error;
mod file;
pub mod mcp;
mod numbered_lines;
mod people;
pub mod policy;
pub mod python;
pub mod report;
#[cfg(test)]
mod result_authors_tests;
mod settings;
mod spec;
mod stopwatch;
mod toolbox;
pub mod web;

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;

use crate::kernel::{AgentId, CallGuard, CallId, File, ParticipantId, SessionId};

pub use builtin::{BUILTIN_NAMES, builtin, builtin_with};
pub use call_queue::QueueSettings;
pub use confinement::Confinement;
pub use error::ToolError;
pub use people::{NoPeople, People, Progress};
pub use python::{PythonMeter, PythonTool, RunningProgram};
pub use settings::ToolSettings;
pub use spec::{SideEffect, ToolSpec};
pub use stopwatch::Stopwatch;
pub use toolbox::{ToolOffer, ToolSource, Toolbox};

/// A tool that agents can call.
///
/// Dropping the future of a call cancels the call: everything that it started ends, and nothing is left behind. The
/// caller enforces the timeout and the output limit of the tool's [`ToolSpec`].
#[async_trait]
pub trait Tool: Send + Sync + 'static {
    /// Returns the description and the limits of the tool.
    fn spec(&self) -> &ToolSpec;

    /// Makes one call, with arguments that match the tool's schema.
    ///
    /// # Errors
    /// Fails with a message for the calling agent, which can then try something else.
    async fn call(&self, at: &CallContext, arguments: Value) -> Result<Output, ToolError>;
}

/// Context of a call.
#[derive(Clone)]
pub struct CallContext {
    /// Session of the call.
    pub session: SessionId,
    /// Name of the session's team.
    pub team: Arc<str>,
    /// Agent that makes the call.
    pub agent: AgentId,
    /// Id of the call. A repeated call has the same id, so that the tool can recognize it.
    pub call: CallId,
    /// Code bases of the session, by their names in the configuration.
    pub code: Vec<Arc<str>>,
    /// Ids of the session's knowledge bases.
    pub knowledge: Vec<Arc<str>>,
    /// Every version of the session's files, oldest first.
    pub files: Vec<Arc<File>>,
    /// Participant who started the run. The call counts toward this participant's quotas.
    pub caused_by: Option<ParticipantId>,
    /// Meter for the run time of Python programs.
    pub python: PythonMeter,
    /// People that the call can ask.
    pub people: Arc<dyn People>,
    /// Stopwatch for the call's time. It pauses while the call waits for people or in the queue.
    pub watch: Stopwatch,
    /// Rules that keep data out of the result.
    pub guard: CallGuard,
}

/// Result of a call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Output {
    /// Text for the agent.
    pub text: String,
    /// Files that the call created. They become files of the session.
    pub files: Vec<OutputFile>,
}

/// A file that a call created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputFile {
    /// Requested name, such as `report.md`. The file is given the nearest valid name.
    pub name: String,
    /// Content of the file.
    pub content: Vec<u8>,
}

impl<T: Into<String>> From<T> for Output {
    fn from(text: T) -> Self {
        Self { text: text.into(), files: vec![] }
    }
}
