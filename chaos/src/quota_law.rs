//! Law of monthly quotas: across all nodes and takeovers, the usage of a session exceeds its quota by no more than the
//! bound on one request. Work that a quota holds up continues after an operator has removed the quota.

use futures_util::future::try_join_all;
use roundtable::kernel::{Event, Fact, SessionId};
use tokio::sync::MutexGuard;

use crate::cluster::ChaosCluster;
use crate::database_history;
use crate::faulty_proxy::Target;
use crate::node::Node;

/// Name of the setting for the quota, without its prefix.
pub const QUOTA: &str = "QUOTAS__MAX_SESSION_MONTH_TOKENS";
/// Name of the setting for the bound on one request, without its prefix, and its value.
pub const REQUEST_BOUND: (&str, u64) = ("QUOTAS__MAX_TURN_TOKENS", 10_000);

/// Result of checking the logs when the quota is removed.
#[derive(Debug, Default)]
pub struct QuotaOutcome {
    pub violations: Vec<String>,
    /// Number of sessions that had reached their quota.
    pub reached: usize,
}

/// Checks the law, and removes the quota as an operator does: by restarting the nodes with other settings. All nodes
/// stop before the first one restarts, so that the check reads only what the quota permitted.
pub async fn check_and_remove(cluster: &ChaosCluster, quota: u64) -> anyhow::Result<QuotaOutcome> {
    let mut nodes: Vec<MutexGuard<'_, Node>> = vec![];
    for node in &cluster.nodes {
        nodes.push(node.lock().await);
    }
    try_join_all(nodes.iter_mut().map(async |node| {
        node.signal("TERM").await?;
        node.wait().await
    }))
    .await?;
    let mut outcome = QuotaOutcome::default();
    for session in database_history::heads(&cluster.database).await?.into_keys() {
        let id: SessionId = session.parse()?;
        let used = tokens(&database_history::read_log(&cluster.database, id).await?.frames)?;
        outcome.reached += usize::from(used >= quota);
        if used > quota + REQUEST_BOUND.1 {
            outcome.violations.push(format!("{session}: {used} tokens are used, of {quota} in a month"));
        }
    }
    for (node, links) in nodes.iter_mut().zip(&cluster.links) {
        node.unset(QUOTA);
        links.viewers.set_target(Target::Tcp(node.restart().await?));
    }
    Ok(outcome)
}

/// Returns the number of tokens that a log records.
fn tokens(frames: &[String]) -> Result<u64, serde_json::Error> {
    let mut sum = 0;
    for frame in frames {
        if let Fact::UsageRecorded { input_tokens, output_tokens, .. } = serde_json::from_str::<Event>(frame)?.fact {
            sum += input_tokens + output_tokens;
        }
    }
    Ok(sum)
}
