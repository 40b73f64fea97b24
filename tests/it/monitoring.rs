//! Health and metrics for monitoring.

use std::collections::HashMap;
use std::process::Stdio;
use std::time::Duration;

use reqwest::{Method, StatusCode};
use roundtable::config::Config;
use roundtable::node::Node;
use roundtable::node_id::NodeId;
use roundtable::store::LiveNode;
use roundtable::telemetry;
use roundtable::tool::mcp::McpServerSettings;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;

use crate::command_line::{client, roundtable, run_command, start_with_metrics};
use crate::fresh_database::FreshDatabase;
use crate::server::{Server, with_timeout};

/// Returns all samples in a response, by name and labels.
fn samples(text: &str) -> HashMap<String, f64> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let sample = |line: &str| {
        let (name, value) = line.rsplit_once(' ').expect("a name and a value");
        (name.to_owned(), value.parse().expect("a number"))
    };
    lines.map(sample).collect()
}

/// Checks the Prometheus text format strictly: each family has its help and type once, before its samples; the samples
/// are contiguous and named as their type requires.
fn classic_format(text: &str) {
    let mut families: Vec<(String, String)> = vec![];
    let mut helped = None;
    for line in text.lines() {
        let words: Vec<&str> = line.splitn(4, ' ').collect();
        if let ["#", "HELP", name, help] = words[..] {
            assert!(!help.is_empty() && helped.is_none(), "{line}");
            helped = Some(name.to_owned());
        } else if let ["#", "TYPE", name, kind] = words[..] {
            assert_eq!(helped.take().as_deref(), Some(name), "help comes first: {line}");
            assert!(families.iter().all(|(known, _)| known != name), "twice: {line}");
            assert!(["counter", "gauge", "histogram"].contains(&kind), "{line}");
            assert_eq!(kind == "counter", name.ends_with("_total"), "{line}");
            families.push((name.to_owned(), kind.to_owned()));
        } else {
            assert!(!line.starts_with('#'), "no other comments, no end: {line}");
            let (name, value) = line.rsplit_once(' ').expect("a name and a value");
            value.parse::<f64>().expect("a number");
            let (family, kind) = families.last().expect("a type comes first");
            let name = name.split('{').next().expect("a name");
            let rest = name.strip_prefix(family.as_str()).unwrap_or_else(|| panic!("not of {family}: {line}"));
            let suffixes: &[&str] = if kind == "histogram" { &["_sum", "_count", "_bucket"] } else { &[""] };
            assert!(suffixes.contains(&rest), "{line}");
        }
    }
    assert!(families.len() > 30, "{families:?}");
}

/// Checks the text with Prometheus's own `promtool`, if it is installed (Debian package `prometheus`).
async fn promtool(text: &str) {
    let mut check = tokio::process::Command::new("promtool");
    check.args(["check", "metrics"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut check = match check.spawn() {
        Ok(check) => check,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return eprintln!("there is no promtool here"),
        Err(error) => panic!("promtool: {error}"),
    };
    let mut stdin = check.stdin.take().expect("is piped");
    stdin.write_all(text.as_bytes()).await.expect("is read");
    drop(stdin);
    let output = with_timeout(check.wait_with_output()).await.expect("ends");
    let printed = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert!(output.status.success() && printed.is_empty(), "{printed}");
}

#[tokio::test]
async fn metrics_count_a_run_and_name_nobody() {
    let data = tempfile::tempdir().expect("makes a folder");
    let token = run_command(&data, &["token", "create", "--name", "quillon"]).await;
    let mut serve = roundtable(&data, &["serve", "--listen", "127.0.0.1:0", "--set", "metrics_listen=127.0.0.1:0"]);
    serve.env("ROUNDTABLE_DEMO__TOKENS_PER_SECOND", "100000").stderr(Stdio::null());
    let (mut server, address, metrics) = start_with_metrics(&mut serve).await;
    let greeted = roundtable::clock::now().millis() / 1000;

    let body = json!({ "message": "test the xyzzy-77 machine" });
    let created = client().post(format!("{address}/api/v1/sessions")).bearer_auth(token.trim()).json(&body);
    let created: Value = with_timeout(created.send()).await.expect("answers").json().await.expect("JSON");
    let session = created["session"].as_str().expect("an id");
    let events = client().get(format!("{address}/api/v1/sessions/{session}/events")).bearer_auth(token.trim());
    let mut stream = crate::sse::SseReader::of(with_timeout(events.send()).await.expect("answers"));
    while stream.next().await.expect("goes on").data["event"] != "gate.opened" {}

    // Wait for the next second: the metrics must be correct regardless of the second in which they are first requested.
    while roundtable::clock::now().millis() / 1000 == greeted {
        with_timeout(client().get(format!("{address}/healthz")).send()).await.expect("answers");
    }
    let open_metrics = client().get(&metrics).header("accept", "application/openmetrics-text; version=1.0.0");
    let answer = with_timeout(open_metrics.send()).await.expect("answers");
    assert!(answer.headers()["content-type"].to_str().expect("text").starts_with("application/openmetrics-text"));
    let text = answer.text().await.expect("text");
    for hidden in [session, "xyzzy-77", "quillon", token.trim()] {
        assert!(!text.contains(hidden), "{hidden}");
    }
    for row in telemetry::rows().filter(|row| row.labels.is_empty()) {
        assert!(text.contains(&row.full_name()), "{} is not in {text}", row.full_name());
    }
    let names: Vec<String> = telemetry::rows().map(telemetry::MetricRow::full_name).collect();
    for line in text.lines().filter(|line| line.starts_with("# TYPE ")) {
        let name = line.split(' ').nth(2).expect("a name");
        assert!(names.iter().any(|known| known.trim_end_matches("_total") == name), "{name} is in no table");
    }
    let samples = samples(&text);
    let of = |name: &str| *samples.get(name).unwrap_or_else(|| panic!("no {name} in {text}"));
    let demo = "provider=\"demo\",model=\"demo\"";
    assert_eq!(of("roundtable_ready"), 1.0);
    assert_eq!(of("roundtable_lease_held"), 1.0, "a server on a file needs none");
    assert_eq!(of("roundtable_viewers"), 1.0);
    assert_eq!(of("roundtable_live_sessions"), 1.0);
    assert_eq!(of("roundtable_commands_total{result=\"ok\"}"), 2.0, "create and say");
    assert_eq!(of("roundtable_command_seconds_count"), 2.0);
    assert!(of("roundtable_events_total") > 5.0);
    assert_eq!(of("roundtable_events_total"), of("roundtable_frames_total{kind=\"event\"}"));
    assert!(of("roundtable_commit_seconds_count") >= 2.0);
    assert_eq!(of(&format!("roundtable_turns_total{{{demo},outcome=\"ok\"}}")), 2.0, "generator and reviewer");
    assert_eq!(of(&format!("roundtable_turn_first_token_seconds_count{{{demo}}}")), 2.0);
    assert!(of(&format!("roundtable_tokens_total{{{demo},direction=\"output\"}}")) > 100.0);
    let started = of("roundtable_process_start_time_seconds");
    assert!(started > 1.7e9 && started <= greeted as f64, "{started}, and it greeted at {greeted}");
    assert!(text.ends_with("# EOF\n"));

    for accept in ["*/*", "text/plain;version=0.0.4;q=1,application/openmetrics-text;q=0.5"] {
        let classic = with_timeout(client().get(&metrics).header("accept", accept).send()).await.expect("answers");
        assert_eq!(classic.headers()["content-type"], "text/plain; version=0.0.4; charset=utf-8", "{accept}");
        let classic = classic.text().await.expect("text");
        classic_format(&classic);
        promtool(&classic).await;
    }

    let hidden = with_timeout(client().get(format!("{address}/metrics")).send()).await.expect("answers");
    assert_eq!(hidden.status(), StatusCode::NOT_FOUND, "the public address has no metrics");
    server.kill().await.expect("ends");
}

#[tokio::test]
async fn a_node_without_its_database_is_not_ready() {
    let fresh = FreshDatabase::postgres().await;
    let server = Server::start_with(|config| {
        config.database_url = Some(fresh.url.clone());
        config.store.unready_seconds = 1;
        config.store.connect_ms = 100;
    })
    .await;
    let ask = async || server.request(Method::GET, "/readyz").send().await.expect("answers");
    let ready = crate::server::json(ask().await, StatusCode::OK).await;
    assert_eq!(ready, json!({ "ready": true, "degraded": false, "draining": false, "store": { "ok": true } }));

    fresh.drop_database().await;
    let unready = with_timeout(async {
        loop {
            let answer = ask().await;
            if answer.status() != StatusCode::OK {
                return answer;
            }
            tokio::task::yield_now().await;
        }
    });
    let body = crate::server::json(unready.await, StatusCode::SERVICE_UNAVAILABLE).await;
    assert_eq!((&body["ready"], &body["store"]["ok"]), (&json!(false), &json!(false)));
    assert!(body["store"]["since"].is_string() && body["store"]["reason"].is_string(), "{body}");
    let alive = server.request(Method::GET, "/healthz").send().await.expect("answers");
    assert_eq!(alive.status(), StatusCode::OK, "it lives, though");
}

#[tokio::test]
async fn a_node_with_unavailable_tools_works_and_reports_it() {
    let server = Server::start_with(|config| {
        let nowhere = McpServerSettings { command: "/nowhere/paint".into(), ..McpServerSettings::default() };
        config.tools.mcp.insert("paint".into(), nowhere);
    })
    .await;
    let answer = server.request(Method::GET, "/readyz").send().await.expect("answers");
    let ready = crate::server::json(answer, StatusCode::OK).await;
    assert_eq!((&ready["ready"], &ready["degraded"]), (&json!(true), &json!(true)));
    assert_eq!(ready["mcp"]["paint"]["ok"], false);
    assert!(!ready.to_string().contains("nowhere"), "who asks need not be known: {ready}");
}

#[tokio::test]
async fn a_node_with_a_read_only_database_is_not_ready_and_recovers_by_itself() {
    let fresh = FreshDatabase::postgres().await;
    let server = Server::start_with(|config| {
        config.database_url = Some(fresh.url.clone());
        config.store.unready_seconds = 1;
        config.cluster.lease_ms = 60_000;
    })
    .await;
    let ann = server.person("Ann", roundtable::identity::ServerRole::Member).await;
    let session = server.session(&ann, &json!({})).await;
    let path = format!("/api/v1/sessions/{session}");
    let say = json!({ "id": "c1", "do": "say", "data": { "text": "@people hello" } });
    let until = async |status: StatusCode| {
        while server.request(Method::GET, "/readyz").send().await.expect("answers").status() != status {
            tokio::task::yield_now().await;
        }
    };
    let before = server.get(&ann, &format!("{path}/log")).await;

    fresh.set_writable(false).await;
    let (status, refused) = server.post(&ann, &format!("{path}/commands"), &say).await;
    assert_eq!((status, &refused["code"]), (StatusCode::SERVICE_UNAVAILABLE, &json!("store_unavailable")), "{refused}");
    assert!(refused["retry_after_ms"].is_u64(), "{refused}");
    with_timeout(until(StatusCode::SERVICE_UNAVAILABLE)).await;
    assert_eq!(server.get(&ann, &format!("{path}/log")).await, before, "it can be read, and nothing more is there");

    fresh.set_writable(true).await;
    with_timeout(until(StatusCode::OK)).await;
    let (status, taken) = server.post(&ann, &format!("{path}/commands"), &say).await;
    assert_eq!(status, StatusCode::OK, "{taken}");
    assert_ne!(server.get(&ann, &format!("{path}/log")).await, before);
}

#[tokio::test]
async fn a_node_that_another_one_cannot_hear_reports_it() {
    let fresh = FreshDatabase::postgres().await;
    let (leases, lives) = (fresh.open().await.leases, Duration::from_secs(600));
    let earlier = LiveNode { node: NodeId::fresh(), name: "old".into(), version: "1".into(), bus: None };
    leases.renew(&earlier, lives).await.expect("lives");
    let server = Server::start_with(|config| config.database_url = Some(fresh.url.clone())).await;
    let until = async |degraded: bool| loop {
        let answer = server.request(Method::GET, "/readyz").send().await.expect("answers");
        let body = crate::server::json(answer, StatusCode::OK).await;
        if body["degraded"] == degraded {
            return body;
        }
        tokio::task::yield_now().await;
    };
    with_timeout(until(false)).await;
    let other = LiveNode { node: NodeId::fresh(), bus: Some("elsewhere".into()), ..earlier };
    leases.renew(&other, lives).await.expect("lives");
    let body = with_timeout(until(true)).await;
    assert_eq!((&body["ready"], &body["bus"]["ok"]), (&json!(true), &json!(false)), "{body}");
    assert!(body["bus"]["reason"].as_str().expect("text").contains("redis_url") && body["bus"]["since"].is_string());
    leases.end(other.node).await.expect("ends");
    assert!(with_timeout(until(false)).await["bus"].is_null());
}

#[tokio::test]
async fn nodes_on_different_redis_servers_report_it() {
    let (fresh, other) = (FreshDatabase::postgres().await, servers::redis::Server::start(&[]));
    let settings = |url: String| {
        let fresh = &fresh;
        move |config: &mut Config| {
            config.database_url = Some(fresh.url.clone());
            config.redis_url = Some(url);
            (config.cluster.lease_ms, config.cluster.renew_ms) = (600, 100);
        }
    };
    let one = Server::start_with(settings(servers::redis::shared())).await;
    let two = Server::start_with(settings(other.url())).await;
    for server in [&one, &two] {
        let apart = async {
            loop {
                let answer = server.request(Method::GET, "/readyz").send().await.expect("answers");
                let body = crate::server::json(answer, StatusCode::OK).await;
                if body["bus"]["reason"].as_str().is_some_and(|reason| reason.contains("names the same Redis")) {
                    return body;
                }
                tokio::task::yield_now().await;
            }
        };
        let body = with_timeout(apart).await;
        assert_eq!((&body["degraded"], &body["bus"]["ok"]), (&json!(true), &json!(false)), "{body}");
    }
}

#[tokio::test]
async fn a_node_does_not_start_beside_one_that_would_not_hear_it() {
    let fresh = FreshDatabase::postgres().await;
    let server = Server::start_with(|config| {
        config.database_url = Some(fresh.url.clone());
        config.cluster.lease_ms = 60_000;
    })
    .await;
    let mut config = server.node.config.clone();
    // Limits how long this node waits for a node that might be dead.
    config.cluster.lease_ms = 300;
    let started = Node::start(config, ([127, 0, 0, 1], 8080).into()).await;
    let refused = started.err().expect("has no way to the first").to_string();
    assert!(refused.contains("redis_url") && refused.contains("uses this database but another bus"), "{refused}");
}
