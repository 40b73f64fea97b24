//! The built-in tools, called the way an agent calls them.

mod call_files;
mod code;
mod deep_search;
mod document_search;
mod escapes;
mod python;
mod report;
mod web_search;

use std::sync::Arc;

use roundtable::kernel::CallGuard;
use roundtable::kernel::{AgentId, CallId, SessionId};
use roundtable::tool::PythonMeter;
use roundtable::tool::{CallContext, NoPeople, Stopwatch, Tool, ToolError, ToolSettings, builtin};
use serde_json::Value;
use uuid::Uuid;

/// Returns the context of a call in a session that has these code bases.
pub(crate) fn call_context(code: &[&str]) -> CallContext {
    CallContext {
        people: Arc::new(NoPeople),
        watch: Stopwatch::default(),
        guard: CallGuard::default(),
        session: SessionId(Uuid::from_u128(1)),
        team: "team".into(),
        agent: "Writer".parse::<AgentId>().expect("an id"),
        call: CallId(1),
        code: code.iter().map(|name| Arc::from(*name)).collect(),
        knowledge: vec![],
        files: vec![],
        caused_by: None,
        python: PythonMeter::default(),
    }
}

/// The tools that the settings turn on.
struct ToolSet(Vec<Arc<dyn Tool>>);

impl ToolSet {
    async fn of(settings: &ToolSettings) -> Self {
        Self(builtin(settings, None).await)
    }

    fn names(&self) -> Vec<&str> {
        self.0.iter().map(|tool| &*tool.spec().name).collect()
    }

    fn named(&self, name: &str) -> &Arc<dyn Tool> {
        self.0.iter().find(|tool| &*tool.spec().name == name).expect("the tool is on")
    }

    /// Returns the text of a call's result.
    async fn call(&self, at: &CallContext, name: &str, arguments: Value) -> Result<String, ToolError> {
        Ok(self.named(name).call(at, arguments).await?.text)
    }
}

#[tokio::test]
async fn only_tools_without_outside_access_are_on_by_default() {
    assert_eq!(ToolSet::of(&ToolSettings::default()).await.names(), ["report", "python"]);
}
