//! What is to be done, and by which kind of team.

use std::sync::Arc;

use serde::Deserialize;

use crate::kernel::SessionId;
use crate::protocol::{Code, Problem};

/// The body, with the names that the document's two classes have for the same things. Who asks in the sender's books (`erp`,
/// `user`) is not read: who it is to the server is the token's to say.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Asked {
    /// Chosen by the sender; comes back in every line.
    #[serde(default, alias = "traceId")]
    pub(super) request_id: Arc<str>,
    /// The task.
    #[serde(default)]
    pub(super) query: Arc<str>,
    /// 1 to 5.
    agent_type: Option<u8>,
    /// 0: one agent, at once; else a plan first.
    #[serde(default)]
    deep_think: i64,
    /// What was said before, oldest first.
    #[serde(default)]
    messages: Vec<Said>,
    /// Whether texts come while they are written.
    #[serde(default = "yes")]
    pub(super) is_stream: bool,
    /// Files that were brought for it.
    #[serde(default, alias = "file_ids")]
    pub(super) file_ids: Vec<String>,
    /// A session that an earlier request began.
    pub(super) session_id: Option<SessionId>,
}

/// A message of the history.
#[derive(Debug, Clone, Deserialize)]
struct Said {
    role: String,
    #[serde(default)]
    content: String,
}

fn yes() -> bool {
    true
}

/// A kind of team, by the number that the document has for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AgentType(pub(super) u8);

impl AgentType {
    const FLOWS: [&str; 5] = ["comprehensive", "workflow", "plan_solve", "router", "react"];

    /// The flow of such a team.
    fn flow(self) -> Option<&'static str> {
        Self::FLOWS.get(usize::from(self.0).checked_sub(1)?).copied()
    }

    /// The number of a flow; none for a flow that the document does not know.
    pub(super) fn of(flow: &str) -> Option<Self> {
        (1..).zip(Self::FLOWS).find(|(_, known)| *known == flow).map(|(number, _)| Self(number))
    }
}

impl Asked {
    /// The flow that is asked for.
    pub(super) fn flow(&self) -> Result<&'static str, Problem> {
        let number = self.agent_type.unwrap_or(if self.deep_think == 0 { 5 } else { 3 });
        let words = "agentType is 1 comprehensive, 2 workflow, 3 plan_solve, 4 router or 5 react";
        AgentType(number).flow().ok_or_else(|| Problem::new(Code::InvalidArgument, words))
    }

    /// The words that the run begins with: the task, under what was said before it.
    pub(super) fn words(&self) -> Result<Arc<str>, Problem> {
        if self.query.trim().is_empty() {
            return Err(Problem::new(Code::InvalidArgument, "query is empty; say what is to be done"));
        }
        if self.messages.is_empty() {
            return Ok(self.query.clone());
        }
        let lines = self.messages.iter().map(|said| format!("{}: {}\n", said.role, said.content));
        let history: String = lines.collect();
        Ok(format!("<history_dialogue>\n{history}</history_dialogue>\n\n{}", self.query).into())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn asked(body: Value) -> Asked {
        serde_json::from_value(body).expect("a request")
    }

    #[test]
    fn the_flow_is_what_the_document_says() {
        for (body, flow) in [
            (json!({ "deepThink": 0 }), "react"),
            (json!({ "deepThink": 1 }), "plan_solve"),
            (json!({}), "react"),
            (json!({ "agentType": 1 }), "comprehensive"),
            (json!({ "agentType": 2, "deepThink": 0 }), "workflow"),
            (json!({ "agentType": 3 }), "plan_solve"),
            (json!({ "agentType": 4, "deepThink": 1 }), "router"),
            (json!({ "agentType": 5 }), "react"),
        ] {
            assert_eq!(asked(body.clone()).flow().ok(), Some(flow), "{body}");
        }
        assert!(asked(json!({ "agentType": 0 })).flow().is_err());
        assert!(asked(json!({ "agentType": 6 })).flow().is_err());
        assert_eq!(AgentType::of("plan_solve"), Some(AgentType(3)));
        assert_eq!(AgentType::of("brain"), None);
    }

    #[test]
    fn both_classes_of_the_document_are_read() {
        let of_users = asked(json!({ "traceId": "t1", "user": "zhang", "query": "写一份报告", "deepThink": 1 }));
        assert_eq!((&*of_users.request_id, of_users.is_stream), ("t1", true));
        let history = asked(json!({
            "requestId": "r1", "erp": "zhang", "query": "go on", "isStream": false,
            "messages": [{ "role": "user", "content": "hello" }, { "role": "assistant", "content": "hi" }],
        }));
        let words = "<history_dialogue>\nuser: hello\nassistant: hi\n</history_dialogue>\n\ngo on";
        assert_eq!(history.words().ok().as_deref(), Some(words));
        assert!(asked(json!({ "query": " " })).words().is_err());
    }
}
