//! What a viewer costs that only waits.

use std::time::Duration;

use anyhow::Context;
use serde_json::json;

use crate::report::Report;
use crate::server::post;
use crate::viewer::Viewer;
use crate::{Idle, fanout, machine};

/// Viewers that come first and are not counted: what the server sets up once must not look like theirs.
const FIRST: u64 = 20;

/// Memory of the server before and after.
pub async fn measure(load: &Idle, target: Option<(String, String)>) -> anyhow::Result<Report> {
    anyhow::ensure!(target.is_none(), "memory is read off a process of our own: leave --url out");
    let folder = tempfile::tempdir()?;
    let (server, address, token) = fanout::reach(folder.path(), None).await?;
    let server = server.context("no server")?;
    let created = post(&address, &token, "/api/v1/sessions", &json!({ "title": "Idle" })).await?;
    let session = created["session"].as_str().context("no session")?;
    let mut viewers = Vec::new();
    for _ in 0..FIRST {
        viewers.push(Viewer::joined(&address, &token, session, None).await?);
    }
    let before = settled(server.pid).await?;
    for _ in 0..load.viewers {
        let mut viewer = Viewer::joined(&address, &token, session, None).await?;
        viewer.until("caught_up").await?;
        viewers.push(viewer);
    }
    let after = settled(server.pid).await?;
    let notes = vec![format!("{} viewers of one session, {before:.0} KiB before, {after:.0} KiB after", load.viewers)];
    server.stop().await?;
    Ok(Report {
        scenario: "idle",
        kib_per_idle_viewer: Some((after - before) / load.viewers as f64),
        notes,
        ..Report::default()
    })
}

/// The server's memory when it no longer changes.
async fn settled(pid: u32) -> anyhow::Result<f64> {
    let mut last = machine::resident_kib(pid)?;
    for _ in 0..20 {
        tokio::time::sleep(Duration::from_millis(500)).await;
        let now = machine::resident_kib(pid)?;
        if (now - last).abs() < 8.0 {
            return Ok(now);
        }
        last = now;
    }
    Ok(last)
}
