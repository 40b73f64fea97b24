//! Redaction of a session with a long log, and the latency of commands in another session in the meantime.

use std::time::{Duration, Instant};

use clap::Args;
use hdrhistogram::Histogram;
use serde_json::json;

use crate::data::{Data, require_own_server};
use crate::join;
use crate::report::{LatencyDistribution, Report, latency_histogram};
use crate::server::{Server, post, session};

/// Size of the scenario.
#[derive(Args)]
pub struct Redact {
    /// Events in the log of the session that is redacted.
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub events: u64,
    /// Start PostgreSQL and use it instead of SQLite.
    #[arg(long)]
    pub postgres: bool,
}

/// Target for the p99 of commands in the other session, in milliseconds.
const TARGET: f64 = 100.0;
/// Commands before the redaction.
const COMMANDS_BEFORE: u64 = 200;
/// Pause between two commands: that of a fast writer, but long enough not to put load on the server.
const PAUSE: Duration = Duration::from_millis(5);

/// Redacts a whole session, which rewrites every event, while a participant posts in another session.
pub async fn measure(load: &Redact, target: Option<(String, String)>) -> anyhow::Result<Report> {
    require_own_server(target.as_ref(), "a long log can only be written into a server of our own")?;
    let data = if load.postgres { Data::postgres().await? } else { Data::sqlite()? };
    let long_session = join::fill(&data, load.events).await?;
    let token = data.administrator().await?;
    // Wait for the redaction itself, regardless of how long it takes.
    let (server, address) = Server::real(&data, &[("HTTP__TIMEOUT_SECONDS", "600".to_owned())]).await?;
    let mut poster = RedactionPoster { address: &address, token: &token, session: String::new(), posted: 0 };
    poster.session = session(&address, &token, "Other").await?;
    let (mut before, mut during) = (latency_histogram(), latency_histogram());
    for _ in 0..COMMANDS_BEFORE {
        poster.post_message(&mut before).await?;
    }
    let (redaction_address, redaction_token, path) =
        (address.clone(), token.clone(), format!("/api/v1/sessions/{long_session}/redact"));
    let redaction = tokio::spawn(async move {
        let started = Instant::now();
        post(&redaction_address, &redaction_token, &path, &json!({ "reason": "load" })).await.map(|_| started.elapsed())
    });
    // Wait for each command to complete, because the last one waits longest.
    while !redaction.is_finished() {
        poster.post_message(&mut during).await?;
    }
    let duration = redaction.await??;
    let mut report = Report { scenario: "redact", ..Report::default() };
    report.distributions.push(LatencyDistribution::of(
        "command in another session, before the redaction".into(),
        &before,
        Some(TARGET),
    ));
    report.distributions.push(LatencyDistribution::of("the same during the redaction".into(), &during, Some(TARGET)));
    let seconds = duration.as_secs_f64();
    report.notes.push(format!("{} events redacted in {seconds:.2} s", load.events));
    server.stop().await?;
    Ok(report)
}

/// A participant who posts in a separate session.
struct RedactionPoster<'a> {
    address: &'a str,
    token: &'a str,
    session: String,
    posted: u64,
}

impl RedactionPoster<'_> {
    async fn post_message(&mut self, histogram: &mut Histogram<u64>) -> anyhow::Result<()> {
        self.posted += 1;
        let data = json!({ "text": "@people still here" });
        let command = json!({ "id": format!("c{}", self.posted), "do": "say", "data": data });
        let path = format!("/api/v1/sessions/{}/commands", self.session);
        let started = Instant::now();
        post(self.address, self.token, &path, &command).await?;
        histogram.saturating_record(started.elapsed().as_nanos() as u64);
        tokio::time::sleep(PAUSE).await;
        Ok(())
    }
}
