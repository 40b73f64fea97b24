//! Streams of doors that end before their run: the last event gives the reason, in the vocabulary of the door.

use reqwest::{Method, StatusCode};
use roundtable::identity::ServerRole;
use roundtable::kernel::SessionId;
use serde_json::{Value, json};

use crate::server::{Person, Server, expect_first_revision, with_timeout};
use crate::sse::SseReader;

/// Ann's session, in which Bob must ask for approval before he starts or steers a run.
struct AskingSession {
    server: Server,
    ann: Person,
    bob: Person,
    session: SessionId,
}

/// Doors with streams that wait for approval: path, flow, and the body of a request.
fn doors(session: SessionId) -> [(&'static str, &'static str, Value); 2] {
    [
        ("/api/v1/analyze/stream", "investigate", json!({ "session": session, "original_input": "why?" })),
        ("/AutoAgent", "react", json!({ "sessionId": session, "requestId": "r-1", "query": "why?" })),
    ]
}

impl AskingSession {
    async fn start(flow: &str) -> Self {
        let server = Server::start().await;
        let (ann, bob) =
            (server.person("Ann", ServerRole::Member).await, server.person("Bob", ServerRole::Member).await);
        let rules = json!([{ "role": "member", "right": "steer", "access": "ask" }]);
        let session = server.session(&ann, &json!({ "flow": flow, "settings": { "rights": rules } })).await;
        let asking = Self { server, ann, bob, session };
        asking.command("invite", json!({ "participant": asking.bob.participant.id, "role": "member" })).await;
        asking
    }

    /// Sends a command as Ann.
    async fn command(&self, name: &str, data: Value) {
        let mut body = json!({ "id": uuid::Uuid::now_v7(), "do": name, "data": data });
        expect_first_revision(name, &mut body);
        let path = format!("/api/v1/sessions/{}/commands", self.session);
        let (status, answer) = self.server.post(&self.ann, &path, &body).await;
        assert_eq!(status, StatusCode::OK, "{answer}");
    }

    /// Sends a request to a door as Bob, and checks that it waits for approval. Returns its stream.
    async fn request(&self, path: &str, body: &Value) -> SseReader {
        let request = self.server.as_person(&self.bob, Method::POST, path).json(body);
        let answer = request.send().await.expect("answers");
        assert_eq!(answer.status(), StatusCode::OK, "{path}");
        let mut stream = SseReader::of(answer);
        let waiting = with_timeout(stream.next()).await.expect("the request waits");
        assert!(waiting.text.contains("approval"), "{path}: {}", waiting.text);
        stream
    }

    async fn gate(&self) -> Value {
        let state = self.server.get(&self.ann, &format!("/api/v1/sessions/{}", self.session)).await;
        state["state"]["gates"][0]["id"].clone()
    }
}

/// Returns the error message of the last event of a stream, and whether the event is final.
async fn last(stream: SseReader) -> (String, bool) {
    let data = with_timeout(stream.rest()).await.pop().expect("a last event").data;
    match data["type"].as_str() {
        Some("done") => (data["error"]["message"].as_str().expect("a message").into(), data["status"] == "failed"),
        _ => {
            assert_eq!((&data["messageType"], &data["status"]), (&json!("result"), &json!("failed")), "{data}");
            (data["errorMsg"].as_str().expect("a message").into(), data["finished"] == true)
        }
    }
}

#[tokio::test]
async fn a_stream_ends_if_its_request_is_not_approved() {
    for at in 0..2 {
        let (_, flow, _) = &doors(SessionId(uuid::Uuid::nil()))[at];
        let asking = AskingSession::start(flow).await;
        let (path, _, body) = &doors(asking.session)[at];
        let stream = asking.request(path, body).await;
        asking.command("vote", json!({ "gate": asking.gate().await, "choice": "reject" })).await;
        let end = last(stream).await;
        assert_eq!(end, ("the request was not approved, or could no longer be carried out".into(), true), "{path}");
        // The session continues, and an approved request runs.
        let stream = asking.request(path, body).await;
        asking.command("vote", json!({ "gate": asking.gate().await, "choice": "approve" })).await;
        let mut stream = stream;
        assert!(with_timeout(stream.next()).await.is_some(), "{path}: the run began");
    }
}

#[tokio::test]
async fn a_stream_says_that_the_session_was_closed_or_the_server_stops() {
    for at in 0..2 {
        let (_, flow, _) = &doors(SessionId(uuid::Uuid::nil()))[at];
        let asking = AskingSession::start(flow).await;
        let (path, _, body) = &doors(asking.session)[at];
        let stream = asking.request(path, body).await;
        asking.command("close", json!({})).await;
        // The session's gate closes first.
        assert!(last(stream).await.1, "{path}");

        let asking = AskingSession::start(flow).await;
        let (path, _, body) = &doors(asking.session)[at];
        let stream = asking.request(path, body).await;
        asking.server.node.stopping.cancel();
        let (message, is_final) = last(stream).await;
        assert!(message.contains("the server is stopping") && !is_final, "{path}: {message}");
    }
}
