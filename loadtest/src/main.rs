//! Load test with simulated participants: throughput, memory and latency. `docs/performance.md` contains the results.

#![allow(unreachable_pub, reason = "nothing outside a program could reach it")]

mod appends;
mod bare;
mod bench;
mod chunks;
mod cluster;
mod commands;
mod connect;
mod control;
mod curve;
mod data;
mod disk;
mod echo;
mod executions;
mod fanout;
mod flood;
mod grow;
mod idle;
mod instant_model;
mod join;
mod machine;
mod max_rate_server;
mod messages;
mod metrics;
mod parallel;
mod planner;
mod reconnect;
mod redact;
mod report;
mod runs;
mod server;
mod sizing;
mod stamp;
mod start;
mod takeover;
mod timestamped_listener;
mod timing_model;
mod turns;
mod watching_client;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(about = "Load for Roundtable, on this machine's loopback only.")]
struct Arguments {
    #[command(subcommand)]
    scenario: Scenario,
    /// Print one JSON object and nothing else.
    #[arg(long, global = true)]
    json: bool,
    /// Folder for CPU profiles of the servers that the scenario starts, recorded with `perf`. `make flame` draws them.
    #[arg(long, global = true, value_name = "FOLDER")]
    profiles: Option<PathBuf>,
    /// URL of a running server, for example `http://127.0.0.1:8080`. Default: start one.
    #[arg(long, global = true, requires = "token")]
    url: Option<String>,
    /// An administrator's token for that server.
    #[arg(long, global = true)]
    token: Option<String>,
}

#[derive(Subcommand)]
enum Scenario {
    /// Many viewers of one session at full speed, compared with a bare loop; then the latency of a steady flow.
    Fanout(fanout::Fanout),
    /// Messages from one participant to many viewers, with the server on one core; optionally compared with Bun.
    Messages(messages::Messages),
    /// Many concurrent runs, each streaming to a few viewers.
    Runs(runs::Runs),
    /// Time that the server adds to a turn: from a command, a tool result or a response to the first byte of the next
    /// request.
    Turns(turns::Turns),
    /// One run with many agents in parallel, each with a stream.
    Parallel(parallel::Parallel),
    /// Teams created from a topology: the largest one, many executions at once, and an execution with 2,000 agents.
    Executions(executions::Executions),
    /// Concurrent commands: the number of acknowledgements per second.
    Commands(commands::Commands),
    /// Concurrent appends to the store, compared with a bare group commit of the same rows; optionally on PostgreSQL.
    Appends(appends::Appends),
    /// A burst of connections from many people, with the server on one core.
    Connect(connect::Connect),
    /// Start of the server: time until it is ready, and size of the program.
    Start(start::Start),
    /// Memory of idle viewers.
    Idle(idle::Idle),
    /// Joining a session with a long log.
    Join(join::Join),
    /// Redaction of a session with a long log, and the latency of commands in another session in the meantime.
    Redact(redact::Redact),
    /// Many viewers of one session that are disconnected and all reconnect at once.
    Reconnect(reconnect::Reconnect),
    /// Two nodes on a separate PostgreSQL and Redis: runs on one, viewers on the other.
    Cluster(cluster::Cluster),
    /// Growth of cost with the number of viewers, sessions, events, people and nodes, as curves.
    Grow(grow::Grow),
    /// Latency of an interrupt, with the server on one core, idle and while others flood it.
    Control(control::Control),
    /// Nodes on a separate PostgreSQL and Redis. One of the nodes is killed in the middle of a response.
    Takeover(takeover::Takeover),
    /// Size of an installation for a given load: a simulation that is priced with unit costs. Starts no server.
    Sizing(sizing::Sizing),
    /// Short forms of several scenarios, with bounds that a regression exceeds.
    Bench(bench::Bench),
    /// The baseline alone: only pre-framed bytes written to sockets.
    Bare(fanout::Fanout),
    /// The socket layer as a plain echo server, for conformance suites; runs until it is stopped.
    Echo {
        /// Address to listen on.
        #[arg(long, default_value = "127.0.0.1:9001")]
        listen: String,
    },
    #[command(hide = true)]
    ServeMaxRate(max_rate_server::MaxRate),
    #[command(hide = true)]
    ServeBare(max_rate_server::MaxRate),
}

/// Timeout of a scenario, longer than any of them takes.
const TIMEOUT: Duration = Duration::from_secs(1800);

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let target = arguments.url.zip(arguments.token);
    arguments.profiles.into_iter().for_each(server::record_profiles);
    match arguments.scenario {
        Scenario::ServeMaxRate(load) => return max_rate_server::serve(&load),
        Scenario::ServeBare(load) => return bare::serve(&load),
        Scenario::Sizing(load) => return sizing::measure(&load)?.print(arguments.json),
        Scenario::Echo { listen } => return machine::runtime(1)?.block_on(echo::serve(&listen)),
        _ => {}
    }
    machine::raise_open_files();
    let runtime = machine::runtime(2)?;
    let report = runtime.block_on(async {
        let scenario = async {
            match arguments.scenario {
                Scenario::Fanout(load) => fanout::measure(&load, target).await,
                Scenario::Bench(load) => bench::measure(&load).await,
                Scenario::Bare(load) => bare::measure(&load).await,
                Scenario::Runs(load) => runs::measure(&load, target).await,
                Scenario::Turns(load) => turns::measure(&load, target).await,
                Scenario::Parallel(load) => parallel::measure(&load, target).await,
                Scenario::Executions(load) => executions::measure(&load, target).await,
                Scenario::Commands(load) => commands::measure(&load, target).await,
                Scenario::Appends(load) => appends::measure(&load, target).await,
                Scenario::Messages(load) => messages::measure(&load, target).await,
                Scenario::Connect(load) => connect::measure(&load, target).await,
                Scenario::Start(load) => start::measure(&load, target).await,
                Scenario::Idle(load) => idle::measure(&load, target).await,
                Scenario::Join(load) => join::measure(&load, target).await,
                Scenario::Redact(load) => redact::measure(&load, target).await,
                Scenario::Reconnect(load) => reconnect::measure(&load, target).await,
                Scenario::Cluster(load) => cluster::measure(&load, target).await,
                Scenario::Grow(load) => grow::measure(&load, target).await,
                Scenario::Control(load) => control::measure(&load, target).await,
                Scenario::Takeover(load) => takeover::measure(&load, target).await,
                Scenario::Sizing(_) | Scenario::Echo { .. } | Scenario::ServeMaxRate(_) | Scenario::ServeBare(_) => {
                    unreachable!()
                }
            }
        };
        tokio::time::timeout(TIMEOUT, scenario).await?
    })?;
    report.print(arguments.json)?;
    report.check()
}
