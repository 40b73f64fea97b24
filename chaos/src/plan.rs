//! Plan of the faults. A seed determines all of it before anything starts.

use std::fmt;
use std::sync::Arc;

use roundtable::agent::teams::builtin_teams;

use servers::random::Random;

pub const NODES: usize = 3;
/// Period in which faults begin, in milliseconds.
const WINDOW_MS: (u64, u64) = (600, 5_500);
/// Times in milliseconds at which the nodes are upgraded, one after the other.
const UPGRADES_MS: [u64; NODES] = [900, 2_600, 4_300];

/// A fault, which is repaired when its time is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// SIGKILL; repaired by a new process.
    Kill(usize),
    /// SIGSTOP, usually for longer than the lease; repaired by SIGCONT.
    Pause(usize),
    /// SIGTERM; repaired by a new process.
    Stop(usize),
    /// SIGTERM; repaired by a new process of the newest program.
    Upgrade(usize),
    /// Redis is killed; repaired by a new, empty one.
    RedisKill,
    /// Redis is frozen.
    RedisFreeze,
    /// Redis is flushed, and all clients are dropped.
    RedisFlush,
    /// PostgreSQL is killed as in a power failure, and restarted at once.
    DatabaseRestart,
    /// PostgreSQL ends all connections, as a failover does.
    DatabaseFailover,
    /// PostgreSQL is frozen, usually for longer than the lease.
    DatabaseFreeze,
    /// One link has a fault.
    Link(usize, LinkEnd, LinkFault),
    /// A node is cut off from Redis and PostgreSQL.
    Isolate(usize),
}

/// Other end of a node's link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LinkEnd {
    Redis,
    Database,
    Viewers,
}

/// Fault of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkFault {
    /// Nothing passes, and connections end.
    Cut,
    /// Nothing passes, and connections stay; the data arrives later.
    Stall,
    /// Everything is delayed by this many milliseconds.
    Delay(u64),
    /// The current connections are dropped, once.
    Drop,
}

/// A fault with its start and its duration.
#[derive(Debug, Clone, Copy)]
pub struct PlannedFault {
    pub start_ms: u64,
    pub duration_ms: u64,
    pub fault: Fault,
}

/// The plan of one seed.
#[derive(Debug, Clone)]
pub struct Plan {
    pub seed: u64,
    /// The team of each session.
    pub sessions: Vec<Arc<str>>,
    /// Number of tokens that a session can use in a month, until the quota is removed after the repair.
    pub quota: Option<u64>,
    pub faults: Vec<PlannedFault>,
}

impl Plan {
    /// Returns the plan of a seed. With `upgrade`, every node is also upgraded.
    pub fn of(seed: u64, upgrade: bool) -> Self {
        let mut random = Random::of(seed, 0);
        let sessions = random.between(3, 7);
        let (mut teams, all) = (Random::of(seed, 1), builtin_teams::all());
        let sessions = (0..sessions).map(|_| teams.pick(all).name.clone()).collect();
        let mut faults: Vec<PlannedFault> = vec![];
        if upgrade {
            let upgrades = UPGRADES_MS.into_iter().enumerate();
            faults.extend(upgrades.map(|(node, start_ms)| PlannedFault {
                start_ms,
                duration_ms: 200,
                fault: Fault::Upgrade(node),
            }));
        }
        let count = faults.len() + random.between(5, 10) as usize;
        // This terminates: eleven parts can fail at the same time.
        while faults.len() < count {
            let planned = draw(&mut random);
            if faults.iter().all(|other| planned.can_overlap(other)) {
                faults.push(planned);
            }
        }
        faults.sort_by_key(|planned| planned.start_ms);
        let mut quotas = Random::of(seed, 3);
        let quota = quotas.chance(25).then(|| quotas.between(1_000, 6_000));
        Self { seed, sessions, quota, faults }
    }
}

fn draw(random: &mut Random) -> PlannedFault {
    let node = random.index(NODES);
    let fault = match random.between(0, 100) {
        0..18 => Fault::Kill(node),
        18..36 => Fault::Pause(node),
        36..44 => Fault::Stop(node),
        44..50 => Fault::RedisKill,
        50..55 => Fault::RedisFreeze,
        55..58 => Fault::RedisFlush,
        58..62 => Fault::DatabaseRestart,
        62..67 => Fault::DatabaseFailover,
        67..71 => Fault::DatabaseFreeze,
        71..77 => Fault::Isolate(node),
        _ => {
            let end = [LinkEnd::Redis, LinkEnd::Redis, LinkEnd::Database, LinkEnd::Viewers][random.index(4)];
            let delay = random.between(5, 120);
            let fault = [LinkFault::Cut, LinkFault::Stall, LinkFault::Delay(delay), LinkFault::Drop][random.index(4)];
            Fault::Link(node, end, fault)
        }
    };
    let duration_ms = match fault {
        Fault::Pause(_) | Fault::DatabaseFreeze => random.between(400, 2_600),
        _ => random.between(150, 2_200),
    };
    PlannedFault { start_ms: random.between(WINDOW_MS.0, WINDOW_MS.1), duration_ms, fault }
}

impl PlannedFault {
    /// Returns whether both faults can occur together. Two simultaneous faults of the same part would repair each
    /// other.
    fn can_overlap(&self, other: &Self) -> bool {
        let is_before = |one: &Self, next: &Self| next.start_ms > one.start_ms + one.duration_ms;
        is_before(self, other) || is_before(other, self) || self.fault.part() != other.fault.part()
    }
}

impl Fault {
    fn part(self) -> (&'static str, usize) {
        match self {
            Self::Kill(node) | Self::Pause(node) | Self::Stop(node) | Self::Upgrade(node) => ("node", node),
            Self::RedisKill | Self::RedisFreeze | Self::RedisFlush => ("redis", 0),
            Self::DatabaseRestart | Self::DatabaseFailover | Self::DatabaseFreeze => ("database", 0),
            Self::Link(node, LinkEnd::Viewers, _) => ("viewers", node),
            Self::Link(node, ..) | Self::Isolate(node) => ("links", node),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kill(node) => write!(f, "kill -9 of node {node}"),
            Self::Pause(node) => write!(f, "SIGSTOP of node {node}"),
            Self::Stop(node) => write!(f, "SIGTERM of node {node}"),
            Self::Upgrade(node) => write!(f, "node {node} upgraded"),
            Self::RedisKill => write!(f, "Redis killed"),
            Self::RedisFreeze => write!(f, "Redis frozen"),
            Self::RedisFlush => write!(f, "Redis flushed, its clients dropped"),
            Self::DatabaseRestart => write!(f, "PostgreSQL restarted at once"),
            Self::DatabaseFailover => write!(f, "all connections of PostgreSQL ended"),
            Self::DatabaseFreeze => write!(f, "PostgreSQL frozen"),
            Self::Link(node, end, fault) => write!(f, "node {node} to {end:?}: {fault:?}"),
            Self::Isolate(node) => write!(f, "node {node} cut off from Redis and PostgreSQL"),
        }
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "seed {}: {NODES} nodes, sessions of {}", self.seed, self.sessions.join(", "))?;
        if let Some(quota) = self.quota {
            writeln!(f, "  until the repair, a session can use {quota} tokens in a month")?;
        }
        for PlannedFault { start_ms, duration_ms, fault } in &self.faults {
            writeln!(f, "  at {start_ms:>5} ms, for {duration_ms:>4} ms: {fault}")?;
        }
        Ok(())
    }
}
