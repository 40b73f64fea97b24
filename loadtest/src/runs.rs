//! Many runs at once, each streaming to a few viewers.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use parking_lot::Mutex;
use serde_json::json;
use tokio::task::JoinSet;

use crate::report::{Report, latencies};
use crate::server::post;
use crate::viewer::Viewer;
use crate::{Runs, clock, fanout, machine};

/// Each run streams tokens that say when they were sent; every viewer notes how late each one is.
pub async fn measure(load: &Runs, target: Option<(String, String)>) -> anyhow::Result<Report> {
    anyhow::ensure!(target.is_none(), "the server must use the model that says when: leave --url out");
    let tokens = load.rate * load.seconds;
    let model = clock::serve(load.rate, tokens).await?;
    let folder = tempfile::tempdir()?;
    let settings = [
        ("ONLY_DEMO_MODEL", "false".to_owned()),
        ("PROVIDERS__DEFAULT", "clock/clock".to_owned()),
        ("PROVIDERS__NAMED__CLOCK__BASE_URL", model),
        ("PROVIDERS__NAMED__CLOCK__CONCURRENCY", "4096".to_owned()),
    ];
    let (server, address, token) = fanout::reach_with(folder.path(), None, &settings).await?;
    let server = server.context("no server")?;
    let histogram = Arc::new(Mutex::new(latencies()));
    let mut readers = JoinSet::new();
    let mut sessions = Vec::new();
    for run in 0..load.runs {
        let wanted = json!({ "title": format!("Run {run}"), "language": "en" });
        let created = post(&address, &token, "/api/v1/sessions", &wanted).await?;
        let session = created["session"].as_str().context("no session")?.to_owned();
        for _ in 0..load.viewers {
            let mut viewer = Viewer::joined(&address, &token, &session, None).await?;
            let histogram = histogram.clone();
            readers.spawn(async move {
                loop {
                    viewer.read(&mut |frame| note(frame, &histogram)).await?;
                }
                #[allow(unreachable_code, reason = "tells the type of its error")]
                anyhow::Ok(())
            });
        }
        sessions.push(session);
    }
    let cpu = machine::cpu_seconds(server.pid)?;
    let begun = std::time::Instant::now();
    for session in &sessions {
        let path = format!("/api/v1/sessions/{session}/commands");
        let command = json!({ "id": "c_start", "do": "say", "data": { "text": "What time is it? @all" } });
        post(&address, &token, &path, &command).await?;
    }
    // All are under way; listen until the first would be done with its first answer.
    tokio::select! {
        () = tokio::time::sleep(Duration::from_secs(load.seconds)) => {}
        Some(ended) = readers.join_next() => ended?.context("a viewer was cut off")?,
    }
    let seconds = begun.elapsed().as_secs_f64();
    let cpu = machine::cpu_seconds(server.pid)? - cpu;
    let histogram = histogram.lock().clone();
    let mut report = Report { scenario: "runs", ..Report::default() };
    report.latencies(&histogram);
    report.deliveries_per_s = Some(histogram.len() as f64 / seconds);
    report.cpu_s_per_million = Some(cpu / (histogram.len() as f64 / 1e6));
    let wanted = load.runs * load.viewers * load.rate;
    report.notes.push(format!(
        "{} runs at {} tokens a second with {} viewers each ({wanted} deliveries a second), from the model's sending to \
         the viewer; the server used {:.0} % of a core",
        load.runs,
        load.rate,
        load.viewers,
        cpu / seconds * 100.0
    ));
    server.stop().await?;
    Ok(report)
}

/// Deltas alone: the message that ends an item holds all moments again.
fn note(frame: &[u8], histogram: &Mutex<hdrhistogram::Histogram<u64>>) {
    if frame.starts_with(b"{\"type\":\"delta\"") {
        fanout::note(frame, histogram);
    }
}
