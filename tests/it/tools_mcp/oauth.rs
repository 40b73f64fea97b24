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
use roundtable::tool::mcp::{McpAuthorization, McpServerSettings, McpServerState, McpServers};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::Table;

type Fields = std::collections::BTreeMap<String, String>;

/// The tool server and its authorization server, combined.
#[derive(Default)]
struct Guarded {
    home: String,
    state: Mutex<Tokens>,
}

#[derive(Default)]
struct Tokens {
    /// Number of issued tokens; the last one is valid.
    given: u32,
    revoked: bool,
    renews: bool,
    challenge: String,
    /// Credentials of rejected requests.
    refused: Vec<Option<String>>,
}

fn fields(text: &str) -> Fields {
    form_urlencoded::parse(text.as_bytes()).into_owned().collect()
}

type Shared = State<Arc<Guarded>>;

impl Guarded {
    fn give(&self) -> Response {
        let mut state = self.state.lock();
        state.given += 1;
        state.revoked = false;
        let n = state.given;
        Json(json!({
            "access_token": format!("access-{n}"), "refresh_token": format!("refresh-{n}"),
            "token_type": "Bearer", "expires_in": 3600, "scope": "read",
        }))
        .into_response()
    }
}

async fn call(State(guarded): Shared, headers: HeaderMap, Json(message): Json<Value>) -> Response {
    let wanted = format!("Bearer access-{}", guarded.state.lock().given);
    let given = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    if given != Some(&wanted) || guarded.state.lock().revoked {
        guarded.state.lock().refused.push(given.map(str::to_owned));
        let document = format!("{}/.well-known/oauth-protected-resource/mcp", guarded.home);
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

async fn resource(State(guarded): Shared) -> Json<Value> {
    let home = &guarded.home;
    Json(json!({ "resource": format!("{home}/mcp"), "authorization_servers": [home], "scopes_supported": ["read"] }))
}

async fn metadata(State(guarded): Shared) -> Json<Value> {
    let home = &guarded.home;
    Json(json!({
        "issuer": home, "authorization_endpoint": format!("{home}/authorize"), "token_endpoint": format!("{home}/token"),
        "registration_endpoint": format!("{home}/register"), "response_types_supported": ["code"],
        "code_challenge_methods_supported": ["S256"], "token_endpoint_auth_methods_supported": ["client_secret_basic"],
    }))
}

async fn register(Json(wish): Json<Value>) -> Json<Value> {
    Json(json!({ "client_id": "c", "client_secret": "client-secret", "redirect_uris": wish["redirect_uris"] }))
}

async fn authorize(State(guarded): Shared, RawQuery(asked): RawQuery) -> Redirect {
    let asked = fields(&asked.expect("a query"));
    assert_eq!((&*asked["scope"], &*asked["resource"]), ("read", &*format!("{}/mcp", guarded.home)));
    guarded.state.lock().challenge = asked["code_challenge"].clone();
    Redirect::to(&format!("{}?code=good&state={}", asked["redirect_uri"], asked["state"]))
}

async fn token(State(guarded): Shared, headers: HeaderMap, asked: String) -> Response {
    let asked = fields(&asked);
    let basic = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
    // c:client-secret
    assert_eq!(basic, "Basic YzpjbGllbnQtc2VjcmV0", "the client proves itself, when it renews a token, too");
    assert_eq!(asked["resource"], format!("{}/mcp", guarded.home));
    let (given, renews) = {
        let state = guarded.state.lock();
        (state.given, state.renews)
    };
    match &*asked["grant_type"] {
        "authorization_code" if asked["code"] == "good" && !asked["code_verifier"].is_empty() => guarded.give(),
        "refresh_token" if renews && asked["refresh_token"] == format!("refresh-{given}") => guarded.give(),
        _ => (StatusCode::BAD_REQUEST, Json(json!({ "error": "invalid_grant" }))).into_response(),
    }
}

async fn begin() -> (Arc<Guarded>, McpServerSettings) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("listens");
    let home = format!("http://{}", listener.local_addr().expect("has one"));
    let guarded = Arc::new(Guarded { home: home.clone(), ..Guarded::default() });
    guarded.state.lock().renews = true;
    let routes = Router::new()
        .route("/mcp", post(call))
        .route("/.well-known/oauth-protected-resource/mcp", get(resource))
        .route("/.well-known/oauth-authorization-server", get(metadata))
        .route("/register", post(register))
        .route("/authorize", get(authorize))
        .route("/token", post(token))
        .with_state(guarded.clone());
    tokio::spawn(async move { axum::serve(listener, routes).await });
    (
        guarded,
        McpServerSettings {
            url: format!("{home}/mcp"),
            restart_ms: 10,
            max_restart_ms: 50,
            ..McpServerSettings::default()
        },
    )
}

/// Opens the link and agrees. Returns the address that the browser is redirected to.
async fn agree(begun: &McpAuthorization) -> String {
    let browser = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).no_proxy().build();
    let page = browser.expect("a client").get(begun.url()).send().await.expect("an answer");
    page.headers()["location"].to_str().expect("text").to_owned()
}

#[tokio::test]
async fn a_person_authorizes_a_server_and_its_token_is_renewed_and_told_to_nobody() {
    let (guarded, server) = begin().await;
    let table = Table::of(server.clone());
    let away = table.until(|status| matches!(status.condition, McpServerState::Away(_))).await;
    assert!(format!("{:?}", away.condition).contains("roundtable mcp authorize"), "{away:?}");

    let redirect = "http://127.0.0.1:1/callback";
    let begun = McpAuthorization::begin("s", &server, table.folder.path(), |_| None, redirect).await.expect("begins");
    let returned = agree(&begun).await;
    let forged = format!("{redirect}?code=good&state=forged");
    assert!(begun.finish(&forged).await.is_err(), "the answer to a question that was not asked");
    begun.finish(&returned).await.expect("is authorized");
    table.until(|status| status.condition == McpServerState::Ready).await;
    assert_eq!(table.call("echo", json!({})).await.as_deref(), Ok("heard"));

    let file = table.folder.path().join("s.json");
    let mode = std::fs::metadata(&file).expect("is kept").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    guarded.state.lock().revoked = true;
    assert_eq!(table.call("echo", json!({})).await.as_deref(), Ok("heard"), "the token was renewed");
    assert!(std::fs::read_to_string(&file).expect("is kept").contains("refresh-2"));

    guarded.state.lock().renews = false;
    guarded.state.lock().revoked = true;
    let error = table.call("echo", json!({})).await.expect_err("is not authorized any more");
    assert_eq!(error.code, "tool_unauthorized");
    let said = format!("{error:?} {:?} {server:?}", table.servers.status());
    assert!(!["access-", "refresh-", "client-secret", "good"].iter().any(|secret| said.contains(secret)), "{said}");

    let again = McpAuthorization::begin("s", &server, table.folder.path(), |_| None, redirect).await.expect("begins");
    again.finish(&agree(&again).await).await.expect("is authorized");
    // This works without a new connection, because the token is looked up for each request.
    table.until(|status| status.condition == McpServerState::Ready).await;
    assert_eq!(table.call("echo", json!({})).await.as_deref(), Ok("heard"));
    McpAuthorization::forget("s", &server, table.folder.path()).expect("is forgotten");
    assert!(!file.exists());
}

#[tokio::test]
async fn a_token_goes_to_no_other_address() {
    let ((_, server), (elsewhere, moved)) = (begin().await, begin().await);
    let folder = tempfile::tempdir().expect("a folder");
    let redirect = "http://127.0.0.1:1/callback";
    let begun = McpAuthorization::begin("s", &server, folder.path(), |_| None, redirect).await.expect("begins");
    begun.finish(&agree(&begun).await).await.expect("is authorized");
    let stopping = CancellationToken::new();
    let named = [("s".to_owned(), McpServerSettings { url: moved.url, ..server })].into();
    let servers = McpServers::start(&named, folder.path(), &Confinement::Off, &stopping);
    let servers = servers.expect("the settings are good");
    servers.settled().await;
    assert!(matches!(servers.status()[0].condition, McpServerState::Away(_)));
    let refused = elsewhere.state.lock().refused.clone();
    assert!(!refused.is_empty() && refused.iter().all(Option::is_none), "{refused:?}");
}

#[tokio::test]
async fn a_server_with_a_token_of_its_own_is_authorized_by_nobody() {
    let (_, server) = begin().await;
    let server = McpServerSettings { token_env: "PATH".into(), ..server };
    let folder = tempfile::tempdir().expect("a folder");
    let begun = McpAuthorization::begin("s", &server, folder.path(), |_| None, "http://127.0.0.1:1/callback").await;
    assert!(begun.err().expect("is refused").contains("token_env"));
    assert_eq!(std::fs::read_dir(folder.path()).expect("reads").count(), 0);
}
