//! The commands of docs/security.md that check a server.

use std::time::Duration;

use super::server::ServerProcess;

const PAGE: &str = include_str!("../../../docs/security.md");

#[tokio::test(flavor = "multi_thread")]
async fn the_commands_give_the_documented_statuses() {
    let section = PAGE.split("\n## Check your server\n").nth(1).expect("the section is there");
    let script = section.split("```sh\n").nth(1).and_then(|rest| rest.split("```").next()).expect("has commands");
    let expected: Vec<&str> = script
        .lines()
        .filter_map(|line| line.strip_prefix("code ")?.rsplit_once("# "))
        .map(|(_, status)| status.trim())
        .collect();
    assert!(expected.len() >= 10, "{expected:?}");
    let server = ServerProcess::start(&[]).await;
    let script = script.replace("server=http://127.0.0.1:8080", &format!("server={}", server.url));
    let script = format!("set -euo pipefail\n{script}");
    let ran = tokio::time::timeout(Duration::from_secs(60), server.shell(&script)).await.expect("ends in time");
    let (stdout, stderr) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success(), "{stdout}\n{stderr}");
    let statuses: Vec<&str> = stdout.lines().filter(|line| line.parse::<u16>().is_ok()).collect();
    assert_eq!(statuses, expected, "{stdout}\n{stderr}");
}
