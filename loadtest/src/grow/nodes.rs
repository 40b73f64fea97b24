//! Cost of a delivery as a function of the number of nodes that share a PostgreSQL and a Redis.

use super::{Grow, RATE, measure_steady, settings};
use crate::curve::{Curve, Series};
use crate::data::Data;
use crate::messages::MessagingSetup;
use crate::server::{Server, session};
use crate::watching_client::WatchingClient;

/// Viewers of the session on each node.
const VIEWERS: u64 = 50;

/// Measures each number of nodes. The session is on the first node.
pub async fn measure(load: &Grow) -> anyhow::Result<Curve> {
    let mut cpu = Series::new("CPU of all nodes", "µs per delivery");
    for nodes in 1..=load.max_nodes {
        // With the data of the previous point, these nodes would take over the sessions of that point's nodes, which
        // were killed.
        let data = Data::shared().await?;
        let token = data.administrator().await?;
        let (first, address) = Server::real(&data, &settings()).await?;
        let session = session(&address, &token, "Nodes").await?;
        // The speaker is one of the viewers.
        let mut others = WatchingClient::connect_many(&address, &token, &session, VIEWERS - 1).await?;
        let speaker = WatchingClient::connect_and_join(&address, &token, &session, None).await?;
        let mut servers = vec![first];
        for _ in 1..nodes {
            let (server, address) = Server::real(&data, &settings()).await?;
            others.extend(WatchingClient::connect_many(&address, &token, &session, VIEWERS).await?);
            servers.push(server);
        }
        let setup = MessagingSetup::new(servers, others, speaker, session);
        let (cost, _) = measure_steady(setup, RATE, load.seconds).await?;
        cpu.push(nodes, cost.us_per_message() / (VIEWERS * nodes) as f64);
    }
    Ok(Curve {
        dimension: "nodes",
        title: "Cost of a delivery",
        sizes: "nodes, 50 viewers of the session on each",
        series: vec![cpu],
    })
}
