//! A Python client that knows only the specification of the `teams` door exercises every endpoint, event and error.

use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;

use super::server::ServerProcess;

/// Path of the client, which needs no packages.
const CLIENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/teams/play.py");
const WITHIN: Duration = Duration::from_secs(300);

#[tokio::test(flavor = "multi_thread")]
async fn a_client_based_on_the_specification_uses_every_endpoint() {
    // A paused execution sends a heartbeat within a second instead of half a minute.
    let played = play(&[("ROUNDTABLE_TEAMS__HEARTBEAT_SECONDS", "1")], &[]).await;
    assert!(played.len() > 50, "{played:?}");
    assert!(played.iter().any(|line| line.contains(" heartbeat ")), "{played:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_based_on_the_specification_sees_the_errors_of_a_broken_model() {
    let scenario = "stream_with_a_broken_model";
    let played = play(&[("ROUNDTABLE_DEMO__FAULT", "401")], &["--only", scenario, "--broken-model", "demo"]).await;
    assert!(played.len() == 1 && played[0].contains(scenario), "{played:?}");
}

/// Runs the client against a server with these settings. Returns a line for each scenario that ran.
async fn play(settings: &[(&'static str, &'static str)], arguments: &[&str]) -> Vec<String> {
    let demo = [("ROUNDTABLE_DEMO__TOKENS_PER_SECOND", "0"), ("ROUNDTABLE_DEMO__DELAY_MS", "0")];
    let server = ServerProcess::start(&[&demo, settings].concat()).await;
    let ann = server.command(&["token", "create", "--name", "ann", "--role", "member"]).await;
    let ben = server.command(&["token", "create", "--name", "ben", "--role", "member"]).await;
    let mut client = Command::new("python3");
    client.args([CLIENT, &server.url, &ann, &ben]).args(arguments).env("PYTHONDONTWRITEBYTECODE", "1");
    let played = client.stdin(Stdio::null()).kill_on_drop(true).output();
    let played = tokio::time::timeout(WITHIN, played).await.expect("ends in time").expect("runs");
    let (lines, errors) = (String::from_utf8_lossy(&played.stdout), String::from_utf8_lossy(&played.stderr));
    let failed: Vec<&str> = lines.lines().filter(|line| !line.starts_with("ok ")).collect();
    assert!(played.status.success(), "{}\n{errors}", failed.join("\n"));
    lines.lines().filter(|line| line.starts_with("ok ")).map(str::to_owned).collect()
}
