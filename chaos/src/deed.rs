//! Execution of the planned faults, and their repair.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep, sleep_until};

use crate::audit;
use crate::journal::Journal;
use crate::link::{Link, Target};
use crate::plan::{Fault, How, Line, Planned};
use crate::world::World;

/// Executes the plan on time. Returns when everything is repaired.
pub async fn all(world: Arc<World>, faults: &[Planned], journal: Arc<Journal>) -> anyhow::Result<()> {
    let begin = Instant::now();
    let mut deeds = tokio::task::JoinSet::new();
    for planned in faults.iter().copied() {
        let (world, journal) = (world.clone(), journal.clone());
        deeds.spawn(async move {
            sleep_until(begin + Duration::from_millis(planned.at)).await;
            let done = one(&world, planned, &journal).await;
            journal.say(format_args!("{}: {}", planned.fault, if done.is_ok() { "healed" } else { "not healed" }));
            done
        });
    }
    while let Some(done) = deeds.join_next().await {
        done??;
    }
    Ok(())
}

async fn one(world: &World, planned: Planned, journal: &Journal) -> anyhow::Result<()> {
    let Planned { fault, lasts, .. } = planned;
    let time = Duration::from_millis(lasts);
    journal.say(fault);
    match fault {
        Fault::Kill(index) | Fault::Stop(index) | Fault::Upgrade(index) => {
            let mut node = world.nodes[index].lock().await;
            node.signal(if matches!(fault, Fault::Kill(_)) { "KILL" } else { "TERM" }).await?;
            node.ended().await?;
            journal.say(format_args!("node {index} has ended"));
            sleep(time).await;
            if matches!(fault, Fault::Upgrade(_)) {
                node.upgrade()?;
            }
            let address = node.start_again().await?;
            world.links[index].viewers.lead(Target::Tcp(address));
        }
        Fault::Pause(index) => {
            let node = world.nodes[index].lock().await;
            node.signal("STOP").await?;
            sleep(time).await;
            node.signal("CONT").await?;
        }
        Fault::RedisKill => {
            on_redis(world, servers::redis::Server::kill).await?;
            sleep(time).await;
            on_redis(world, servers::redis::Server::begin).await?;
        }
        Fault::RedisFreeze => {
            on_redis(world, servers::redis::Server::freeze).await?;
            sleep(time).await;
            on_redis(world, servers::redis::Server::thaw).await?;
        }
        Fault::RedisFlush => {
            on_redis(world, |redis| {
                let mut raw = servers::redis::raw(&redis.url());
                let _: Result<(), _> = redis::cmd("FLUSHALL").query(&mut raw);
                for kind in ["pubsub", "normal"] {
                    let _: Result<i64, _> = redis::cmd("CLIENT").arg(&["KILL", "TYPE", kind]).query(&mut raw);
                }
            })
            .await?;
        }
        Fault::DatabaseRestart => on_postgres(world, servers::postgres::Cluster::restart).await?,
        Fault::DatabaseFreeze => {
            on_postgres(world, servers::postgres::Cluster::freeze).await?;
            sleep(time).await;
            on_postgres(world, servers::postgres::Cluster::thaw).await?;
        }
        // It may be restarting just now: then nobody is connected anyway.
        Fault::DatabaseFailover => drop(audit::end_connections(&world.database).await),
        Fault::Link(index, line, how) => {
            let links = &world.links[index];
            let link = match line {
                Line::Redis => &links.redis,
                Line::Database => &links.database,
                Line::Viewers => &links.viewers,
            };
            for_a_time(&[link], how, time).await;
        }
        Fault::Alone(index) => {
            let links = &world.links[index];
            for_a_time(&[&links.redis, &links.database], How::Cut, time).await;
        }
    }
    Ok(())
}

async fn for_a_time(links: &[&Link], how: How, time: Duration) {
    links.iter().for_each(|link| link.misbehave(how));
    sleep(time).await;
    links.iter().for_each(|link| link.heal());
}

async fn on_postgres(
    world: &World,
    deed: impl FnOnce(&mut servers::postgres::Cluster) + Send + 'static,
) -> anyhow::Result<()> {
    let ground = world.ground.clone();
    Ok(tokio::task::spawn_blocking(move || deed(&mut ground.postgres.lock())).await?)
}

async fn on_redis(
    world: &World,
    deed: impl FnOnce(&mut servers::redis::Server) + Send + 'static,
) -> anyhow::Result<()> {
    let ground = world.ground.clone();
    Ok(tokio::task::spawn_blocking(move || deed(&mut ground.redis.lock())).await?)
}
