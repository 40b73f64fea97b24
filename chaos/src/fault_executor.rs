//! Injection and repair of the planned faults.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep, sleep_until};

use crate::cluster::ChaosCluster;
use crate::database_history;
use crate::faulty_proxy::{FaultyProxy, Target};
use crate::journal::Journal;
use crate::plan::{Fault, LinkEnd, LinkFault, PlannedFault};

/// Injects the planned faults on schedule. Returns when everything is repaired.
pub async fn execute_all(
    cluster: Arc<ChaosCluster>,
    faults: &[PlannedFault],
    journal: Arc<Journal>,
) -> anyhow::Result<()> {
    let start = Instant::now();
    let mut executions = tokio::task::JoinSet::new();
    for planned in faults.iter().copied() {
        let (cluster, journal) = (cluster.clone(), journal.clone());
        executions.spawn(async move {
            sleep_until(start + Duration::from_millis(planned.start_ms)).await;
            let result = execute(&cluster, planned, &journal).await;
            journal.record(format_args!("{}: {}", planned.fault, if result.is_ok() { "healed" } else { "not healed" }));
            result
        });
    }
    while let Some(result) = executions.join_next().await {
        result??;
    }
    Ok(())
}

async fn execute(cluster: &ChaosCluster, planned: PlannedFault, journal: &Journal) -> anyhow::Result<()> {
    let PlannedFault { fault, duration_ms, .. } = planned;
    let duration = Duration::from_millis(duration_ms);
    journal.record(fault);
    match fault {
        Fault::Kill(index) | Fault::Stop(index) | Fault::Upgrade(index) => {
            let mut node = cluster.nodes[index].lock().await;
            node.signal(if matches!(fault, Fault::Kill(_)) { "KILL" } else { "TERM" }).await?;
            node.wait().await?;
            journal.record(format_args!("node {index} has ended"));
            sleep(duration).await;
            if matches!(fault, Fault::Upgrade(_)) {
                node.upgrade()?;
            }
            let address = node.restart().await?;
            cluster.links[index].viewers.set_target(Target::Tcp(address));
        }
        Fault::Pause(index) => {
            let node = cluster.nodes[index].lock().await;
            node.signal("STOP").await?;
            sleep(duration).await;
            node.signal("CONT").await?;
        }
        Fault::RedisKill => {
            on_redis(cluster, servers::redis::Server::kill).await?;
            sleep(duration).await;
            on_redis(cluster, servers::redis::Server::launch).await?;
        }
        Fault::RedisFreeze => {
            on_redis(cluster, servers::redis::Server::freeze).await?;
            sleep(duration).await;
            on_redis(cluster, servers::redis::Server::thaw).await?;
        }
        Fault::RedisFlush => {
            on_redis(cluster, |redis| {
                let mut raw = servers::redis::raw(&redis.url());
                let _: Result<(), _> = redis::cmd("FLUSHALL").query(&mut raw);
                for kind in ["pubsub", "normal"] {
                    let _: Result<i64, _> = redis::cmd("CLIENT").arg(&["KILL", "TYPE", kind]).query(&mut raw);
                }
            })
            .await?;
        }
        Fault::DatabaseRestart => on_postgres(cluster, servers::postgres::Cluster::restart).await?,
        Fault::DatabaseFreeze => {
            on_postgres(cluster, servers::postgres::Cluster::freeze).await?;
            sleep(duration).await;
            on_postgres(cluster, servers::postgres::Cluster::thaw).await?;
        }
        // If the database is restarting, there are no connections, and the error is expected.
        Fault::DatabaseFailover => drop(database_history::end_connections(&cluster.database).await),
        Fault::Link(index, end, link_fault) => {
            let links = &cluster.links[index];
            let link = match end {
                LinkEnd::Redis => &links.redis,
                LinkEnd::Database => &links.database,
                LinkEnd::Viewers => &links.viewers,
            };
            inject_for(&[link], link_fault, duration).await;
        }
        Fault::Isolate(index) => {
            let links = &cluster.links[index];
            inject_for(&[&links.redis, &links.database], LinkFault::Cut, duration).await;
        }
    }
    Ok(())
}

async fn inject_for(links: &[&FaultyProxy], fault: LinkFault, duration: Duration) {
    links.iter().for_each(|link| link.inject(fault));
    sleep(duration).await;
    links.iter().for_each(|link| link.heal());
}

async fn on_postgres(
    cluster: &ChaosCluster,
    action: impl FnOnce(&mut servers::postgres::Cluster) + Send + 'static,
) -> anyhow::Result<()> {
    let shared_servers = cluster.shared_servers.clone();
    Ok(tokio::task::spawn_blocking(move || action(&mut shared_servers.postgres.lock())).await?)
}

async fn on_redis(
    cluster: &ChaosCluster,
    action: impl FnOnce(&mut servers::redis::Server) + Send + 'static,
) -> anyhow::Result<()> {
    let shared_servers = cluster.shared_servers.clone();
    Ok(tokio::task::spawn_blocking(move || action(&mut shared_servers.redis.lock())).await?)
}
