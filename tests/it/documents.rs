//! The source documents, each exercised by a Python program that knows only the document.

use std::num::NonZeroU32;
use std::process::Stdio;

use roundtable::agent::teams::builtin_teams;
use roundtable::config::Config;
use roundtable::identity::ServerRole;
use roundtable::limits::RateLimit;
use roundtable::tool::code::{CodeBaseSettings, CodeReaderRole};
use serde_json::json;
use tokio::process::Command;

use crate::door_orchestrator::create_bases;
use crate::server::Server;

/// Runs the program of a document against this server. If the program fails, the panic message contains its output.
/// Further servers and arguments are passed to the program by name: `faulty=http://127.0.0.1:1234`.
async fn run_program(document: &str, server: &Server, others: &[(&str, &str)]) {
    let program = format!("{}/tests/documents/{document}.py", env!("CARGO_MANIFEST_DIR"));
    let mut command = Command::new("python3");
    let command = command.arg(&program).arg(&server.url).stdin(Stdio::null()).kill_on_drop(true);
    let others = others.iter().map(|(name, value)| format!("{name}={value}"));
    let output = command.args(others).output().await.expect("python3 is there");
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && stdout.ends_with("played\n"),
        "{stdout}{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Starts a server with rate limits that are too high to reach, because responses arrive as fast as they are read, and
/// the programs send more requests than a person would.
pub async fn server() -> Server {
    server_with(|_| {}).await
}

/// Starts the same server with other settings, for example small limits.
async fn server_with(settings: impl FnOnce(&mut Config)) -> Server {
    let many = NonZeroU32::new(1_000).expect("not zero");
    Server::start_with(|config: &mut Config| {
        let pace = RateLimit { burst: many, per_second: many };
        (
            config.rate_limits.chat,
            config.rate_limits.request,
            config.rate_limits.expensive,
            config.rate_limits.address,
        ) = (pace, pace, pace, pace);
        config.http.keep_alive_seconds = 1;
        // Only connected readers receive fragments, so agents must not start to write before the streams start.
        config.demo.delay_ms = config.demo.delay_ms.max(100);
        // Callers are guests here, and one document runs programs.
        (config.tools.python.enabled, config.tools.python.guests) = (true, true);
        let mut shop = CodeBaseSettings::from(format!("{}/tests/documents/shop", env!("CARGO_MANIFEST_DIR")));
        shop.readers.role = CodeReaderRole::Guest;
        config.tools.code.bases.insert("shop".into(), shop);
        settings(config);
    })
    .await
}

/// Starts the same server with these models for agents of built-in teams, for example
/// `("brain-zh", "testcase", "demo-fast?fault=401")`.
pub async fn server_with_models(models: &[(&str, &str, &str)]) -> Server {
    let text = |team: &str| {
        let given = models.iter().filter(|(named, ..)| *named == team);
        given.fold(builtin_teams::text(team).expect("is built in").to_owned(), |text, (_, agent, model)| {
            let id = format!("id = \"{agent}\"\n");
            assert!(text.contains(&id), "{team} has an agent {agent}");
            text.replace(&id, &format!("{id}model = \"{model}\"\n"))
        })
    };
    server_with_teams(models.iter().map(|(team, ..)| (*team, text(team)))).await
}

/// Starts the same server with these teams instead of the built-in ones.
pub async fn server_with_teams<'a>(teams: impl IntoIterator<Item = (&'a str, String)>) -> Server {
    let folder = tempfile::tempdir().expect("makes a folder");
    for (name, text) in teams {
        std::fs::write(folder.path().join(format!("{name}.toml")), text).expect("writes");
    }
    server_with(|config| config.teams.folder = Some(folder.path().to_owned())).await
}

#[tokio::test]
async fn orchestrator_follows_its_document() {
    let (server, faulty, slow) = (
        server().await,
        server_with_models(&[("brain-zh", "requirement", "demo-fast?fault=401")]).await,
        server_with_models(&[("brain-zh", "testcase", "demo-fast?delay_ms=500")]).await,
    );
    let ann = create_bases(&server).await;
    run_program("orchestrator", &server, &[("faulty", &faulty.url), ("slow", &slow.url), ("token", &ann.token)]).await;
}

#[tokio::test]
async fn analyze_follows_its_document() {
    let code = tempfile::tempdir().expect("makes a folder");
    std::fs::write(code.path().join("login.rs"), "fn login() {}\n").expect("writes");
    let removed = server_with(|config| {
        let mut shop = CodeBaseSettings::from(code.path().to_owned());
        shop.readers.role = CodeReaderRole::Guest;
        config.tools.code.bases.insert("shop".into(), shop);
    })
    .await;
    code.close().expect("removes it");
    let faulty = server_with_models(&[("investigator-zh", "Investigator", "demo-fast?fault=401")]).await;
    let server = server().await;
    let member = server.person("Member", ServerRole::Member).await;
    let settings = json!({ "max_steps_per_run": 3, "code": ["shop"] });
    let limited =
        server.session(&member, &json!({ "team": "investigator-zh", "settings": settings })).await.to_string();
    let others: [(&str, &str); 4] =
        [("faulty", &faulty.url), ("removed", &removed.url), ("token", &member.token), ("limited", &limited)];
    run_program("analyze", &server, &others).await;
}

#[tokio::test]
async fn team_chat_follows_its_document() {
    let faulty = server_with_models(&[
        ("testcase-zh", "TestCase_Reviewer", "demo-fast?fault=500&fault_times=1"),
        ("testcase-zh", "TestCase_Optimizer", "demo-fast?fault=401&fault_times=1"),
    ]);
    let slow = server_with_models(&[("testcase-zh", "TestCase_Generator", "demo-fast?delay_ms=500")]);
    let (faulty, slow) = (faulty.await, slow.await);
    let generator = |number: u32| {
        format!(
            "[[agents]]\nid = \"Generator_{number}\"\nname = \"Generator_{number}\"\nrole = \"generator\"\nprompt = \"写用例\"\n"
        )
    };
    let many = (2..=19)
        .map(generator)
        .fold(builtin_teams::text("testcase-zh").expect("is built in").to_owned(), |text, more| text + &more);
    let crowded = server_with_teams([("testcase-zh", many)]).await;
    let server = server().await;
    let member = server.person("Member", ServerRole::Member).await;
    let others = [("faulty", &faulty.url), ("slow", &slow.url), ("crowded", &crowded.url), ("token", &member.token)];
    run_program("team_chat", &server, &others.map(|(name, value)| (name, value.as_str()))).await;
}

#[tokio::test]
async fn auto_agent_follows_its_document() {
    let faulty = server_with_models(&[("assistant-zh", "Assistant", "demo-fast?fault=401")]).await;
    let silent = server_with_models(&[("assistant-zh", "Assistant", "demo-fast?hold_after_tokens=0")]).await;
    run_program("auto_agent", &server().await, &[("faulty", &faulty.url), ("silent", &silent.url)]).await;
}
