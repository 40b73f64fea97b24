//! A burst of connections from many people: the number that connect, authenticate and join per second.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use clap::Args;
use hdrhistogram::Histogram;
use roundtable::kernel::ActorKind;
use serde_json::json;
use tokio::task::JoinSet;

use crate::data::{Data, require_own_server};
use crate::report::{LatencyDistribution, Report, latency_histogram};
use crate::server::{Cores, Server, session};
use crate::watching_client::WatchingClient;
use crate::{machine, max_rate_server};

/// Size of the scenario.
#[derive(Args)]
pub struct Connect {
    /// Connections in each of the two measurements. Each connection uses an open file in the server and one in this
    /// program.
    #[arg(long, default_value_t = 4000, value_parser = clap::value_parser!(u64).range(10..=9_000))]
    connections: u64,
    /// People who connect. They are members of the session, and each has a separate token.
    #[arg(long, default_value_t = 400, value_parser = clap::value_parser!(u64).range(1..=499))]
    people: u64,
    /// Connections that are established concurrently.
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u64).range(1..=1_000))]
    concurrent: u64,
}

/// Measures connections that only open a WebSocket, then connections that also authenticate and join a session. The
/// server runs on one core.
pub async fn measure(load: &Connect, target: Option<(String, String)>) -> anyhow::Result<Report> {
    require_own_server(target.as_ref(), "the server has a core of its own")?;
    machine::check_open_files(load.connections * 2 + 200)?;
    machine::avoid_core(0)?;
    let data = Data::sqlite()?;
    let owner = data.administrator().await?;
    let (ids, tokens) = people(&data, load.people).await?;
    let settings = [
        ("SOCKET__MAX_CONNECTIONS", "100000".to_owned()),
        ("SOCKET__MAX_UNIDENTIFIED", "100000".to_owned()),
        ("SOCKET__PING_SECONDS", "3600".to_owned()),
    ];
    let (server, address) = Server::real_on(Cores::First, &data, &settings).await?;
    let session = session(&address, &owner, "Connect").await?;
    let mut owner_client = WatchingClient::connect_and_join(&address, &owner, &session, None).await?;
    for (number, id) in ids.iter().enumerate() {
        let data = json!({ "participant": id, "role": "viewer" });
        let id = format!("c_{number}");
        owner_client
            .send(&json!({ "type": "command", "id": id, "session": session, "do": "invite", "data": data }))
            .await?;
        owner_client.wait_for("ack").await?;
    }
    let clients = Arc::new(Clients { address, tokens, session, concurrent: load.concurrent });
    // The first joins are not measured, because they include the first read of everything.
    let _first = clients.connect_many(64, ConnectGoal::Joined).await?;
    let (mut report, mut open) = (Report { scenario: "connect", ..Report::default() }, vec![]);
    for (goal, label) in
        [(ConnectGoal::Connected, "connect"), (ConnectGoal::Joined, "connect, authenticate, join, catch up")]
    {
        let (cpu, started) = (machine::cpu_seconds(server.pid)?, Instant::now());
        let (connected, times) = clients.connect_many(load.connections, goal).await?;
        let (cpu, seconds) = (machine::cpu_seconds(server.pid)? - cpu, started.elapsed().as_secs_f64());
        open.extend(connected);
        report.distributions.push(LatencyDistribution::of(label.to_owned(), &times, None));
        let count = load.connections as f64;
        report.notes.push(format!(
            "{label}: {:.0} a second; the server used {:.0} µs of CPU for each",
            count / seconds,
            cpu * 1e6 / count
        ));
    }
    server.stop().await?;
    Ok(report)
}

/// Creates people, each with a token. Returns their ids and tokens.
async fn people(data: &Data, count: u64) -> anyhow::Result<(Vec<String>, Vec<String>)> {
    let stores = data.open().await?;
    let (mut ids, mut tokens) = (vec![], vec![]);
    for number in 0..count {
        let name = format!("Person {number}");
        let (person, token) = max_rate_server::participant(&stores, &name, ActorKind::User).await?;
        ids.push(person.id.to_string());
        tokens.push(token);
    }
    Ok((ids, tokens))
}

/// State in which a connection in a burst counts as complete.
#[derive(Clone, Copy)]
enum ConnectGoal {
    Connected,
    Joined,
}

/// Clients that connect at the same time, as different people.
struct Clients {
    address: String,
    tokens: Vec<String>,
    session: String,
    concurrent: u64,
}

impl Clients {
    /// Establishes connections, a fixed number of them concurrently, and keeps them open. Also returns how long each
    /// took.
    async fn connect_many(
        self: &Arc<Self>,
        count: u64,
        goal: ConnectGoal,
    ) -> anyhow::Result<(Vec<WatchingClient>, Histogram<u64>)> {
        let (next, mut workers) = (Arc::new(AtomicUsize::new(0)), JoinSet::new());
        for _ in 0..self.concurrent {
            let (clients, next) = (self.clone(), next.clone());
            workers.spawn(async move {
                let (mut open, mut times) = (vec![], latency_histogram());
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index as u64 >= count {
                        return anyhow::Ok((open, times));
                    }
                    let started = Instant::now();
                    open.push(clients.connect(index, goal).await?);
                    times.saturating_record(u64::try_from(started.elapsed().as_nanos())?);
                }
            });
        }
        let (mut open, mut times) = (vec![], latency_histogram());
        for worker in workers.join_all().await {
            let (clients, worker_times) = worker?;
            open.extend(clients);
            times.add(worker_times)?;
        }
        Ok((open, times))
    }

    async fn connect(&self, index: usize, goal: ConnectGoal) -> anyhow::Result<WatchingClient> {
        let mut client = WatchingClient::connect(&self.address).await?;
        match goal {
            ConnectGoal::Connected => {}
            ConnectGoal::Joined => {
                client.send(&json!({ "type": "hello", "token": self.tokens[index % self.tokens.len()] })).await?;
                client.join(&self.session, None).await?;
                client.wait_for("caught_up").await?;
            }
        }
        Ok(client)
    }
}
