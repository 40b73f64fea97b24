//! Members whose every request adds an entry to the audit log.

use std::convert::Infallible;

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use super::{AbuseCounter, LatencyProbe, http, run_concurrently};

/// Number of concurrent members.
const MEMBERS: usize = 4;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_of_audit_entries_does_not_slow_others() {
    let mut probe = LatencyProbe::start(&[]).await;
    let (url, admin) = (probe.server.url.clone(), probe.server.token.clone());
    let mut members = vec![];
    for number in 0..MEMBERS {
        let token = probe.token(&format!("member {number}"), "member").await;
        members.push((probe.server.create_as(&token).await, token));
    }
    let flood = |counter: AbuseCounter| {
        let url = url.clone();
        run_concurrently(
            members.into_iter().map(move |(session, token)| fill(url.clone(), session, token, counter.clone())),
        )
    };
    let measurement = probe.measure_during(flood).await;
    measurement.assert_within_limits(64 << 20);
    let entries = http().get(format!("{url}/api/v1/audit?action=link_created&limit=100")).bearer_auth(admin);
    let entries: Value = entries.send().await.expect("answers").json().await.expect("JSON");
    assert_eq!(entries["entries"].as_array().map(Vec::len), Some(100), "they did leave entries");
}

/// Creates and revokes links, and requests the audit log, which is forbidden to members. Each request adds one entry.
async fn fill(url: String, session: String, token: String, counter: AbuseCounter) -> Infallible {
    let http = http();
    let ask = async |method: Method, path: String, body: Value| {
        let request = http.request(method, format!("{url}/api/v1/{path}")).bearer_auth(&token).json(&body);
        let status = request.send().await.expect("answers").status();
        counter.count_response(status);
        status
    };
    let links = format!("sessions/{session}/invites");
    loop {
        ask(Method::POST, links.clone(), json!({ "role": "viewer" })).await;
        ask(Method::DELETE, links.clone(), json!({})).await;
        let refused = ask(Method::GET, "audit".into(), json!({})).await;
        assert!(matches!(refused, StatusCode::FORBIDDEN | StatusCode::TOO_MANY_REQUESTS), "{refused}");
    }
}
