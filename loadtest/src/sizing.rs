//! Size of a cluster for a given load: a simulation of who watches what from where, priced with measured unit costs.
//!
//! No server is started. The placement of viewers decides how often the bus must carry each frame, and that cannot be
//! computed from averages: a few sessions have most viewers.

use clap::{Args, ValueEnum};
use serde::Serialize;

use crate::report::Report;

/// Load, placement and unit costs.
#[derive(Args)]
pub struct Sizing {
    /// Connected viewers.
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    viewers: u64,
    /// Concurrent runs, each in a session of its own.
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    runs: u64,
    /// Tokens per second of each run.
    #[arg(long, default_value_t = 50.0)]
    tokens: f64,
    /// Events per second of each run, all of which are stored.
    #[arg(long, default_value_t = 0.5)]
    events: f64,
    /// How unevenly viewers are spread over runs: the exponent of a Zipf distribution. 0 spreads them evenly.
    #[arg(long, default_value_t = 0.8)]
    skew: f64,
    /// Which node a viewer connects to.
    #[arg(long, value_enum, default_value_t = Placement::Random)]
    placement: Placement,
    /// Cores of a node.
    #[arg(long, default_value_t = 8.0)]
    cores: f64,
    /// Share of a node's cores that the load may use. The rest is for the sessions and viewers of a node that fails.
    #[arg(long, default_value_t = 0.6)]
    utilization: f64,
    /// CPU of a token, in µs, without deliveries: `runs` with one viewer.
    #[arg(long, default_value_t = 45.0)]
    token_us: f64,
    /// CPU of a delivery to a viewer, in µs: the difference between `runs` with 3 viewers and with 1.
    #[arg(long, default_value_t = 9.0)]
    delivery_us: f64,
    /// CPU of a frame that arrives over the bus, in µs.
    #[arg(long, default_value_t = 10.0)]
    frame_us: f64,
    /// CPU of a stored event, in µs: `commands --sessions 200 --under-way 8`.
    #[arg(long, default_value_t = 200.0)]
    event_us: f64,
    /// Resident memory of a viewer, in KiB: `idle`.
    #[arg(long, default_value_t = 3.7)]
    viewer_kib: f64,
    /// Resident memory of a live session, in KiB: `grow --only sessions`.
    #[arg(long, default_value_t = 80.0)]
    session_kib: f64,
    /// Events per second that one PostgreSQL stores: `appends --postgres`.
    #[arg(long, default_value_t = 10_000.0)]
    database_events: f64,
    /// Messages per second that one Redis delivers to nodes: `redis-benchmark`, times the subscribers.
    #[arg(long, default_value_t = 500_000.0)]
    redis_messages: f64,
    /// Seed of the simulation.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Which node a viewer connects to.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Placement {
    /// Any node, as a load balancer without knowledge of sessions decides.
    Random,
    /// The same node for all viewers of a session, as a load balancer decides that hashes the session's id; any node if
    /// that one has more than its share. It is rarely the node of the run.
    Session,
}

/// Nodes that the load needs, and what each kind of server carries.
#[derive(Debug, Serialize)]
pub struct ClusterSize {
    /// Nodes.
    pub nodes: u64,
    /// Redis servers, each with a share of the sessions.
    pub redis: u64,
    /// Databases, each with a share of the sessions.
    pub databases: u64,
    /// CPU of the busiest node, as a share of its cores.
    pub busiest: f64,
    /// Resident memory of the node with the most viewers, in GiB.
    pub memory_gib: f64,
    /// Messages per second from Redis to nodes.
    pub bus_messages: f64,
    /// Nodes that a run's frames go to, on average.
    pub nodes_per_run: f64,
    /// Viewers of the most watched run.
    pub largest: u64,
}

/// Prints the smallest cluster that carries the load.
pub fn measure(load: &Sizing) -> Report {
    let watching = viewers_per_run(load);
    // The fewest nodes that could suffice if the bus cost nothing; each attempt adds a tenth.
    let all = load.runs as f64 * (load.tokens * load.token_us + load.events * load.event_us)
        + load.viewers as f64 * load.tokens * load.delivery_us;
    let mut nodes = (all / 1e6 / (load.cores * load.utilization)).ceil().max(1.0) as u64;
    let size = loop {
        let size = simulate(load, &watching, nodes);
        if size.busiest <= load.utilization || nodes > 100_000 {
            break size;
        }
        nodes += (nodes / 10).max(1);
    };
    let notes = vec![
        format!("{} nodes with {} cores, the busiest at {:.0} %", size.nodes, load.cores, size.busiest * 100.0),
        format!("{:.1} GiB of memory at the node with the most viewers", size.memory_gib),
        format!(
            "{} Redis servers for {:.0} messages a second to nodes; a run's frames go to {:.2} other nodes on average",
            size.redis, size.bus_messages, size.nodes_per_run
        ),
        format!(
            "{} databases for {:.0} events a second, {:.1} TB a day at 400 bytes",
            size.databases,
            load.runs as f64 * load.events,
            load.runs as f64 * load.events * 400.0 * 86_400.0 / 1e12
        ),
        format!("the most watched run has {} viewers", size.largest),
    ];
    Report { scenario: "sizing", cluster: Some(size), notes, ..Report::default() }
}

/// Returns the number of viewers of each run, the most watched one first.
fn viewers_per_run(load: &Sizing) -> Vec<u64> {
    let weight = |rank: u64| 1.0 / ((rank + 1) as f64).powf(load.skew);
    let total: f64 = (0..load.runs).map(weight).sum();
    let mut before = 0.0;
    // The rounded sum up to each run, so that no viewer is lost.
    let mut counted = 0;
    let mut viewers = Vec::new();
    for rank in 0..load.runs {
        before += weight(rank);
        let up_to = (before / total * load.viewers as f64).round() as u64;
        viewers.push(up_to - counted);
        counted = up_to;
    }
    viewers
}

fn simulate(load: &Sizing, watching: &[u64], nodes: u64) -> ClusterSize {
    let mut random = fastrand::Rng::with_seed(load.seed);
    let (mut cpu, mut viewers, mut sessions) =
        (vec![0.0; nodes as usize], vec![0u64; nodes as usize], vec![0u64; nodes as usize]);
    let share = load.viewers.div_ceil(nodes) + load.viewers / nodes / 10;
    let (mut messages, mut remote_nodes) = (0.0, 0);
    let frames = load.tokens + load.events;
    let mut reached = vec![u64::MAX; nodes as usize];
    for (run, count) in watching.iter().enumerate() {
        let (owner, home) = (random.usize(..nodes as usize), random.usize(..nodes as usize));
        sessions[owner] += 1;
        cpu[owner] += load.tokens * load.token_us + load.events * load.event_us;
        let mut others = 0;
        for _ in 0..*count {
            let node = match load.placement {
                Placement::Session if viewers[home] < share => home,
                Placement::Session | Placement::Random => random.usize(..nodes as usize),
            };
            viewers[node] += 1;
            cpu[node] += frames * load.delivery_us;
            // The bus carries a frame once to each other node, however many viewers are there.
            if node != owner && reached[node] != run as u64 {
                reached[node] = run as u64;
                others += 1;
                cpu[node] += frames * load.frame_us;
            }
        }
        if others > 0 {
            cpu[owner] += frames * load.frame_us;
        }
        remote_nodes += others;
        messages += frames * f64::from(others);
    }
    let busiest = cpu.iter().copied().fold(0.0, f64::max) / 1e6 / load.cores;
    let kib = |node: usize| viewers[node] as f64 * load.viewer_kib + sessions[node] as f64 * load.session_kib;
    let memory = (0..nodes as usize).map(kib).fold(0.0, f64::max);
    ClusterSize {
        nodes,
        redis: (messages / load.redis_messages).ceil() as u64,
        databases: (load.runs as f64 * load.events / load.database_events).ceil() as u64,
        busiest,
        memory_gib: memory / 1024.0 / 1024.0,
        bus_messages: messages,
        nodes_per_run: f64::from(remote_nodes) / load.runs as f64,
        largest: watching.first().copied().unwrap_or_default(),
    }
}
