//! The program, run the way an operator runs it.

use std::process::{Output, Stdio};

use roundtable::protocol;
use serde_json::Value;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

use crate::fresh_database::FreshDatabase;
use crate::process::viewer::{SocketViewer, ViewerState, event};
use crate::server::with_timeout;

/// Returns a command that runs the program with its data in this folder and without the settings of the test process.
pub fn roundtable(data: &TempDir, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_roundtable"));
    let settings = ["ROUNDTABLE_", "OPENAI_", "ANTHROPIC_"];
    let kept = std::env::vars().filter(|(name, _)| !settings.iter().any(|setting| name.starts_with(setting)));
    command.env_clear().envs(kept).env("ROUNDTABLE_DATA_DIR", data.path()).env("ROUNDTABLE_ONLY_DEMO_MODEL", "true");
    // This folder has a roundtable.toml only if the test has written one.
    command.args(arguments).current_dir(data.path()).kill_on_drop(true);
    command
}

async fn run(data: &TempDir, arguments: &[&str]) -> Output {
    with_timeout(roundtable(data, arguments).output()).await.expect("runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

pub async fn run_command(data: &TempDir, arguments: &[&str]) -> String {
    let output = run(data, arguments).await;
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

/// Creates a folder with settings that name an empty PostgreSQL database.
async fn on_postgres() -> TempDir {
    let data = tempfile::tempdir().expect("makes a folder");
    // A killed node counts as alive until its lease expires.
    let settings = format!(
        "cluster = {{ lease_ms = 1000, renew_ms = 250 }}\ndatabase_url = '{}'\n",
        FreshDatabase::postgres().await.url
    );
    std::fs::write(data.path().join("roundtable.toml"), settings).expect("writes");
    data
}

/// Starts a server. Returns the process, its address, and the line that it prints about signing in.
async fn serve(data: &TempDir) -> (Child, String, String) {
    let log = std::fs::File::create(data.path().join("log")).expect("a file");
    let mut server = roundtable(data, &["serve", "--listen", "127.0.0.1:0"])
        .env("RUST_LOG", "trace")
        .stdout(Stdio::piped())
        .stderr(log)
        .spawn()
        .expect("starts");
    let mut lines = BufReader::new(server.stdout.take().expect("piped")).lines();
    let first = with_timeout(lines.next_line()).await.expect("reads").expect("a line");
    let address = first.strip_prefix("Roundtable listens on ").expect("the first line says where").to_owned();
    let second = with_timeout(lines.next_line()).await.expect("reads").expect("a line");
    let third = with_timeout(lines.next_line()).await.expect("reads").expect("a line");
    assert!(third.contains("demo model"), "{third}");
    (server, address, second)
}

/// Returns the code of a sign-in link to a server at this address.
fn code(link: &str, address: &str) -> String {
    let (page, code) = link.trim_end().split_once('#').expect("a link with a code behind the #");
    assert!(page.ends_with(&format!("{address}/sign-in")), "{link}");
    code.to_owned()
}

/// Starts a server with metrics. Returns the process, its address, and the address of the metrics.
pub async fn start_with_metrics(serve: &mut Command) -> (Child, String, String) {
    let mut server = serve.stdout(Stdio::piped()).spawn().expect("starts");
    let mut lines = BufReader::new(server.stdout.take().expect("piped")).lines();
    let mut lines_read = vec![];
    while !lines_read.iter().any(|line: &String| line.starts_with("Metrics are at ")) {
        lines_read.push(with_timeout(lines.next_line()).await.expect("reads").expect("a line"));
    }
    let last = |line: &String| line.rsplit(' ').next().unwrap_or_default().to_owned();
    (server, last(&lines_read[0]), lines_read.last().map(last).expect("a line"))
}

pub fn client() -> reqwest::Client {
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder().no_proxy().build().expect("a client")
}

async fn server_role(address: &str, token: &str) -> Value {
    let request = client().get(format!("{address}/api/v1/me")).bearer_auth(token);
    with_timeout(request.send()).await.expect("answers").json().await.expect("JSON")
}

#[tokio::test]
async fn tokens_work_if_created_before_or_during_a_server_run() {
    for data in [tempfile::tempdir().expect("makes a folder"), on_postgres().await] {
        tokens_before_and_beside(&data).await;
    }
}

async fn tokens_before_and_beside(data: &TempDir) {
    let before = run_command(data, &["token", "create", "--name", "reviewer-1", "--role", "admin"]).await;
    assert_eq!(before.lines().count(), 1, "nothing but the token");
    let before = before.trim();
    assert!(before.starts_with("rt_token_") && before.len() == "rt_token_".len() + 64);

    let (mut server, address, _) = serve(data).await;
    let me = server_role(&address, before).await;
    assert_eq!((&me["server_role"], &me["you"]["name"]), (&"admin".into(), &"reviewer-1".into()));
    let beside = run_command(data, &["token", "create", "--name", "ci", "--role", "bot"]).await;
    let me = server_role(&address, beside.trim()).await;
    assert_eq!((&me["server_role"], &me["you"]["kind"]), (&"guest".into(), &"bot".into()));

    let list = run_command(data, &["token", "list"]).await;
    assert_eq!(list.lines().count(), 3);
    let (heads, names) = list.split_at(list.find("NAME").expect("a header"));
    assert!(heads.starts_with("ID ") && names.starts_with("NAME\n"), "{list}");
    assert!(list.lines().skip(1).all(|line| ["ci", "reviewer-1"].contains(&&line[heads.len()..])), "{list}");
    assert!(!list.contains(before), "a token is shown once");
    let id = list.lines().find(|line| line.ends_with("ci")).and_then(|line| line.split(' ').next()).expect("listed");
    run_command(data, &["token", "revoke", id]).await;
    assert_eq!(server_role(&address, beside.trim()).await["code"], "unauthenticated");
    server.kill().await.expect("ends");
}

#[tokio::test]
async fn a_token_expires_by_default() {
    let data = tempfile::tempdir().expect("makes a folder");
    for (name, expires) in [("usual", &[][..]), ("kept", &["--expires", "never"])] {
        run_command(&data, &[&["token", "create", "--name", name][..], expires].concat()).await;
    }
    let list = run_command(&data, &["token", "list"]).await;
    let row = |name: &str| list.lines().find(|line| line.ends_with(name)).expect("is listed").to_owned();
    assert!(row("kept").contains(" when revoked "), "{list}");
    let day = 24 * 60 * 60 * 1000;
    let [eve, end] = [89, 90].map(|days| roundtable::clock::now().plus(days * day).to_string()[..10].to_owned());
    assert!([eve, end].iter().any(|date| row("usual").contains(&**date)), "{list}");
}

#[tokio::test]
async fn a_sign_in_link_works_once_and_a_stop_is_graceful() {
    let data = tempfile::tempdir().expect("makes a folder");
    let (server, address, link) = serve(&data).await;
    let code = code(&link, &address);
    let sign_in = async || {
        let request = client().post(format!("{address}/api/v1/sign-in")).json(&serde_json::json!({ "code": code }));
        with_timeout(request.send()).await.expect("answers")
    };
    let first = sign_in().await;
    assert_eq!(first.status(), 200);
    let cookie = first.headers()["set-cookie"].to_str().expect("text").to_owned();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
    assert_eq!(first.json::<Value>().await.expect("JSON")["server_role"], "admin");
    assert_eq!(sign_in().await.status(), 410);

    let pid = server.id().expect("runs").to_string();
    assert!(std::process::Command::new("kill").args(["-TERM", &pid]).status().expect("runs").success());
    let ended = with_timeout(server.wait_with_output()).await.expect("ends");
    assert!(ended.status.success(), "{:?}", ended.status);
}

#[tokio::test]
async fn a_start_prints_a_sign_in_link_until_an_administrator_has_signed_in() {
    links_over_starts(&tempfile::tempdir().expect("makes a folder"), false).await;
    links_over_starts(&on_postgres().await, true).await;
}

async fn links_over_starts(data: &TempDir, names_listen: bool) {
    let (mut unused, address, link) = serve(data).await;
    code(&link, &address);
    unused.kill().await.expect("ends");
    let (mut server, address, link) = serve(data).await;
    let sign_in = async |code: String| {
        let request = client().post(format!("{address}/api/v1/sign-in")).json(&serde_json::json!({ "code": code }));
        with_timeout(request.send()).await.expect("answers").status()
    };
    assert_eq!(sign_in(code(&link, &address)).await, 200);
    let listen = address.strip_prefix("http://").expect("an address");
    let arguments = ["sign-in", "--listen", listen];
    let another = run_command(data, if names_listen { &arguments } else { &arguments[..1] }).await;
    assert_eq!(another.lines().count(), 1, "nothing but the link");
    assert_eq!(sign_in(code(&another, &address)).await, 200);
    let guessed = run(data, &["sign-in"]).await;
    assert!(guessed.status.success(), "{}", text(&guessed.stderr));
    assert_eq!(
        text(&guessed.stderr).contains("--listen"),
        names_listen,
        "says where it is not sure: {}",
        text(&guessed.stderr)
    );
    server.kill().await.expect("ends");
    let log = std::fs::read_to_string(data.path().join("log")).expect("reads");
    assert!(!log.contains("already exists, skipping"), "nothing is wrong");
    let (mut again, _, notice) = serve(data).await;
    assert!(!notice.contains('#') && notice.contains("roundtable sign-in`"), "{notice}");
    again.kill().await.expect("ends");
    let unknown = run(data, &["sign-in", "--listen", "127.0.0.1:0"]).await;
    assert!(text(&unknown.stderr).contains("port is not known here"), "{}", text(&unknown.stderr));
}

#[tokio::test]
async fn a_sessions_log_can_be_exported() {
    for data in [tempfile::tempdir().expect("makes a folder"), on_postgres().await] {
        an_export(&data).await;
    }
}

async fn an_export(data: &TempDir) {
    let (mut server, address, _) = serve(data).await;
    let token = run_command(data, &["token", "create", "--name", "ann"]).await;
    let request = client().post(format!("{address}/api/v1/sessions")).bearer_auth(token.trim());
    let created = with_timeout(request.json(&serde_json::json!({ "title": "empty" })).send()).await.expect("answers");
    let created: Value = created.json().await.expect("JSON");
    let log = run_command(data, &["export", created["session"].as_str().expect("an id")]).await;
    let events: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let seqs: Vec<_> = events.iter().map(|event| event["seq"].as_u64()).collect();
    assert_eq!(seqs, [Some(1), Some(2)]);
    assert_eq!(events[0]["event"], "session.created");
    let unknown = run(data, &["export", "s_00000000000000000000000000000000"]).await;
    assert!(!unknown.status.success() && text(&unknown.stderr).contains("there is no session"));
    server.kill().await.expect("ends");
}

#[tokio::test]
async fn the_log_contains_no_secrets_and_no_messages_at_any_level() {
    let data = tempfile::tempdir().expect("makes a folder");
    let (mut server, address, link) = serve(&data).await;
    let code = code(&link, &address);
    let token = run_command(&data, &["token", "create", "--name", "ann"]).await;
    let token = token.trim();
    let post = async |path: String, body: Value| {
        let request = client().post(format!("{address}{path}")).bearer_auth(token).json(&body);
        with_timeout(request.send()).await.expect("answers")
    };
    let created = post("/api/v1/sessions".into(), serde_json::json!({ "message": "test the xyzzy-77 machine" })).await;
    let created: Value = created.json().await.expect("JSON");
    let session = created["session"].as_str().expect("an id");
    let invite = post(format!("/api/v1/sessions/{session}/invites"), serde_json::json!({ "role": "viewer" })).await;
    let invite: Value = invite.json().await.expect("JSON");
    let (_, secret) = invite["link"].as_str().and_then(|link| link.split_once('#')).expect("a secret");
    let mut viewer = SocketViewer::connect(&address, token).await;
    viewer.join(session, 0).await;
    viewer.wait_for(&mut ViewerState::default(), event("message.completed")).await.expect("goes on");
    server.kill().await.expect("ends");

    let log = std::fs::read_to_string(data.path().join("log")).expect("reads");
    let text = ["request completed", "/api/v1/sessions/{session}/invites", "identified", "joined", "turn completed"];
    assert!(text.iter().all(|word| log.contains(word)), "it does say something: {log}");
    for hidden in ["xyzzy-77", token, secret, &code] {
        assert!(!log.contains(hidden), "{hidden} in {:?}", log.lines().find(|line| line.contains(hidden)));
    }
}

/// Settings with secrets.
const SECRETS: [(&str, &str); 5] = [
    ("ROUNDTABLE_REDIS_URL", "redis://:SECRET@127.0.0.1:1"),
    ("ROUNDTABLE_LOG__OTLP_ENDPOINT", "http://watcher:SECRET@127.0.0.1:1"),
    ("ROUNDTABLE_PROVIDERS__NAMED__LOST__BASE_URL", "http://127.0.0.1:1/v1"),
    ("ROUNDTABLE_PROVIDERS__NAMED__LOST__API_KEY", "SECRET"),
    ("ROUNDTABLE_PROVIDERS__DEFAULT", "lost/model"),
];

#[tokio::test]
async fn secrets_in_settings_are_not_in_the_log_or_the_metrics() {
    let data = tempfile::tempdir().expect("makes a folder");
    let database = FreshDatabase::postgres().await.url.replace("roundtable@", "roundtable:xyzzy-88@");
    let with = |command: &mut Command| {
        command.env("ROUNDTABLE_DATABASE_URL", &database).env("ROUNDTABLE_ONLY_DEMO_MODEL", "false");
        command
            .env("ROUNDTABLE_LOG__JSON", "true")
            .env("ROUNDTABLE_METRICS_LISTEN", "127.0.0.1:0")
            .env("RUST_LOG", "trace");
        command.envs(SECRETS.map(|(name, value)| (name, value.replace("SECRET", "xyzzy-88"))));
    };
    let mut create = roundtable(&data, &["token", "create", "--name", "ann"]);
    with(&mut create);
    let token = text(&with_timeout(create.output()).await.expect("runs").stdout);
    let mut serve = roundtable(&data, &["serve", "--listen", "127.0.0.1:0"]);
    with(&mut serve);
    let log = std::fs::File::create(data.path().join("log")).expect("a file");
    let (mut server, address, metrics) = start_with_metrics(serve.stderr(log)).await;
    let body = serde_json::json!({ "message": "say it to a model that cannot be reached" });
    let created = client().post(format!("{address}/api/v1/sessions")).bearer_auth(token.trim()).json(&body);
    let created: Value = with_timeout(created.send()).await.expect("answers").json().await.expect("JSON");
    let session = created["session"].as_str().expect("an id");
    let events = client().get(format!("{address}/api/v1/sessions/{session}/events")).bearer_auth(token.trim());
    let mut stream = crate::sse::SseReader::of(with_timeout(events.send()).await.expect("answers"));
    while stream.next().await.expect("goes on").data["event"] != "attempt.failed" {}
    let figures = with_timeout(client().get(metrics).send()).await.expect("answers").text().await.expect("text");
    server.kill().await.expect("ends");

    let log = std::fs::read_to_string(data.path().join("log")).expect("reads");
    assert!(log.contains("\"level\":\"TRACE\"") && figures.contains("roundtable_bus_up 0"), "they do say something");
    for line in log.lines().chain(figures.lines()) {
        for hidden in ["xyzzy-88", token.trim(), "say it to a model"] {
            assert!(!line.contains(hidden), "{hidden} in {line}");
        }
    }
    let objects = log.lines().map(serde_json::from_str::<Value>);
    assert!(objects.into_iter().all(|line| line.is_ok_and(|line| line.is_object())), "every line is a JSON object");
}

#[tokio::test]
async fn no_error_shows_the_password_of_a_url() {
    let data = tempfile::tempdir().expect("makes a folder");
    let (nobody, redis) = ("postgres://ann:xyzzy-88@127.0.0.1:1/rt", "redis://:xyzzy-88@127.0.0.1:1");
    std::fs::write(data.path().join("half.toml"), format!("database_url = '{nobody}\n")).expect("writes");
    let mistyped = nobody.replace("://", ":/");
    let session = "s_0198c0de000070008000000000000000";
    let redis = format!("redis_url={redis}");
    for arguments in [
        &["--database-url", nobody, "token", "list"][..],
        &["--database-url", nobody, "token", "revoke", "abcdef"],
        &["--database-url", nobody, "token", "create", "--name", "ann"],
        &["--database-url", nobody, "export", session],
        &["--database-url", nobody, "backup", "copy.db"],
        &["--database-url", nobody, "serve", "--listen", "127.0.0.1:0"],
        &["--database-url", &mistyped, "serve"],
        &["--database-url", &mistyped, "token", "list"],
        &["--database-url", "postgres://ann:xyzzy-88/9@db/rt", "token", "list"],
        &["--config", "half.toml", "token", "list"],
        &["--set", &nobody.replace('=', ""), "token", "list"],
        &["--set", &redis, "serve", "--listen", "127.0.0.1:0"],
        &["--set", &redis.replace("redis:", "redi:"), "serve"],
        &["--set", "providers.named.a.base_url=htp://ann:xyzzy-88@host", "serve", "--listen", "127.0.0.1:0"],
    ] {
        let mut command = roundtable(&data, arguments);
        command.env("ROUNDTABLE_STORE__CONNECT_MS", "100").env("ROUNDTABLE_ONLY_DEMO_MODEL", "false");
        let output = with_timeout(command.output()).await.expect("runs");
        let stderr = text(&output.stderr);
        assert!(!output.status.success() && stderr.starts_with("roundtable: "), "{arguments:?}: {stderr}");
        assert!(!stderr.contains("xyzzy"), "{arguments:?}: {stderr}");
    }
}

#[tokio::test]
async fn wrong_arguments_get_a_clear_error() {
    let data = tempfile::tempdir().expect("makes a folder");
    for (arguments, expected) in [
        (&["config", "--set", "lisen=x"][..], "did you mean listen?"),
        (&["config", "--set", "colour=blue"], "there is no such setting; `roundtable config` lists them"),
        (&["export", "s_0198c0de000070008000000000000000"], "there is no database at"),
        (&["token", "list"], "there is no database at"),
        (&["sign-in"], "there is no database at"),
        (&["token", "create", "--name", "all"], "choose another name"),
        (&["token", "create", "--name", "ann", "--expires", "-1"], "1..=36500"),
        (&["token", "revoke", "abcdef"], "no token has an id"),
        (&["serve", "--listen", "256.0.0.1:0"], "cannot listen on 256.0.0.1:0"),
        (
            &["serve", "--listen", "127.0.0.1:0", "--redis-url", "redis://cache"],
            "redis_url is for several servers on one PostgreSQL",
        ),
        (&["serve", "--config", "absent.toml"], "absent.toml cannot be read"),
    ] {
        let output = run(&data, arguments).await;
        assert!(!output.status.success(), "{arguments:?}");
        assert!(text(&output.stderr).contains(expected), "{arguments:?}: {}", text(&output.stderr));
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
}

#[tokio::test]
async fn the_schema_command_prints_the_schema_of_the_protocol() {
    let data = tempfile::tempdir().expect("makes a folder");
    let printed: Value = serde_json::from_str(&run_command(&data, &["schema"]).await).expect("JSON");
    assert_eq!(printed, protocol::schema());
}

#[tokio::test]
async fn the_demo_model_runs_standalone() {
    let data = tempfile::tempdir().expect("makes a folder");
    let mut demo = roundtable(&data, &["demo-model", "--listen", "127.0.0.1:0"]);
    let mut demo = demo.stdout(Stdio::piped()).spawn().expect("starts");
    let mut lines = BufReader::new(demo.stdout.take().expect("piped")).lines();
    let first = with_timeout(lines.next_line()).await.expect("reads").expect("a line");
    let url = first.split([' ', ';']).find(|word| word.starts_with("http://")).expect("says where");
    let models: Value =
        with_timeout(client().get(format!("{url}/models")).send()).await.expect("answers").json().await.expect("JSON");
    assert_eq!(models["data"][0]["id"], "demo");
    demo.kill().await.expect("ends");
}

#[tokio::test]
async fn a_team_can_be_printed_and_a_folder_of_teams_checked() {
    let data = tempfile::tempdir().expect("makes a folder");
    let team = run_command(&data, &["team", "assistant-en"]).await;
    std::fs::create_dir(data.path().join("teams")).expect("makes a folder");
    let file = data.path().join("teams/mine.toml");
    std::fs::write(&file, team.replace("assistant-en", "mine")).expect("writes");
    let list = run_command(&data, &["team", "--set", "teams.folder=teams"]).await;
    assert!(list.starts_with("NAME ") && list.lines().count() == 20, "{list}");
    assert!(list.lines().last().is_some_and(|line| line.starts_with("mine ")), "{list}");

    let unknown = run(&data, &["team", "nobody"]).await;
    assert!(!unknown.status.success() && text(&unknown.stderr).contains("testcase-zh"), "{}", text(&unknown.stderr));
    std::fs::write(&file, team.replace("role", "rule")).expect("writes");
    let wrong = run(&data, &["serve", "--listen", "127.0.0.1:0", "--set", "teams.folder=teams"]).await;
    assert!(text(&wrong.stderr).contains("mine.toml: agent Assistant: unknown field rule"), "{wrong:?}");

    let tools = team.replace("assistant-en", "mine").replace("[\"*\"]", "[\"code_serach\"]");
    std::fs::write(&file, tools).expect("writes");
    for arguments in [vec!["team"], vec!["serve", "--listen", "127.0.0.1:0"]] {
        let wrong = run(&data, &[arguments, vec!["--set", "teams.folder=teams"]].concat()).await;
        assert!(text(&wrong.stderr).contains("there is no tool code_serach; did you mean code_search?"), "{wrong:?}");
    }
    let role = "role = \"worker\"\n";
    std::fs::write(&file, team.replace(role, &format!("{role}model = \"nowhere/gpt-9\"\n"))).expect("writes");
    let provider = "[providers]\ndefault = 'mine/usual'\n[providers.named.mine]\nbase_url = 'http://127.0.0.1:1/v1'\n";
    std::fs::write(data.path().join("roundtable.toml"), provider).expect("writes");
    let arguments = ["team", "--set", "teams.folder=teams", "--set", "only_demo_model=false"];
    let wrong = run(&data, &arguments).await;
    assert!(text(&wrong.stderr).contains("mine.toml: agent Assistant: model: no provider has"), "{wrong:?}");
}

#[tokio::test]
async fn an_invalid_log_filter_stops_the_start_and_a_new_database_is_reported() {
    let data = tempfile::tempdir().expect("makes a folder");
    let mut command = roundtable(&data, &["serve", "--listen", "127.0.0.1:0"]);
    let output = with_timeout(command.env("RUST_LOG", "info,roundtabel=debug").output()).await.expect("runs");
    let stderr = text(&output.stderr);
    assert!(!output.status.success() && stderr.contains("RUST_LOG: \"roundtabel\" is not a target"), "{stderr}");

    let made = run(&data, &["token", "create", "--name", "Ann"]).await;
    assert!(text(&made.stderr).contains("there was no database at "), "{made:?}");
    let again = run(&data, &["token", "create", "--name", "Ben"]).await;
    assert!(again.status.success() && !text(&again.stderr).contains("there was no database"), "{again:?}");
}

#[tokio::test]
async fn operator_actions_on_mcp_servers_are_audited() {
    let data = tempfile::tempdir().expect("makes a folder");
    let settings = "[tools.mcp.tickets]\nurl = \"http://127.0.0.1:1/mcp\"\n";
    std::fs::write(data.path().join("roundtable.toml"), settings).expect("writes");
    run_command(&data, &["mcp", "forget", "tickets"]).await;
    let log = run_command(&data, &["audit", "list", "--json"]).await;
    let entry: Value = serde_json::from_str(log.lines().next().expect("an entry")).expect("JSON");
    assert_eq!((&entry["action"], &entry["subject"]), (&"mcp_authorization".into(), &"tickets".into()), "{log}");
    assert_eq!(entry["actor"]["kind"], "terminal", "{log}");
}

#[tokio::test]
async fn links_exports_and_backups_from_the_command_line_are_audited() {
    let data = tempfile::tempdir().expect("makes a folder");
    let (mut server, address, _) = serve(&data).await;
    let token = run_command(&data, &["token", "create", "--name", "ann"]).await;
    let request = client().post(format!("{address}/api/v1/sessions")).bearer_auth(token.trim());
    let created = with_timeout(request.json(&serde_json::json!({ "title": "Payment" })).send()).await.expect("answers");
    let created: Value = created.json().await.expect("JSON");
    let session = created["session"].as_str().expect("an id");
    run_command(&data, &["sign-in"]).await;
    run_command(&data, &["export", session]).await;
    let copy = data.path().join("copy.db");
    let copy = copy.to_str().expect("text");
    run_command(&data, &["backup", copy]).await;
    let refused = run(&data, &["backup", copy]).await;
    assert!(!refused.status.success(), "there is one already");
    server.kill().await.expect("ends");
    let log = run_command(&data, &["audit", "list", "--json"]).await;
    let entries: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let of = |action: &str| -> Vec<&Value> { entries.iter().filter(|entry| entry["action"] == action).collect() };
    assert_eq!(of("sign_in_link_created").len(), 2, "the one of the first start, and another: {log}");
    assert!(of("sign_in_link_created").iter().all(|entry| entry["subject"].is_string()), "{log}");
    let (exported, copied) = (of("session_exported"), of("backup_created"));
    assert_eq!((exported.len(), &exported[0]["session"]), (1, &session.into()), "{log}");
    assert_eq!((copied.len(), &copied[0]["subject"]), (1, &copy.into()), "{log}");
    for entry in [exported, copied, of("sign_in_link_created")].concat() {
        assert_eq!(entry["actor"]["kind"], "terminal", "{log}");
    }
}

#[tokio::test]
async fn a_running_server_executes_redactions_of_the_cli_and_a_disabled_operator_gets_no_link() {
    let data = tempfile::tempdir().expect("makes a folder");
    let token = run_command(&data, &["token", "create", "--name", "Benedetta"]).await;
    let (mut server, address, _) = serve(&data).await;
    let me = server_role(&address, token.trim()).await;
    let ben = me["you"]["id"].as_str().expect("an id").to_owned();
    let requested = run_command(&data, &["redact", "participant", &ben, "--content"]).await;
    assert!(requested.contains("a running server redacts"), "{requested}");
    assert_eq!(server_role(&address, token.trim()).await["code"], "unauthenticated", "at once");
    assert!(!run_command(&data, &["participant", "list"]).await.contains("Benedetta"));
    for wrong in [
        ["redact", "participant", "u_00000000000000000000000000000001"],
        ["redact", "session", "s_0190f3c07a1b7c3d8e5f60718293a4b5"],
    ] {
        let refused = run(&data, &wrong).await;
        assert!(
            !refused.status.success() && text(&refused.stderr).contains("there is no"),
            "{}",
            text(&refused.stderr)
        );
    }
    run_command(&data, &["sign-in"]).await;
    let listed = run_command(&data, &["participant", "list"]).await;
    let operator = listed.lines().find(|line| line.contains("admin")).expect("the operator");
    let id = operator.split_whitespace().find(|word| word.starts_with("u_")).expect("an id");
    run_command(&data, &["participant", "disable", id]).await;
    let refused = run(&data, &["sign-in"]).await;
    assert!(text(&refused.stderr).contains("participant enable"), "{}", text(&refused.stderr));
    run_command(&data, &["participant", "enable", id]).await;
    assert!(run_command(&data, &["sign-in"]).await.contains("/sign-in#"));
    server.kill().await.expect("ends");
}
