//! A Python client that knows only the specification of the door `teams` exercises every endpoint, event and error.

use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;

use super::server::ServerProcess;

/// The client. It needs no packages.
const CLIENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/teams/play.py");
const WITHIN: Duration = Duration::from_secs(300);

#[tokio::test(flavor = "multi_thread")]
async fn a_client_based_on_the_specification_uses_every_endpoint() {
    let demo = [("ROUNDTABLE_DEMO__TOKENS_PER_SECOND", "0"), ("ROUNDTABLE_DEMO__DELAY_MS", "0")];
    let server = ServerProcess::start(&demo).await;
    let ann = server.command(&["token", "create", "--name", "ann", "--role", "member"]).await;
    let ben = server.command(&["token", "create", "--name", "ben", "--role", "member"]).await;
    let mut client = Command::new("python3");
    // A heartbeat arrives after half a minute; `doors::sse` tests it in virtual time.
    client.args([CLIENT, &server.url, &ann, &ben, "--skip", "heartbeat"]).env("PYTHONDONTWRITEBYTECODE", "1");
    let played = client.stdin(Stdio::null()).kill_on_drop(true).output();
    let played = tokio::time::timeout(WITHIN, played).await.expect("ends in time").expect("runs");
    let (lines, errors) = (String::from_utf8_lossy(&played.stdout), String::from_utf8_lossy(&played.stderr));
    let failed: Vec<&str> = lines.lines().filter(|line| !line.starts_with("ok ")).collect();
    assert!(played.status.success(), "{}\n{errors}", failed.join("\n"));
    assert!(lines.lines().filter(|line| line.starts_with("ok ")).count() > 50, "{lines}");
}
