//! The commands of docs/teams.md that lead from a topology to a structured result.

use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;

use super::server::ServerProcess;

const PAGE: &str = include_str!("../../../docs/teams.md");

/// Returns the commands of a section, in order.
fn commands(section: &str) -> String {
    let section = PAGE.split(&format!("\n## {section}\n")).nth(1).expect("the section is there");
    let section = section.split("\n## ").next().unwrap_or_default();
    let blocks = section.split("```sh\n").skip(1);
    blocks.map(|block| block.split("```").next().unwrap_or_default()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_commands_lead_from_a_topology_to_a_structured_result() {
    let demo = [("ROUNDTABLE_DEMO__TOKENS_PER_SECOND", "0"), ("ROUNDTABLE_DEMO__DELAY_MS", "0")];
    let server = ServerProcess::start(&demo).await;
    let token = server.command(&["token", "create", "--name", "Ann", "--role", "member"]).await;
    let folder = tempfile::tempdir().expect("makes a folder");
    let script = format!(
        "set -euo pipefail\n{}\n{}",
        commands("Teams from a topology"),
        commands("From a task to a structured result")
    );
    let mut shell = Command::new("bash");
    shell.args(["-c", &script]).current_dir(folder.path()).env("server", &server.url).env("token", &token);
    let ran = shell.stdin(Stdio::null()).kill_on_drop(true).output();
    let ran = tokio::time::timeout(Duration::from_secs(60), ran).await.expect("ends in time").expect("runs");
    let (stdout, stderr) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success(), "{stdout}\n{stderr}");
    let marks =
        [r#""status":"valid""#, "event: execution_start", "event: execution_complete", r#""status": "success""#];
    let more = [r#""node_id": "db""#, r#""severity": "#];
    for mark in marks.into_iter().chain(more) {
        assert!(stdout.contains(mark), "{mark}: {stdout}");
    }
}
