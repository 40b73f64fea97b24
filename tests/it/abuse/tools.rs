//! Agents whose calls cost as much as calls can: patterns made to be slow, programs made to fill the machine.

use std::fs;
use std::path::Path;

use reqwest::Client;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::Bystander;
use crate::server::soon;
use crate::sse::Stream;

/// Sessions of the abuser.
const SESSIONS: usize = 4;

/// Calls in each of them.
const CALLS: usize = 16;

/// A configuration file with a code base whose lines are as slow to search as lines can be.
fn configuration(folder: &TempDir) -> String {
    let code = folder.path().join("code");
    fs::create_dir(&code).expect("makes it");
    for file in 0..8 {
        fs::write(code.join(format!("{file}.txt")), "abcdefgh".repeat(100_000)).expect("writes");
    }
    let settings = format!(
        "[tools.code]\nbases = {{ app = {{ path = {code:?} }} }}\nseconds = 2\n\n[tools.python]\nseconds = 3\n"
    );
    let path = folder.path().join("roundtable.toml");
    fs::write(&path, settings).expect("writes");
    text(&path)
}

fn text(path: &Path) -> String {
    path.to_str().expect("text").to_owned()
}

/// Let agents of some sessions make this call, sixteen times each, and see what the bystander feels while they run.
async fn abused(tool: &str, arguments: Value, memory_bytes: u64) {
    let folder = tempfile::tempdir().expect("makes a folder");
    // Calls begin when the model has written all of them: the script as it is, and soon.
    let settings = [
        ("ROUNDTABLE_CONFIG", &*configuration(&folder)),
        ("ROUNDTABLE_DEMO__TOKENS", "0"),
        ("ROUNDTABLE_DEMO__SPEED", "240"),
    ];
    let server = super::server(&settings).await;
    let token = super::token(&server, "abuser", "member").await;
    let url = format!("{}/api/v1/sessions", server.url);
    let http = Client::builder().no_proxy().build().expect("a client");
    let message = vec![format!("/tool {tool} {arguments}"); CALLS].join("\n");
    for _ in 0..SESSIONS {
        let wish = json!({ "team": "assistant-en", "message": message });
        let answer = http.post(&url).bearer_auth(&token).json(&wish).send().await.expect("answers");
        let begun: Value = answer.error_for_status().expect("is begun").json().await.expect("JSON");
        let events = format!("{url}/{}/events", begun["session"].as_str().expect("an id"));
        let mut events = Stream::of(http.get(events).bearer_auth(&token).send().await.expect("answers"));
        // The others wait for their places.
        while soon(events.next()).await.expect("goes on").data["event"] != "tool.started" {}
    }
    let felt = Bystander::on(server).await.endure(async {}).await;
    felt.is_bearable(memory_bytes);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn patterns_that_are_made_to_be_slow_disturb_nobody() {
    // 4,026 states, nearly all of them in use at each byte.
    abused("code_search", json!({ "pattern": r"(?-u)(?:.{0,100}[a-h]){20}\d" }), 128 << 20).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn programs_that_fork_fill_memory_and_leave_forty_thousand_files_disturb_nobody() {
    let code = "import os\nfor n in range(40000): open(f'{n:05}' + 'x' * 200, 'w').close()\n\
                for _ in range(100):\n    try:\n        os.fork()\n    except OSError:\n        break\n\
                held = bytearray(64 << 20)\nwhile True: pass\n";
    abused("python", json!({ "code": code }), 128 << 20).await;
}
