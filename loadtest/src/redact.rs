//! Redaction of a session with a long log, and the latency of commands in another session in the meantime.

use std::time::{Duration, Instant};

use clap::Args;
use hdrhistogram::Histogram;
use serde_json::json;

use crate::data::{Data, own};
use crate::join;
use crate::report::{LatencyStage, Report, latencies};
use crate::server::{Server, post, session};

/// Size of the scenario.
#[derive(Args)]
pub struct Redact {
    /// Events in the log of the session that is redacted.
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub events: u64,
    /// Use PostgreSQL, which is started for this, instead of SQLite.
    #[arg(long)]
    pub postgres: bool,
}

/// Target for the p99 of commands in the other session, in milliseconds.
const TARGET: f64 = 100.0;
/// Commands before the redaction.
const QUIET: u64 = 200;
/// Pause between two commands: a fast writer, but not a load.
const BETWEEN: Duration = Duration::from_millis(5);

/// Redacts a whole session, which rewrites every event, while a participant posts in another session.
pub async fn measure(load: &Redact, target: Option<(String, String)>) -> anyhow::Result<Report> {
    own(target.as_ref(), "a long log can be laid only into a server of our own")?;
    let data = if load.postgres { Data::postgres().await? } else { Data::sqlite()? };
    let long = join::fill(&data, load.events).await?;
    let token = data.administrator().await?;
    // Wait for the redaction itself, regardless of how long it takes.
    let (server, address) = Server::real(&data, &[("HTTP__TIMEOUT_SECONDS", "600".to_owned())]).await?;
    let mut speaker = RedactionSpeaker { address: &address, token: &token, session: String::new(), said: 0 };
    speaker.session = session(&address, &token, "Beside").await?;
    let (mut quiet, mut beside) = (latencies(), latencies());
    for _ in 0..QUIET {
        speaker.say(&mut quiet).await?;
    }
    let (to, key, path) = (address.clone(), token.clone(), format!("/api/v1/sessions/{long}/redact"));
    let redaction = tokio::spawn(async move {
        let begun = Instant::now();
        post(&to, &key, &path, &json!({ "reason": "load" })).await.map(|_| begun.elapsed())
    });
    // Wait for each command to complete, because the last one waits longest.
    while !redaction.is_finished() {
        speaker.say(&mut beside).await?;
    }
    let taken = redaction.await??;
    let mut report = Report { scenario: "redact", ..Report::default() };
    report.stages.push(LatencyStage::of("command in another session, quiet".into(), &quiet, Some(TARGET)));
    report.stages.push(LatencyStage::of("the same during the redaction".into(), &beside, Some(TARGET)));
    let seconds = taken.as_secs_f64();
    report.notes.push(format!("{} events redacted in {seconds:.2} s", load.events));
    server.stop().await?;
    Ok(report)
}

/// A participant who posts in a separate session.
struct RedactionSpeaker<'a> {
    address: &'a str,
    token: &'a str,
    session: String,
    said: u64,
}

impl RedactionSpeaker<'_> {
    async fn say(&mut self, histogram: &mut Histogram<u64>) -> anyhow::Result<()> {
        self.said += 1;
        let data = json!({ "text": "@people still here" });
        let command = json!({ "id": format!("c{}", self.said), "do": "say", "data": data });
        let path = format!("/api/v1/sessions/{}/commands", self.session);
        let begun = Instant::now();
        post(self.address, self.token, &path, &command).await?;
        histogram.saturating_record(begun.elapsed().as_nanos() as u64);
        tokio::time::sleep(BETWEEN).await;
        Ok(())
    }
}
