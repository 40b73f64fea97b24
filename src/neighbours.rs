//! The other nodes on this database, and whether they and this one hear each other: where they do not, commands for their
//! sessions find no way, and viewers see what they write late.

use std::collections::BTreeMap;
use std::sync::Weak;
use std::time::Duration;

use futures_util::future::join_all;
use tokio::time::{Instant, sleep};
use uuid::Uuid;

use crate::bus::AskError;
use crate::clock;
use crate::health::Apart;
use crate::kernel::SessionId;
use crate::node::Node;
use crate::orchestrator::Cluster;
use crate::peer::{self, Question};
use crate::store::{Living, NodeId};

/// Between two looks at who is there.
const LOOK: Duration = Duration::from_secs(1);
/// How long another node may take to answer.
const ANSWER: Duration = Duration::from_secs(2);
/// At so many looks in a row a node has to be without a lease until its viewers have gone with it: after an outage of the
/// database all nodes are, for a moment.
const DEAD: u32 = 3;
/// How long a node may be silent beyond its lease: it or its Redis may stand still for a moment.
const SLACK: Duration = Duration::from_secs(3);

/// Refuse to start beside nodes that would not hear this one. One that has just died seems to live until its lease is over:
/// so long this waits.
pub(crate) async fn check(cluster: &Cluster) -> anyhow::Result<()> {
    let patience = Instant::now() + cluster.settings.lease();
    loop {
        let others = cluster.leases.others(cluster.me.node).await?;
        let Some(deaf) = others.iter().find(|other| is_elsewhere(&cluster.me, other)) else {
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
    let mut neighbours = Neighbours::default();
    loop {
        sleep(LOOK).await;
        let others = cluster.leases.others(cluster.me.node).await;
        // Of a database that does not answer the lease tells.
        if let Ok(others) = &others {
            let dead = neighbours.meet(others);
            neighbours.ask(&cluster, others).await;
            let Some(node) = node.upgrade() else { return };
            node.feeds.forget_viewers_of(&dead);
            let elsewhere = others.iter().any(|other| is_elsewhere(&cluster.me, other)).then_some(Apart::Elsewhere);
            // One that has just died is silent until its lease is over.
            let patience = cluster.settings.lease() + ANSWER + SLACK;
            let silent = neighbours.is_any_silent(patience).then_some(Apart::Silent);
            node.health.is_apart(elsewhere.or(silent), clock::now());
        }
        if node.strong_count() == 0 {
            return;
        }
    }
}

/// That two nodes say the same does not mean that they meet: the same words may stand for two servers.
fn is_elsewhere(me: &Living, other: &Living) -> bool {
    other.bus.is_some() && other.bus != me.bus
}

/// The other nodes, as the last looks found them.
#[derive(Default)]
struct Neighbours {
    /// At how many looks in a row each was without a lease.
    missing: BTreeMap<NodeId, u32>,
    /// Those that live and did not answer, and how long this node has asked them. Not since when: a node that has slept
    /// itself has asked nobody meanwhile.
    silent: BTreeMap<NodeId, Duration>,
}

impl Neighbours {
    /// These live now; answered are those that are dead since.
    fn meet(&mut self, living: &[Living]) -> Vec<NodeId> {
        self.missing.values_mut().for_each(|looks| *looks += 1);
        self.missing.extend(living.iter().map(|other| (other.node, 0)));
        self.missing.extract_if(.., |_, looks| *looks >= DEAD).map(|(node, _)| node).collect()
    }

    /// Ask another one of those that say they meet this node where it is, and those that did not answer the last time.
    async fn ask(&mut self, cluster: &Cluster, living: &[Living]) {
        let near: Vec<NodeId> =
            living.iter().filter(|other| other.bus == cluster.me.bus).map(|other| other.node).collect();
        self.silent.retain(|node, _| near.contains(node));
        if !cluster.bus.status().borrow().is_up() {
            // Nobody can answer, which is told already.
            return self.silent.clear();
        }
        let one = fastrand::choice(&near);
        // A session that nobody has: that it is answered is all that matters.
        let question = peer::encode(&Question::Partials(SessionId(Uuid::nil())));
        let asked = near.iter().filter(|node| Some(*node) == one || self.silent.contains_key(node)).map(async |node| {
            let begun = Instant::now();
            let answer = cluster.bus.ask(*node, question.clone(), ANSWER).await;
            let silent = matches!(answer, Err(AskError::Absent | AskError::Late | AskError::Down));
            (*node, silent.then(|| LOOK + begun.elapsed().min(ANSWER)))
        });
        for (node, silent) in join_all(asked).await {
            self.heard(node, silent);
        }
    }

    /// It was asked, and did not answer for so long, or did.
    fn heard(&mut self, node: NodeId, silent: Option<Duration>) {
        match silent {
            None => drop(self.silent.remove(&node)),
            Some(silent) => *self.silent.entry(node).or_default() += silent,
        }
    }

    /// Whether one that lives was asked for so long and never answered.
    fn is_any_silent(&self, patience: Duration) -> bool {
        self.silent.values().any(|silent| *silent >= patience)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_is_dead_when_it_has_no_lease_for_a_while() {
        let node = NodeId::fresh();
        let living = [Living { node, name: "two".into(), version: "1".into(), bus: None }];
        let mut neighbours = Neighbours::default();
        assert_eq!(neighbours.meet(&living), []);
        for _ in 1..DEAD {
            assert_eq!(neighbours.meet(&[]), []);
        }
        assert_eq!(neighbours.meet(&living), [], "it was late");
        let looks: Vec<_> = (0..=DEAD).map(|_| neighbours.meet(&[])).collect();
        assert_eq!(looks.concat(), [node], "and is dead once");
    }

    #[test]
    fn a_node_is_silent_when_it_answers_nothing_for_a_while() {
        let node = NodeId::fresh();
        let mut neighbours = Neighbours::default();
        for silent in [Some(LOOK), Some(LOOK), None, Some(LOOK), Some(LOOK)] {
            assert!(!neighbours.is_any_silent(3 * LOOK));
            neighbours.heard(node, silent);
        }
        assert!(!neighbours.is_any_silent(3 * LOOK), "it answered in between");
        neighbours.heard(node, Some(LOOK));
        assert!(neighbours.is_any_silent(3 * LOOK));
    }
}
