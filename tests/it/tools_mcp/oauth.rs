//! A server that requires authorization by a person, and revokes its tokens.

use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;

use axum::extract::{Json, RawQuery, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::{
    Router,
    routing::{get, post},
};
use parking_lot::Mutex;
use roundtable::tool::Confinement;
use roundtable::tool::mcp::{McpAuthorization, McpServerRegistry, McpServerSettings, McpServerState};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::McpHarness;

type FormFields = std::collections::BTreeMap<String, String>;

/// The tool server and its authorization server, combined.
#[derive(Default)]
struct OAuthStub {
    home: String,
    state: Mutex<OAuthState>,
}

#[derive(Default)]
struct OAuthState {
    /// Number of issued tokens; the last one is valid.
    issued: u32,
    revoked: bool,
    renews: bool,
    challenge: String,
    /// Credentials of rejected requests.
    refused: Vec<Option<String>>,
}

fn fields(text: &str) -> FormFields {
    form_urlencoded::parse(text.as_bytes()).into_owned().collect()
}

type SharedOAuthStub = State<Arc<OAuthStub>>;

impl OAuthStub {
    fn issue_token(&self) -> Response {
        let mut state = self.state.lock();
        state.issued += 1;
        state.revoked = false;
        let n = state.issued;
        Json(json!({
            "access_token": format!("access-{n}"), "refresh_token": format!("refresh-{n}"),
            "token_type": "Bearer", "expires_in": 3600, "scope": "read",
        }))
        .into_response()
    }
}

async fn call(State(stub): SharedOAuthStub, headers: HeaderMap, Json(message): Json<Value>) -> Response {
    let wanted = format!("Bearer access-{}", stub.state.lock().issued);
    let given = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    if given != Some(&wanted) || stub.state.lock().revoked {
        stub.state.lock().refused.push(given.map(str::to_owned));
        let document = format!("{}/.well-known/oauth-protected-resource/mcp", stub.home);
        let challenge = format!("Bearer resource_metadata=\"{document}\", scope=\"read\"");
        return (StatusCode::UNAUTHORIZED, [(header::WWW_AUTHENTICATE, challenge)]).into_response();
    }
    let result =
        |result: Value| Json(json!({ "jsonrpc": "2.0", "id": message["id"], "result": result })).into_response();
    match message["method"].as_str().expect("a method") {
        "initialize" => result(json!({
            "protocolVersion": "2025-06-18", "capabilities": { "tools": {} }, "serverInfo": { "name": "g", "version": "1" },
        })),
        "tools/list" => result(json!({ "tools": [{ "name": "echo", "inputSchema": { "type": "object" } }] })),
        "tools/call" => result(json!({ "content": [{ "type": "text", "text": "heard" }] })),
        method if method.starts_with("notifications/") => StatusCode::ACCEPTED.into_response(),
        _ => Json(json!({ "jsonrpc": "2.0", "id": message["id"], "error": { "code": -32601, "message": "no" } }))
            .into_response(),
    }
}

async fn resource(State(stub): SharedOAuthStub) -> Json<Value> {
    let home = &stub.home;
    Json(json!({ "resource": format!("{home}/mcp"), "authorization_servers": [home], "scopes_supported": ["read"] }))
}

async fn metadata(State(stub): SharedOAuthStub) -> Json<Value> {
    let home = &stub.home;
    Json(json!({
        "issuer": home, "authorization_endpoint": format!("{home}/authorize"), "token_endpoint": format!("{home}/token"),
        "registration_endpoint": format!("{home}/register"), "response_types_supported": ["code"],
        "code_challenge_methods_supported": ["S256"], "token_endpoint_auth_methods_supported": ["client_secret_basic"],
    }))
}

async fn register(Json(body): Json<Value>) -> Json<Value> {
    Json(json!({ "client_id": "c", "client_secret": "client-secret", "redirect_uris": body["redirect_uris"] }))
}

async fn authorize(State(stub): SharedOAuthStub, RawQuery(request): RawQuery) -> Redirect {
    let request = fields(&request.expect("a query"));
    assert_eq!((&*request["scope"], &*request["resource"]), ("read", &*format!("{}/mcp", stub.home)));
    stub.state.lock().challenge = request["code_challenge"].clone();
    Redirect::to(&format!("{}?code=good&state={}", request["redirect_uri"], request["state"]))
}

async fn token(State(stub): SharedOAuthStub, headers: HeaderMap, request: String) -> Response {
    let request = fields(&request);
    let basic = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
    // Base64 of `c:client-secret`.
    assert_eq!(basic, "Basic YzpjbGllbnQtc2VjcmV0", "the client proves itself, when it renews a token, too");
    assert_eq!(request["resource"], format!("{}/mcp", stub.home));
    let (given, renews) = {
        let state = stub.state.lock();
        (state.issued, state.renews)
    };
    match &*request["grant_type"] {
        "authorization_code" if request["code"] == "good" && !request["code_verifier"].is_empty() => stub.issue_token(),
        "refresh_token" if renews && request["refresh_token"] == format!("refresh-{given}") => stub.issue_token(),
        _ => (StatusCode::BAD_REQUEST, Json(json!({ "error": "invalid_grant" }))).into_response(),
    }
}

async fn start() -> (Arc<OAuthStub>, McpServerSettings) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("listens");
    let home = format!("http://{}", listener.local_addr().expect("has one"));
    let stub = Arc::new(OAuthStub { home: home.clone(), ..OAuthStub::default() });
    stub.state.lock().renews = true;
    let routes = Router::new()
        .route("/mcp", post(call))
        .route("/.well-known/oauth-protected-resource/mcp", get(resource))
        .route("/.well-known/oauth-authorization-server", get(metadata))
        .route("/register", post(register))
        .route("/authorize", get(authorize))
        .route("/token", post(token))
        .with_state(stub.clone());
    tokio::spawn(async move { axum::serve(listener, routes).await });
    (
        stub,
        McpServerSettings {
            url: format!("{home}/mcp"),
            restart_ms: 10,
            max_restart_ms: 50,
            ..McpServerSettings::default()
        },
    )
}

/// Opens the link and agrees. Returns the address that the browser is redirected to.
async fn authorize_in_browser(authorization: &McpAuthorization) -> String {
    let browser = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).no_proxy().build();
    let page = browser.expect("a client").get(authorization.url()).send().await.expect("an answer");
    page.headers()["location"].to_str().expect("text").to_owned()
}

#[tokio::test]
async fn a_person_authorizes_a_server_and_its_token_is_renewed_and_kept_secret() {
    let (stub, server) = start().await;
    let harness = McpHarness::start_without_waiting(server.clone());
    let away = harness.wait_for(|status| matches!(status.condition, McpServerState::Away(_))).await;
    assert!(format!("{:?}", away.condition).contains("roundtable mcp authorize"), "{away:?}");

    let redirect = "http://127.0.0.1:1/callback";
    let authorization =
        McpAuthorization::begin("s", &server, harness.folder.path(), |_| None, redirect).await.expect("begins");
    let returned = authorize_in_browser(&authorization).await;
    let forged = format!("{redirect}?code=good&state=forged");
    assert!(authorization.finish(&forged).await.is_err(), "the answer to a question that was not asked");
    authorization.finish(&returned).await.expect("is authorized");
    harness.wait_for(|status| status.condition == McpServerState::Ready).await;
    assert_eq!(harness.call("echo", json!({})).await.as_deref(), Ok("heard"));

    let file = harness.folder.path().join("s.json");
    let mode = std::fs::metadata(&file).expect("is kept").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    stub.state.lock().revoked = true;
    assert_eq!(harness.call("echo", json!({})).await.as_deref(), Ok("heard"), "the token was renewed");
    assert!(std::fs::read_to_string(&file).expect("is kept").contains("refresh-2"));

    stub.state.lock().renews = false;
    stub.state.lock().revoked = true;
    let error = harness.call("echo", json!({})).await.expect_err("is not authorized any more");
    assert_eq!(error.code, "tool_unauthorized");
    let printed = format!("{error:?} {:?} {server:?}", harness.servers.status());
    assert!(
        !["access-", "refresh-", "client-secret", "good"].iter().any(|secret| printed.contains(secret)),
        "{printed}"
    );

    let again = McpAuthorization::begin("s", &server, harness.folder.path(), |_| None, redirect).await.expect("begins");
    again.finish(&authorize_in_browser(&again).await).await.expect("is authorized");
    // This works without a new connection, because the token is looked up for each request.
    harness.wait_for(|status| status.condition == McpServerState::Ready).await;
    assert_eq!(harness.call("echo", json!({})).await.as_deref(), Ok("heard"));
    McpAuthorization::forget("s", &server, harness.folder.path()).expect("is forgotten");
    assert!(!file.exists());
}

#[tokio::test]
async fn a_token_is_sent_to_no_other_address() {
    let ((_, server), (elsewhere, moved)) = (start().await, start().await);
    let folder = tempfile::tempdir().expect("a folder");
    let redirect = "http://127.0.0.1:1/callback";
    let authorization = McpAuthorization::begin("s", &server, folder.path(), |_| None, redirect).await.expect("begins");
    authorization.finish(&authorize_in_browser(&authorization).await).await.expect("is authorized");
    let stopping = CancellationToken::new();
    let named = [("s".to_owned(), McpServerSettings { url: moved.url, ..server })].into();
    let servers = McpServerRegistry::start(&named, folder.path(), &Confinement::Off, &stopping);
    let servers = servers.expect("the settings are good");
    servers.settled().await;
    assert!(matches!(servers.status()[0].condition, McpServerState::Away(_)));
    let refused = elsewhere.state.lock().refused.clone();
    assert!(!refused.is_empty() && refused.iter().all(Option::is_none), "{refused:?}");
}

#[tokio::test]
async fn a_server_with_a_configured_token_needs_no_authorization() {
    let (_, server) = start().await;
    let server = McpServerSettings { token_env: "PATH".into(), ..server };
    let folder = tempfile::tempdir().expect("a folder");
    let authorization =
        McpAuthorization::begin("s", &server, folder.path(), |_| None, "http://127.0.0.1:1/callback").await;
    assert!(authorization.err().expect("is refused").contains("token_env"));
    assert_eq!(std::fs::read_dir(folder.path()).expect("reads").count(), 0);
}
