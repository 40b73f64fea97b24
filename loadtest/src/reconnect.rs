//! Everybody comes back at once, as after a node was replaced or a network was away: how long until all are served, and
//! how much of the database it takes.

use std::time::Instant;

use anyhow::{Context, ensure};
use roundtable::feed::frame;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::report::{Report, latencies};
use crate::viewer::{Viewer, seq};
use crate::{Reconnect, fanout, join};

/// Time from the moment when all are cut off until each has what it missed.
pub async fn measure(load: &Reconnect, target: Option<(String, String)>) -> anyhow::Result<Report> {
    ensure!(target.is_none(), "a long log can be laid only into a server of our own: leave --url out");
    let folder = tempfile::tempdir()?;
    let events = load.missed + 1000;
    let session = join::fill(folder.path(), events).await?;
    let settings = [("METRICS_LISTEN", "127.0.0.1:0".to_owned())];
    let (server, address, token) = fanout::reach_with(folder.path(), None, &settings).await?;
    let mut server = server.context("no server")?;
    let metrics = loop {
        let line = server.line().await?;
        if let Some((_, rest)) = line.split_once("Metrics are at http://") {
            break rest.trim_end_matches("/metrics").to_owned();
        }
    };
    let mut viewers = vec![];
    for _ in 0..load.viewers {
        let mut viewer = Viewer::joined(&address, &token, &session, None).await?;
        let caught_up = viewer.until("caught_up").await?;
        viewer.seq = caught_up["through"].as_u64().context("no seq")?;
        viewers.push(viewer);
    }
    let stale = viewers.first().map_or(0, |viewer| viewer.seq).saturating_sub(load.missed);
    let before = Reads::of(&metrics).await?;
    drop(viewers);
    let begun = Instant::now();
    let mut coming = JoinSet::new();
    for _ in 0..load.viewers {
        let (address, token, session, missed) = (address.clone(), token.clone(), session.clone(), load.missed);
        coming.spawn(async move {
            come_back(&address, &token, &session, stale, missed).await.map(|viewer| (viewer, begun.elapsed()))
        });
    }
    let (mut histogram, mut back) = (latencies(), vec![]);
    while let Some(one) = coming.join_next().await {
        let (viewer, elapsed) = one?.context("a viewer was not served")?;
        histogram.saturating_record(u64::try_from(elapsed.as_nanos())?);
        // They stay, as people do.
        back.push(viewer);
    }
    let seconds = begun.elapsed().as_secs_f64();
    let after = Reads::of(&metrics).await?;
    let mut report = Report { scenario: "reconnect", join_ms: Some(seconds * 1e3), ..Report::default() };
    report.latencies(&histogram);
    report.notes.push(format!(
        "{} viewers came back at once, {} events behind: all served after {seconds:.2} s",
        load.viewers, load.missed
    ));
    report.notes.push(format!(
        "pages of the log read: {}, for {} replays; beside them each viewer asks who it is and for its role",
        after.pages - before.pages,
        after.replays - before.replays
    ));
    server.stop().await?;
    Ok(report)
}

/// Connect, and join with a seq that is behind, until everything missed is there, each event once and in order.
async fn come_back(address: &str, token: &str, session: &str, stale: u64, missed: u64) -> anyhow::Result<Viewer> {
    let mut viewer = Viewer::connect(address).await?;
    viewer.send(&json!({ "type": "hello", "token": token })).await?;
    viewer.join(session, Some(stale)).await?;
    let (mut last, mut gap, mut there) = (stale, false, false);
    while !there {
        let look = |frame: &[u8]| {
            if frame::is_event(frame) {
                gap |= seq(frame) != Some(last + 1);
                last += 1;
            }
            there |= frame.starts_with(b"{\"type\":\"caught_up\"");
        };
        viewer.read(&mut { look }).await?;
        ensure!(!gap, "a gap or a repetition before {last}");
    }
    ensure!(last >= stale + missed, "only {} of {missed} missed events came", last - stale);
    Ok(viewer)
}

/// What the server says of itself.
struct Reads {
    pages: u64,
    replays: u64,
}

impl Reads {
    async fn of(address: &str) -> anyhow::Result<Self> {
        let mut tcp = TcpStream::connect(address).await?;
        let request = format!("GET /metrics HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
        tcp.write_all(request.as_bytes()).await?;
        let mut answer = String::new();
        tcp.read_to_string(&mut answer).await?;
        let number = |name: &str| {
            let line = answer.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
            line.and_then(|number| number.trim().parse().ok()).with_context(|| format!("no {name} in the metrics"))
        };
        Ok(Self { pages: number("roundtable_page_reads_total")?, replays: number("roundtable_replays_total")? })
    }
}
