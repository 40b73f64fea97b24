//! Agents whose calls cost as much as possible: patterns designed to be slow, and programs designed to exhaust the
//! machine.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::LatencyProbe;
use super::agents::{AgentCallFlood, SETTINGS};

/// Writes a configuration file with a code base whose lines are as slow to search as possible, and returns its path.
fn configuration(folder: &TempDir) -> String {
    let code = folder.path().join("code");
    fs::create_dir(&code).expect("makes it");
    for file in 0..8 {
        fs::write(code.join(format!("{file}.txt")), "abcdefgh".repeat(100_000)).expect("writes");
    }
    let settings = format!(
        "[tools.code]\nbases = {{ app = {{ path = {code:?} }} }}\ntimeout_seconds = 2\n\n[tools.python]\ntimeout_seconds = 3\n"
    );
    let path = folder.path().join("roundtable.toml");
    fs::write(&path, settings).expect("writes");
    text(&path)
}

fn text(path: &Path) -> String {
    path.to_str().expect("text").to_owned()
}

/// Makes agents of several sessions repeat this call, and measures the impact on the probe.
async fn measure_calls(tool: &str, arguments: Value, memory_bytes: u64) {
    let folder = tempfile::tempdir().expect("makes a folder");
    let configuration = configuration(&folder);
    let settings = [&SETTINGS[..], &[("ROUNDTABLE_CONFIG", &*configuration)]].concat();
    let server = super::server(&settings).await;
    let calls = AgentCallFlood::of(&server, &format!("{tool} {arguments}")).await;
    let measurement =
        LatencyProbe::on(server).await.measure_during(|counter| calls.run_forever(|_| true, counter)).await;
    measurement.assert_within_limits(memory_bytes);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slow_search_patterns_do_not_slow_others() {
    // 4,026 states, nearly all of them active at each byte.
    measure_calls("code_search", json!({ "pattern": r"(?-u)(?:.{0,100}[a-h]){20}\d" }), 128 << 20).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn programs_that_exhaust_the_machine_do_not_slow_others() {
    let code = "import os\nfor n in range(40000): open(f'{n:05}' + 'x' * 200, 'w').close()\n\
                for _ in range(100):\n    try:\n        os.fork()\n    except OSError:\n        break\n\
                held = bytearray(64 << 20)\nwhile True: pass\n";
    measure_calls("python", json!({ "code": code }), 128 << 20).await;
}
