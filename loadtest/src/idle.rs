//! Memory cost of an idle viewer.

use std::time::Duration;

use clap::Args;

use crate::data::{Data, require_own_server};
use crate::machine;
use crate::report::Report;
use crate::server::{Server, session};
use crate::watching_client::WatchingClient;

/// Size of the scenario.
#[derive(Args)]
pub struct Idle {
    /// Viewers of one session. Each uses an open file in the server and one in this program.
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u64).range(10..=90_000))]
    pub viewers: u64,
}

/// Viewers that join first and are not counted, so that one-time allocations of the server are not attributed to
/// viewers.
const FIRST: u64 = 20;

/// Generous estimate of the open files that the server or this program uses for anything other than viewers.
const OTHER_FILES: u64 = 100;

/// Measures the memory of the server before and after the viewers join.
pub async fn measure(load: &Idle, target: Option<(String, String)>) -> anyhow::Result<Report> {
    require_own_server(target.as_ref(), "memory is measured in a process of our own")?;
    machine::check_open_files(load.viewers + FIRST + OTHER_FILES)?;
    let data = Data::sqlite()?;
    let token = data.administrator().await?;
    // Viewers do not respond to pings while others connect. With a shorter interval, the server would disconnect the
    // first viewers before the last one has joined.
    let settings = [("SOCKET__MAX_CONNECTIONS", "100000".to_owned()), ("SOCKET__PING_SECONDS", "3600".to_owned())];
    let (server, address) = Server::real(&data, &settings).await?;
    let session = session(&address, &token, "Idle").await?;
    let mut viewers = WatchingClient::connect_many(&address, &token, &session, FIRST).await?;
    let before = settled_memory_kib(server.pid).await?;
    for _ in 0..load.viewers {
        let mut viewer = WatchingClient::connect_and_join(&address, &token, &session, None).await?;
        viewer.wait_for("caught_up").await?;
        viewers.push(viewer);
    }
    let after = settled_memory_kib(server.pid).await?;
    let notes = vec![format!("{} viewers of one session, {before:.0} KiB before, {after:.0} KiB after", load.viewers)];
    server.stop().await?;
    Ok(Report {
        scenario: "idle",
        kib_per_idle_viewer: Some((after - before) / load.viewers as f64),
        resident_mib: Some(after / 1024.0),
        notes,
        ..Report::default()
    })
}

/// Returns the memory of the server once it no longer changes.
pub async fn settled_memory_kib(pid: u32) -> anyhow::Result<f64> {
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
