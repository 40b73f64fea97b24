//! Load test with simulated participants: throughput, memory and latency. `docs/performance.md` has the results.

#![allow(unreachable_pub, reason = "nothing outside a program could reach it")]

mod bare;
mod clock;
mod cluster;
mod commands;
mod control;
mod data;
mod disk;
mod echo;
mod executions;
mod fanout;
mod flood;
mod idle;
mod instant_model;
mod join;
mod machine;
mod max_rate_server;
mod metrics;
mod parallel;
mod pieces;
mod planner;
mod reconnect;
mod redact;
mod report;
mod runs;
mod server;
mod stamp;
mod takeover;
mod timestamped_listener;
mod turns;
mod watching_client;

use std::time::Duration;

use clap::{Args, Parser, Subcommand};

#[derive(Parser)]
#[command(about = "Load for Roundtable, on this machine's loopback only.")]
struct Arguments {
    #[command(subcommand)]
    scenario: Scenario,
    /// Print one JSON object and nothing else.
    #[arg(long, global = true)]
    json: bool,
    /// URL of a running server, `http://127.0.0.1:8080`. Default: start one.
    #[arg(long, global = true, requires = "token")]
    url: Option<String>,
    /// An administrator's token for that server.
    #[arg(long, global = true)]
    token: Option<String>,
}

#[derive(Subcommand)]
enum Scenario {
    /// Many viewers of one session at full speed, compared with a bare loop; then the latency of a steady flow.
    Fanout(Fanout),
    /// Many concurrent runs, each streaming to a few viewers.
    Runs(Runs),
    /// Time that the server adds to a turn: from a command, a tool result or a response to the first byte of the next
    /// request.
    Turns(Turns),
    /// One run with many agents in parallel, each with a stream.
    Parallel(Parallel),
    /// Teams created from a topology: the largest one, many executions at once, and one with 2,000 agents.
    Executions(Executions),
    /// Concurrent commands: the number of acknowledgements per second.
    Commands(Commands),
    /// Memory of idle viewers.
    Idle(Idle),
    /// Joining a session with a long log.
    Join(Join),
    /// Redaction of a session with a long log, and the latency of commands in another session in the meantime.
    Redact(Redact),
    /// Many viewers of one session that are disconnected and reconnect at once.
    Reconnect(Reconnect),
    /// Two nodes on a separate PostgreSQL and Redis: runs on one, viewers on the other.
    Cluster(Cluster),
    /// Latency of an interrupt, with the server on one core, idle and while others flood it.
    Control(Control),
    /// Nodes on a separate PostgreSQL and Redis, one of which is killed in the middle of a response.
    Takeover(Takeover),
    /// The baseline alone: only pre-framed bytes written to sockets.
    Bare(Fanout),
    /// The socket layer as a plain echo, for conformance suites; runs until it is stopped.
    Echo {
        /// Address to listen on.
        #[arg(long, default_value = "127.0.0.1:9001")]
        listen: String,
    },
    #[command(hide = true)]
    ServeStorm(Storm),
    #[command(hide = true)]
    ServeBare(Storm),
}

#[derive(Args, Clone)]
struct Fanout {
    /// Viewers of the session at full speed.
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..=15_000))]
    viewers: u64,
    /// Events of one round.
    #[arg(long, default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(100..=1_000_000))]
    events: u64,
    /// Bytes of an event, as JSON.
    #[arg(long, default_value_t = 256, value_parser = clap::value_parser!(u64).range(230..=65_536))]
    bytes: u64,
    /// Rounds; each measures the bare loop and the server one after the other.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..=50))]
    rounds: u64,
    /// Viewers of the steady flow.
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u64).range(1..=5_000))]
    steady_viewers: u64,
    /// Events per second of the steady flow, each a command of a participant.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=2_000))]
    steady_rate: u64,
    /// Seconds of the steady flow.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=300))]
    steady_seconds: u64,
}

#[derive(Args)]
struct Runs {
    /// Concurrent runs, each in a separate session.
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u64).range(1..=2_000))]
    runs: u64,
    /// Viewers per run.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..=20))]
    viewers: u64,
    /// Tokens per second and run.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..=1_000))]
    rate: u64,
    /// Seconds that each run streams.
    #[arg(long, default_value_t = 15, value_parser = clap::value_parser!(u64).range(1..=120))]
    seconds: u64,
}

#[derive(Args)]
struct Turns {
    /// Sessions, one run at a time in each.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=2_000))]
    sessions: u64,
    /// Runs per second in all sessions together, each with four turns and a call.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=1_000))]
    rate: u64,
    /// Seconds with the log in memory, and again with the log on disk.
    #[arg(long, default_value_t = 15, value_parser = clap::value_parser!(u64).range(1..=120))]
    seconds: u64,
    /// KiB of earlier messages in each session.
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u64).range(0..=1_024))]
    history: u64,
    /// Name of the model, which determines how tokens are counted if the history might not fit.
    #[arg(long, default_value = "clock")]
    model: String,
}

#[derive(Args)]
struct Parallel {
    /// Parts of the plan's step, each executed by one agent.
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u64).range(1..=64))]
    parts: u64,
    /// Tokens per second and part.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..=1_000))]
    rate: u64,
    /// Seconds that each part streams.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=120))]
    seconds: u64,
    /// Viewers of the run.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..=1_000))]
    viewers: u64,
    /// Runs, one after the other.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=100))]
    rounds: u64,
}

#[derive(Args)]
struct Executions {
    /// Creations of the largest team, one after the other.
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    teams: u64,
    /// Executions, one after the other.
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    alone: u64,
    /// Executions at once.
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..=5_000))]
    executions: u64,
    /// Executions of 2,000 agents, one after the other.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..=100))]
    rounds: u64,
}

#[derive(Args)]
struct Idle {
    /// Viewers of one session. Each uses an open file in the server and one in this program.
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u64).range(10..=90_000))]
    viewers: u64,
}

#[derive(Args)]
struct Join {
    /// Events in the session's log.
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    events: u64,
    /// Joins, one after the other.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    joins: u64,
}

#[derive(Args)]
struct Redact {
    /// Events in the log of the session that is redacted.
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    events: u64,
    /// Use PostgreSQL, which is started for this, instead of SQLite.
    #[arg(long)]
    postgres: bool,
}

#[derive(Args)]
struct Reconnect {
    /// Viewers of the session.
    #[arg(long, default_value_t = 5000, value_parser = clap::value_parser!(u64).range(1..=15_000))]
    viewers: u64,
    /// Events that each viewer has missed.
    #[arg(long, default_value_t = 500, value_parser = clap::value_parser!(u64).range(0..=100_000))]
    missed: u64,
    /// Use PostgreSQL, which is started for this, instead of SQLite.
    #[arg(long)]
    postgres: bool,
}

#[derive(Args)]
struct Cluster {
    /// Runs on the first node that stream tokens.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..=200))]
    runs: u64,
    /// Tokens per second and run.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..=1_000))]
    rate: u64,
    /// Commands per second on the first node, after the runs.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=2_000))]
    commands: u64,
    /// Viewers of each session on the second node.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=5_000))]
    viewers: u64,
    /// Seconds of the runs, and again of the commands.
    #[arg(long, default_value_t = 15, value_parser = clap::value_parser!(u64).range(1..=120))]
    seconds: u64,
}

#[derive(Args)]
struct Commands {
    /// Sessions that commands are sent to.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=2_000))]
    sessions: u64,
    /// Connections per session, each with one command that waits for its acknowledgement.
    #[arg(long, default_value_t = 32, value_parser = clap::value_parser!(u64).range(1..=256))]
    under_way: u64,
    /// Seconds of each of the two measurements.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=120))]
    seconds: u64,
}

#[derive(Args)]
struct Takeover {
    /// Rounds with each of the two groups of settings. In each round, a node is killed.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=100))]
    rounds: u64,
    /// Nodes, including the killed one.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u64).range(2..=8))]
    nodes: u64,
}

#[derive(Args)]
struct Control {
    /// Interrupts in each of the three conditions.
    #[arg(long, default_value_t = 220, value_parser = clap::value_parser!(u64).range(1..=5_000))]
    presses: u64,
    /// Tokens per second of the model.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..=1_000))]
    rate: u64,
    /// Disable connection limits, for comparison.
    #[arg(long)]
    unbounded: bool,
    /// Also measure while one bot sends this many messages per second to the session, for example 10000.
    #[arg(long, value_name = "MESSAGES", value_parser = clap::value_parser!(u64).range(100..=1_000_000))]
    bot_per_second: Option<u64>,
}

#[derive(Args)]
struct Storm {
    /// Core to run on.
    #[arg(long)]
    core: usize,
    /// Events of all rounds.
    #[arg(long)]
    events: u64,
    /// Bytes of an event, as JSON.
    #[arg(long)]
    bytes: u64,
    /// Number of expected viewers.
    #[arg(long)]
    viewers: u64,
}

/// Longer than any scenario takes, so that nothing runs forever.
const LONGEST: Duration = Duration::from_secs(1800);

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let target = arguments.url.zip(arguments.token);
    match arguments.scenario {
        Scenario::ServeStorm(load) => return max_rate_server::serve(&load),
        Scenario::ServeBare(load) => return bare::serve(&load),
        Scenario::Echo { listen } => return machine::runtime(1)?.block_on(echo::serve(&listen)),
        _ => {}
    }
    machine::raise_open_files();
    let runtime = machine::runtime(2)?;
    let report = runtime.block_on(async {
        let scenario = async {
            match arguments.scenario {
                Scenario::Fanout(load) => fanout::measure(&load, target).await,
                Scenario::Bare(load) => bare::measure(&load).await,
                Scenario::Runs(load) => runs::measure(&load, target).await,
                Scenario::Turns(load) => turns::measure(&load, target).await,
                Scenario::Parallel(load) => parallel::measure(&load, target).await,
                Scenario::Executions(load) => executions::measure(&load, target).await,
                Scenario::Commands(load) => commands::measure(&load, target).await,
                Scenario::Idle(load) => idle::measure(&load, target).await,
                Scenario::Join(load) => join::measure(&load, target).await,
                Scenario::Redact(load) => redact::measure(&load, target).await,
                Scenario::Reconnect(load) => reconnect::measure(&load, target).await,
                Scenario::Cluster(load) => cluster::measure(&load, target).await,
                Scenario::Control(load) => control::measure(&load, target).await,
                Scenario::Takeover(load) => takeover::measure(&load, target).await,
                Scenario::Echo { .. } | Scenario::ServeStorm(_) | Scenario::ServeBare(_) => unreachable!(),
            }
        };
        tokio::time::timeout(LONGEST, scenario).await?
    })?;
    report.print(arguments.json)
}
