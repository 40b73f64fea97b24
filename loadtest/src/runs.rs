//! Many concurrent runs, each with a few viewers.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use hdrhistogram::Histogram;
use parking_lot::Mutex;
use serde_json::json;
use tokio::task::JoinSet;

use crate::data::{Data, own};
use crate::report::{Report, latencies};
use crate::server::{Server, post, session};
use crate::watching_client::WatchingClient;
use crate::{Runs, clock, fanout, machine};

/// Streams tokens with their send time in each run. Every viewer records the latency of each token.
pub async fn measure(load: &Runs, target: Option<(String, String)>) -> anyhow::Result<Report> {
    own(target.as_ref(), "the server must use the model that says when")?;
    let model = clock::serve(load.rate, load.rate * load.seconds).await?;
    let data = Data::sqlite()?;
    let token = data.administrator().await?;
    let (server, address) = Server::real(&data, &model).await?;
    let streams = Streams::begin(load, [&address, &address], &token).await?;
    let cpu = machine::cpu_seconds(server.pid)?;
    let (histogram, seconds) = streams.flow().await?;
    let cpu = machine::cpu_seconds(server.pid)? - cpu;
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

/// Sessions with their viewers, before their runs begin.
pub struct Streams<'a> {
    address: &'a str,
    token: &'a str,
    seconds: u64,
    sessions: Vec<String>,
    histogram: Arc<Mutex<Histogram<u64>>>,
    readers: JoinSet<anyhow::Result<()>>,
}

impl<'a> Streams<'a> {
    /// Creates the sessions. Runs use the first of these addresses, viewers the second.
    pub async fn begin(load: &Runs, [address, viewed]: [&'a str; 2], token: &'a str) -> anyhow::Result<Self> {
        let (histogram, mut readers) = (Arc::new(Mutex::new(latencies())), JoinSet::new());
        let mut sessions = Vec::new();
        for run in 0..load.runs {
            let session = session(address, token, &format!("Run {run}")).await?;
            for mut viewer in WatchingClient::many(viewed, token, &session, load.viewers).await? {
                let histogram = histogram.clone();
                readers.spawn(async move {
                    loop {
                        viewer.read(&mut |frame| note(frame, &histogram)).await?;
                    }
                });
            }
            sessions.push(session);
        }
        Ok(Self { address, token, seconds: load.seconds, sessions, histogram, readers })
    }

    /// Lets all runs stream until the first one would end its first response. Returns the latency of each token, and
    /// the seconds.
    pub async fn flow(mut self) -> anyhow::Result<(Histogram<u64>, f64)> {
        let begun = std::time::Instant::now();
        for session in &self.sessions {
            ask(self.address, self.token, session).await?;
        }
        tokio::select! {
            () = tokio::time::sleep(Duration::from_secs(self.seconds)) => {}
            Some(ended) = self.readers.join_next() => ended?.context("a viewer was cut off")?,
        }
        let seconds = begun.elapsed().as_secs_f64();
        let histogram = self.histogram.lock().clone();
        Ok((histogram, seconds))
    }
}

/// Asks the agents of a session for the time. The response is a stream of timestamps.
pub async fn ask(address: &str, token: &str, session: &str) -> anyhow::Result<()> {
    let path = format!("/api/v1/sessions/{session}/commands");
    let command = json!({ "id": "c_start", "do": "say", "data": { "text": "What time is it? @all" } });
    post(address, token, &path, &command).await?;
    Ok(())
}

/// Records deltas only: the message that completes an item repeats all send times.
pub fn note(frame: &[u8], histogram: &Mutex<Histogram<u64>>) {
    if frame.starts_with(b"{\"type\":\"delta\"") {
        fanout::note(frame, histogram);
    }
}
