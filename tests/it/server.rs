//! A complete server in this process, with the scripted demo model, for tests from the outside.

use std::sync::Arc;
use std::time::Duration;

use reqwest::{Method, RequestBuilder, Response, StatusCode};
use roundtable::config::Config;
use roundtable::demo_model::{DemoModel, DemoSettings};
use roundtable::http;
use roundtable::identity::{CredentialKind, Participant, ServerRole, create_participant, issue};
use roundtable::kernel::{ActorKind, SessionId};
use roundtable::node::Node;
use roundtable::tool::Tool;
use serde_json::Value;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// Timeout for everything that a test waits for. Only a failing test waits this long.
pub const TIMEOUT: Duration = Duration::from_secs(20);

/// A running server that ends with the test.
pub struct Server {
    /// `http://127.0.0.1:PORT`.
    pub url: String,
    /// The server's internals.
    pub node: Arc<Node>,
    http: reqwest::Client,
    serving: JoinHandle<anyhow::Result<()>>,
    data: Arc<TempDir>,
}

/// A person with a token.
#[derive(Clone)]
pub struct Person {
    /// The signed-in participant.
    pub participant: Participant,
    /// Their token.
    pub token: String,
}

impl Server {
    /// Starts a server whose demo model responds immediately.
    pub async fn start() -> Self {
        Self::start_with(|_| {}).await
    }

    /// Like [`Self::start`], with other settings.
    pub async fn start_with(settings: impl FnOnce(&mut Config)) -> Self {
        let data = tempfile::tempdir().expect("makes a folder");
        Self::start_in(Arc::new(data), settings).await
    }

    /// Starts a server whose agents can be offered these tools as well.
    pub async fn start_with_tools(tools: Vec<Arc<dyn Tool>>, settings: impl FnOnce(&mut Config)) -> Self {
        let data = tempfile::tempdir().expect("makes a folder");
        Self::start_all(Arc::new(data), tools, settings).await
    }

    /// Starts a server on existing data: see [`Server::stop`].
    pub async fn start_in(data: Arc<TempDir>, settings: impl FnOnce(&mut Config)) -> Self {
        Self::start_all(data, vec![], settings).await
    }

    /// Starts a server on this data, whose agents can be offered these tools as well.
    pub async fn start_all(data: Arc<TempDir>, tools: Vec<Arc<dyn Tool>>, settings: impl FnOnce(&mut Config)) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut config = Config {
            listen: "127.0.0.1:0".into(),
            data_dir: data.path().join("data"),
            only_demo_model: true,
            demo: DemoSettings::fast(),
            ..Config::default()
        };
        // Checking whether the sandbox works would cost every server a quarter of a second.
        config.tools.python.enabled = false;
        settings(&mut config);
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let node = Node::start_with_tools(config, address, tools).await.expect("starts");
        let serving = tokio::spawn(http::serve(node.clone(), roundtable::doors::routes(), listener));
        let http = reqwest::Client::builder().no_proxy().build().expect("a client");
        Self { url: format!("http://{address}"), node, http, serving, data }
    }

    /// Stops the server gracefully and returns its data for the next server.
    pub async fn stop(mut self) -> Arc<TempDir> {
        self.node.stopping.cancel();
        let serving = tokio::time::timeout(TIMEOUT, &mut self.serving).await;
        serving.expect("stops in time").expect("does not panic").expect("stops in order");
        self.data.clone()
    }

    /// Returns the demo model, to release held responses and to inspect requests.
    pub fn demo(&self) -> &DemoModel {
        self.node.demo.as_ref().expect("the demo model is in use")
    }

    /// Creates a person with a token.
    pub async fn person(&self, name: &str, server_role: ServerRole) -> Person {
        self.participant(name, ActorKind::User, server_role).await
    }

    /// Creates a bot with a token.
    pub async fn bot(&self, name: &str) -> Person {
        self.participant(name, ActorKind::Bot, ServerRole::Guest).await
    }

    async fn participant(&self, name: &str, kind: ActorKind, server_role: ServerRole) -> Person {
        let identities = &*self.node.identities;
        let participant = create_participant(identities, name, kind, server_role).await.expect("enrols");
        let token = issue(identities, participant.id, CredentialKind::Token, None).await.expect("issues");
        Person { participant, token: token.reveal().to_owned() }
    }

    /// Returns a request without any identity.
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.http.request(method, format!("{}{path}", self.url)).timeout(TIMEOUT)
    }

    /// Returns a request with this person's token.
    pub fn as_person(&self, person: &Person, method: Method, path: &str) -> RequestBuilder {
        self.request(method, path).bearer_auth(&person.token)
    }

    /// Returns the body of the response at this path, which must exist.
    pub async fn get(&self, person: &Person, path: &str) -> Value {
        let answer = self.as_person(person, Method::GET, path).send().await.expect("answers");
        json(answer, StatusCode::OK).await
    }

    /// Sends JSON as this person. Returns the status and the body.
    pub async fn post(&self, person: &Person, path: &str, body: &Value) -> (StatusCode, Value) {
        let answer = self.as_person(person, Method::POST, path).json(body).send().await.expect("answers");
        let status = answer.status();
        (status, answer.json().await.unwrap_or_default())
    }

    /// Creates a session owned by this person.
    pub async fn session(&self, person: &Person, body: &Value) -> SessionId {
        let (status, created) = self.post(person, "/api/v1/sessions", body).await;
        assert_eq!(status, StatusCode::CREATED, "{created}");
        created["session"].as_str().expect("an id").parse().expect("an id")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.node.stopping.cancel();
    }
}

/// Returns the JSON of a response that must have this status.
pub async fn json(answer: Response, status: StatusCode) -> Value {
    let got = answer.status();
    let text = answer.text().await.expect("a body");
    assert_eq!(got, status, "{text}");
    serde_json::from_str(&text).unwrap_or_else(|_| panic!("not JSON: {text}"))
}

/// Waits for this work, which must complete in time.
pub async fn with_timeout<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(TIMEOUT, work).await.expect("comes in time")
}

/// Adds revision 1 to a command that takes a revision.
pub fn expect_first_revision(name: &str, command: &mut Value) {
    if ["vote", "comment", "answer"].contains(&name) {
        command["expect"] = serde_json::json!({ "rev": 1 });
    }
}
