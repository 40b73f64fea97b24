//! The other nodes on this database, and whether they hear this one: where they do not, commands for their sessions find
//! no way, and viewers see what they write late.

use std::sync::Weak;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::clock;
use crate::node::Node;
use crate::orchestrator::Cluster;
use crate::store::Living;

/// Between two looks at who is there.
const LOOK: Duration = Duration::from_secs(1);

/// Refuse to start beside nodes that would not hear this one. One that has just died seems to live until its lease is over:
/// so long this waits.
pub(crate) async fn check(cluster: &Cluster) -> anyhow::Result<()> {
    let patience = Instant::now() + cluster.settings.lease();
    loop {
        let others = cluster.leases.others(cluster.me.node).await?;
        let Some(deaf) = others.iter().find(|other| is_deaf(&cluster.me, other)) else {
            for other in others.iter().filter(|other| other.bus.is_none()) {
                let (name, version) = (&other.name, &other.version);
                tracing::warn!(%name, %version, "whether this node of an earlier version hears us is not known");
            }
            return Ok(());
        };
        if Instant::now() > patience {
            anyhow::bail!(
                "the node {} uses this database too, and would not hear this one: it meets others at \"{}\", this one at \
                 \"{}\". Give all nodes the same redis_url, bus.prefix and bus.lanes, or stop that node, or use another database",
                deaf.name,
                deaf.bus.as_deref().unwrap_or_default(),
                cluster.me.bus.as_deref().unwrap_or_default(),
            );
        }
        sleep(Duration::from_millis(cluster.settings.look_ms)).await;
    }
}

/// Look until the node is gone: two that start at once do not see each other before.
pub(crate) async fn look(cluster: Cluster, node: Weak<Node>) {
    loop {
        sleep(LOOK).await;
        let others = cluster.leases.others(cluster.me.node).await;
        let Some(node) = node.upgrade() else { return };
        // Of a database that does not answer the lease tells.
        if let Ok(others) = others {
            node.health.heard_by_all(!others.iter().any(|other| is_deaf(&cluster.me, other)), clock::now());
        }
    }
}

fn is_deaf(me: &Living, other: &Living) -> bool {
    other.bus.is_some() && other.bus != me.bus
}
