//! Size of an installation for a given load: a simulation of the placement of viewers, priced with unit costs.
//!
//! No server is started. The placement of viewers determines how many nodes the bus must carry each frame to, which
//! cannot be computed from averages: a few sessions have far more viewers than the others.

use anyhow::ensure;
use clap::{Args, ValueEnum};
use serde::Serialize;

use crate::report::Report;

/// Load, placement and unit costs.
#[derive(Args, Clone)]
pub struct Sizing {
    /// Connected viewers.
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    viewers: u64,
    /// Concurrent runs, each in a separate session.
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    runs: u64,
    /// Tokens per second of each run.
    #[arg(long, default_value_t = 50.0, value_parser = positive)]
    tokens: f64,
    /// Events per second of each run, all of which are stored.
    #[arg(long, default_value_t = 0.5, value_parser = positive)]
    events: f64,
    /// Exponent of the Zipf distribution of viewers over runs. The higher it is, the more uneven the distribution.
    #[arg(long, default_value_t = 0.8, value_parser = positive)]
    skew: f64,
    /// Node that a viewer connects to.
    #[arg(long, value_enum, default_value_t = Placement::Random)]
    placement: Placement,
    /// Cores of a node.
    #[arg(long, default_value_t = 8.0, value_parser = positive)]
    cores: f64,
    /// Share of its capacity that each node, Redis server and database may use, at most 1.
    #[arg(long, default_value_t = 0.6, value_parser = share)]
    utilization: f64,
    /// CPU time of a token without deliveries, in µs: `runs --viewers 1`, minus one delivery.
    #[arg(long, default_value_t = 45.0, value_parser = positive)]
    token_us: f64,
    /// CPU time of a delivery to a viewer, in µs: half the difference between `runs` with 3 viewers and with 1.
    #[arg(long, default_value_t = 9.0, value_parser = positive)]
    delivery_us: f64,
    /// CPU time of a frame that a node publishes to the bus or receives from it, in µs. An estimate.
    #[arg(long, default_value_t = 10.0, value_parser = positive)]
    frame_us: f64,
    /// CPU time of a stored event, in µs: half a command of `commands --sessions 200 --concurrent 8`.
    #[arg(long, default_value_t = 104.0, value_parser = positive)]
    event_us: f64,
    /// Resident memory of a viewer, in KiB: `idle`.
    #[arg(long, default_value_t = 3.6, value_parser = positive)]
    viewer_kib: f64,
    /// Resident memory of a session on each node that writes to it or has its viewers, in KiB. A long run keeps up to
    /// `feed.max_ring_bytes` there.
    #[arg(long, default_value_t = 1024.0, value_parser = positive)]
    session_kib: f64,
    /// Events per second that one database stores: `appends --postgres`.
    #[arg(long, default_value_t = 9_950.0, value_parser = positive)]
    database_events: f64,
    /// Messages per second that can be published to one Redis: `redis-benchmark`.
    #[arg(long, default_value_t = 230_000.0, value_parser = positive)]
    redis_published: f64,
    /// Messages per second that one Redis delivers to nodes: the same benchmark with three subscribers.
    #[arg(long, default_value_t = 690_000.0, value_parser = positive)]
    redis_delivered: f64,
    /// Seed of the simulation.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

fn positive(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| number.is_finite() && *number > 0.0);
    number.ok_or_else(|| "use a number above 0".to_owned())
}

fn share(text: &str) -> Result<f64, String> {
    positive(text).ok().filter(|number| *number <= 1.0).ok_or_else(|| "use a number above 0, at most 1".to_owned())
}

/// Node that a viewer connects to.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Placement {
    /// Any node, as chosen by a load balancer that does not know about sessions.
    Random,
    /// The same node for all viewers of a session, as chosen by a load balancer that hashes the session's id; any node
    /// if that one has a tenth more than its share. The simulation draws the node that writes to the session
    /// separately.
    Session,
}

/// Servers that the load requires. Each cluster has one database.
#[derive(Debug, Serialize)]
pub struct InstallationSize {
    pub clusters: u64,
    pub nodes_per_cluster: u64,
    pub redis_per_cluster: u64,
    /// CPU of the busiest node, as a share of its cores.
    pub max_utilization: f64,
    /// Resident memory of the node with the most viewers and sessions, in GiB.
    pub memory_gib: f64,
    /// Messages per second that are published in a cluster.
    pub published: f64,
    /// Messages per second that Redis delivers to the nodes of a cluster.
    pub delivered: f64,
    /// Nodes that receive the frames of a run, on average.
    pub nodes_per_run: f64,
    /// Viewers of the most watched run.
    pub max_viewers_per_run: u64,
}

/// Maximum number of nodes to try for a cluster.
const MAX_NODES: u64 = 10_000;

/// Returns an installation that can carry the load. Its clusters have at most a tenth more nodes than necessary.
pub fn measure(load: &Sizing) -> anyhow::Result<Report> {
    let events = load.runs as f64 * load.events;
    let clusters = (events / (load.database_events * load.utilization)).ceil().max(1.0) as u64;
    // Clusters have equal shares of the sessions and do not share anything.
    let cluster_load =
        Sizing { runs: load.runs.div_ceil(clusters), viewers: load.viewers.div_ceil(clusters), ..load.clone() };
    let viewers_by_run = viewers_per_run(&cluster_load);
    let mut nodes = 1;
    let mut size = loop {
        let size = simulate(&cluster_load, &viewers_by_run, nodes);
        if size.max_utilization <= load.utilization {
            break size;
        }
        nodes += (nodes / 10).max(1);
        ensure!(
            nodes <= MAX_NODES,
            "even {MAX_NODES} nodes do not carry a cluster of this load; the most watched run may need more than one node \
             has: use --placement random, or more --cores"
        );
    };
    size.clusters = clusters;
    let notes = vec![
        format!(
            "{} nodes with {} cores in all, the busiest at {:.0}%",
            clusters * size.nodes_per_cluster,
            load.cores,
            size.max_utilization * 100.0
        ),
        format!("{clusters} clusters with a database each, for {events:.0} events per second"),
        format!(
            "{} Redis servers in all; in a cluster, {:.0} messages per second are published and {:.0} delivered",
            clusters * size.redis_per_cluster,
            size.published,
            size.delivered
        ),
        format!("the frames of a run go to {:.2} nodes on average", size.nodes_per_run),
        format!("{:.2} GiB of memory for sessions and viewers at one node, at most", size.memory_gib),
        format!("the most watched run has {} viewers", size.max_viewers_per_run),
    ];
    Ok(Report { scenario: "sizing", installation: Some(size), notes, ..Report::default() })
}

/// Returns the number of viewers of each run, the most watched one first.
fn viewers_per_run(load: &Sizing) -> Vec<u64> {
    let weight = |rank: u64| 1.0 / ((rank + 1) as f64).powf(load.skew);
    let total: f64 = (0..load.runs).map(weight).sum();
    let mut before = 0.0;
    // Round the cumulative sum at each run instead of each share, so that no viewer is lost.
    let mut counted = 0;
    let mut viewers = Vec::new();
    for rank in 0..load.runs {
        before += weight(rank);
        let end = (before / total * load.viewers as f64).round() as u64;
        viewers.push(end - counted);
        counted = end;
    }
    viewers
}

/// Load on a node.
#[derive(Clone, Copy, Default)]
struct NodeLoad {
    cpu_us: f64,
    viewers: u64,
    /// Sessions that the node writes to, or that have viewers there.
    sessions: u64,
    /// Last run that this node follows, counted from 1.
    followed_run: usize,
}

fn simulate(load: &Sizing, viewers_by_run: &[u64], count: u64) -> InstallationSize {
    let mut random = fastrand::Rng::with_seed(load.seed);
    let mut nodes = vec![NodeLoad::default(); count as usize];
    let max_viewers = load.viewers.div_ceil(count) + load.viewers / count / 10;
    // A single node does not use the bus.
    let is_alone = count == 1;
    let (frames, mut followers) = (load.tokens + load.events, 0u64);
    for (run, viewers) in viewers_by_run.iter().enumerate() {
        let (writer, home) = (random.usize(..nodes.len()), random.usize(..nodes.len()));
        nodes[writer].sessions += 1;
        nodes[writer].cpu_us += load.tokens * load.token_us + load.events * load.event_us;
        if !is_alone {
            nodes[writer].cpu_us += frames * load.frame_us;
        }
        for _ in 0..*viewers {
            let at = match load.placement {
                Placement::Session if nodes[home].viewers < max_viewers => home,
                Placement::Session | Placement::Random => random.usize(..nodes.len()),
            };
            let node = &mut nodes[at];
            node.viewers += 1;
            node.cpu_us += frames * load.delivery_us;
            // The bus carries a frame once to each node that has viewers, including the writer.
            if node.followed_run != run + 1 {
                node.followed_run = run + 1;
                followers += 1;
                node.sessions += u64::from(at != writer);
                node.cpu_us += if is_alone { 0.0 } else { frames * load.frame_us };
            }
        }
    }
    let on_bus = if is_alone { 0.0 } else { frames };
    let (published, delivered) = (on_bus * viewers_by_run.len() as f64, on_bus * followers as f64);
    let redis_servers = (published / load.redis_published).max(delivered / load.redis_delivered);
    let kib = |node: &NodeLoad| node.viewers as f64 * load.viewer_kib + node.sessions as f64 * load.session_kib;
    InstallationSize {
        clusters: 1,
        nodes_per_cluster: count,
        redis_per_cluster: (redis_servers / load.utilization).ceil() as u64,
        max_utilization: nodes.iter().map(|node| node.cpu_us).fold(0.0, f64::max) / 1e6 / load.cores,
        memory_gib: nodes.iter().map(kib).fold(0.0, f64::max) / 1024.0 / 1024.0,
        published,
        delivered,
        nodes_per_run: followers as f64 / viewers_by_run.len() as f64,
        max_viewers_per_run: viewers_by_run.first().copied().unwrap_or_default(),
    }
}
