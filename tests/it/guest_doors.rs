//! Doors that admit callers without a credential: when they are open, and which tools guests get there.

use std::sync::Arc;

use reqwest::{Method, StatusCode};
use roundtable::config::Config;
use roundtable::identity::ParticipantQuery;
use roundtable::kernel::SessionId;
use roundtable::tool::{CallContext, Output, Tool, ToolError, ToolSpec};
use serde_json::{Value, json};

use crate::server::Server;
use crate::sse::SseReader;

const DOOR: &str = "/api/team-chat/stream";

async fn call(server: &Server, header: Option<(&str, &str)>) -> StatusCode {
    let request = server.request(Method::POST, DOOR).json(&json!({ "message": "write" }));
    let request = header.into_iter().fold(request, |request, (name, value)| request.header(name, value));
    request.send().await.expect("answers").status()
}

#[tokio::test]
async fn guests_are_admitted_only_while_the_server_is_local() {
    assert_eq!(call(&Server::start().await, None).await, StatusCode::OK);
    let public = |config: &mut Config| config.public_url = Some("https://roundtable.example.org".into());
    assert_eq!(call(&Server::start_with(public).await, None).await, StatusCode::UNAUTHORIZED);
    let named = |config: &mut Config| {
        public(config);
        config.guest_doors = Some(true);
    };
    assert_eq!(call(&Server::start_with(named).await, None).await, StatusCode::OK, "the setting says so");
}

#[tokio::test]
async fn a_forwarded_request_closes_the_doors() {
    for header in ["x-forwarded-for", "X-Forwarded-Proto", "x-forwarded-anything", "Forwarded", "via", "x-real-ip"] {
        let server = Server::start().await;
        assert_eq!(call(&server, None).await, StatusCode::OK);
        assert_eq!(call(&server, Some((header, "for=192.0.2.1"))).await, StatusCode::UNAUTHORIZED, "{header}");
        // A proxy does not necessarily identify itself in every request.
        assert_eq!(call(&server, None).await, StatusCode::UNAUTHORIZED, "{header}");
    }
    let server = Server::start_with(|config| config.guest_doors = Some(true)).await;
    assert_eq!(call(&server, Some(("x-forwarded-for", "192.0.2.1"))).await, StatusCode::OK, "the setting says so");
}

#[tokio::test]
async fn a_guest_who_is_disabled_is_refused() {
    let server = Server::start().await;
    assert_eq!(call(&server, None).await, StatusCode::OK);
    let query = ParticipantQuery { limit: 10, ..ParticipantQuery::default() };
    let guest = server.node.identities.participants(&query).await.expect("lists").remove(0).participant;
    assert!(server.node.identities.set_disabled(guest.id, true).await.expect("answers"));
    assert_eq!(call(&server, None).await, StatusCode::UNAUTHORIZED);
}

/// A tool with the name of the Python tool; the sandbox is not tested here.
struct FakePythonTool(ToolSpec);

#[async_trait::async_trait]
impl Tool for FakePythonTool {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn call(&self, _: &CallContext, _: Value) -> Result<Output, ToolError> {
        Ok("ran".into())
    }
}

/// Returns whether any agent of a team that a guest starts has Python, and the number of code bases of the session.
async fn guest_tools(settings: impl FnOnce(&mut Config)) -> (bool, usize) {
    let python = FakePythonTool(ToolSpec::reading("python", "Runs.", json!({ "type": "object" })));
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().to_owned();
    let server = Server::start_with_tools(vec![Arc::new(python)], |config| {
        let base = serde_json::from_value(json!({ "path": path })).expect("a base");
        config.tools.code.bases.insert("shop".into(), base);
        settings(config);
    })
    .await;
    let request = server.request(Method::POST, "/AutoAgent").json(&json!({ "query": "hello" }));
    let answer = request.send().await.expect("answers");
    let session: SessionId = answer.headers()["x-session-id"].to_str().expect("text").parse().expect("an id");
    SseReader::of(answer).rest().await;
    let state = server.node.session_registry.state(session).await.expect("is there");
    let has_python = state.view().team.agents.iter().any(|agent| agent.may_call("python"));
    (has_python, state.view().settings.code.len())
}

#[tokio::test]
async fn guests_get_no_python_and_no_code_base_unless_named() {
    assert_eq!(guest_tools(|_| {}).await, (false, 0));
    assert_eq!(guest_tools(|config| config.tools.python.guests = true).await, (true, 0));
}
