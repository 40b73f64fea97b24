//! A real Redis cluster: two nodes that each own half of the slots, and a replica of the first. Cluster nodes need
//! ports, so they use a loopback address that no other process uses.

use std::{
    process,
    sync::{
        OnceLock,
        atomic::{AtomicU16, AtomicU32, Ordering::Relaxed},
    },
};

use crate::redis::{Server, raw};

/// A Redis cluster. Its nodes are numbered [`FIRST`], [`SECOND`] and [`REPLICA`].
pub struct Cluster {
    nodes: [Server; 3],
    ports: [u16; 3],
}

/// Number of the node that owns the slots up to 8191.
pub const FIRST: usize = 0;
/// Number of the node that owns the other slots.
pub const SECOND: usize = 1;
/// Number of the node that is a replica of the first.
pub const REPLICA: usize = 2;

static SHARED: OnceLock<std::sync::Mutex<Cluster>> = OnceLock::new();

/// Returns the URLs of the nodes of the cluster that all tests share. Do nothing to it that another test could notice.
pub fn shared() -> Vec<String> {
    SHARED.get_or_init(|| Cluster::start().into()).lock().expect("is whole").urls()
}

impl Cluster {
    /// Starts a cluster whose nodes know each other and serve all slots.
    pub fn start() -> Self {
        let ports = [(); 3].map(|()| port());
        let mut cluster = Self { nodes: ports.map(node), ports };
        cluster.execute(FIRST, "ADDSLOTSRANGE 0 8191");
        cluster.execute(SECOND, "ADDSLOTSRANGE 8192 16383");
        for node in [FIRST, SECOND, REPLICA] {
            cluster.execute(node, &format!("SET-CONFIG-EPOCH {}", node + 1));
        }
        for (node, other) in [(FIRST, SECOND), (FIRST, REPLICA), (SECOND, REPLICA)] {
            cluster.execute(node, &format!("MEET {} {}", address(), ports[other]));
        }
        cluster.nodes.iter_mut().for_each(|node| node.wait_for_log("Cluster state changed: ok"));
        let first = cluster.execute(FIRST, "MYID");
        cluster.execute(REPLICA, &format!("REPLICATE {first}"));
        cluster
    }

    /// Returns the URLs of the nodes.
    pub fn urls(&self) -> Vec<String> {
        self.ports.iter().map(|port| format!("redis://{}:{port}", address())).collect()
    }

    /// Returns one of the nodes.
    pub fn node(&mut self, node: usize) -> &mut Server {
        &mut self.nodes[node]
    }

    /// Returns an unused prefix, in a slot that this node owns at the start.
    pub fn prefix(&self, node: usize) -> String {
        static FRESH: AtomicU32 = AtomicU32::new(0);
        let fresh = std::iter::repeat_with(|| format!("test-{}", FRESH.fetch_add(1, Relaxed)));
        fresh.into_iter().find(|prefix| (self.slot(prefix) > 8191) == (node == SECOND)).expect("there is one")
    }

    /// Moves the slot of a prefix to the second node.
    pub fn move_to_second(&self, prefix: &str) {
        let (slot, second) = (self.slot(prefix), self.execute(SECOND, "MYID"));
        for node in [SECOND, FIRST] {
            self.execute(node, &format!("SETSLOT {slot} NODE {second}"));
        }
    }

    /// Makes the replica the owner of the first node's slots. If the first node is alive, it becomes the replica.
    pub fn take_over(&self) {
        self.execute(REPLICA, "FAILOVER TAKEOVER");
    }

    fn slot(&self, prefix: &str) -> u16 {
        self.execute(SECOND, &format!("KEYSLOT {{{prefix}}}")).parse().expect("is a number")
    }

    fn execute(&self, node: usize, arguments: &str) -> String {
        let mut command = redis::cmd("CLUSTER");
        command.arg(arguments.split(' ').collect::<Vec<_>>());
        let reply: redis::Value = command.query(&mut raw(&self.nodes[node].url())).expect("succeeds");
        redis::from_redis_value(reply).expect("is a string")
    }
}

/// Starts a node outside any cluster, which owns no slots.
pub fn standalone_node() -> Server {
    node(port())
}

/// Returns a port that no other node has. Nodes communicate with each other on ports that are 10000 higher.
fn port() -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(7000);
    NEXT.fetch_add(1, Relaxed)
}

fn node(port: u16) -> Server {
    let (port, address) = (port.to_string(), address());
    let arguments = ["--port", &port, "--bind", &address, "--cluster-announce-ip", &address];
    Server::start(&[&arguments[..], &["--cluster-enabled", "yes", "--cluster-node-timeout", "1000"]].concat())
}

/// Returns the loopback address of this process. Process ids are below 2^22, and all addresses in 127.0.0.0/8 belong to
/// this machine.
fn address() -> String {
    let [_, high, middle, low] = process::id().to_be_bytes();
    format!("127.{}.{middle}.{low}", high + 64)
}
