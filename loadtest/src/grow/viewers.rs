//! Cost of a delivery as a function of the number of viewers of one session.

use super::{Grow, RATE, measure_steady, settings, sizes};
use crate::curve::{Curve, Series};
use crate::data::Data;
use crate::messages::MessagingSetup;
use crate::server::{Cores, Server, session};
use crate::watching_client::WatchingClient;

/// Deliveries per second that one core sustains with room to spare. With many viewers, messages are posted less often,
/// because measurements of a server at its limit would show the length of its queues.
const MAX_DELIVERIES_PER_SECOND: u64 = 50_000;

/// Measures each number of viewers with one server on one core. A delivery is the arrival of a message, with all its
/// events, at a viewer.
pub async fn measure(load: &Grow) -> anyhow::Result<Curve> {
    let mut cpu = Series::new("CPU", "µs per delivery");
    let mut p99 = Series::new("p99 latency", "ms");
    for viewers in sizes(10, load.max_viewers) {
        let data = Data::sqlite()?;
        let token = data.administrator().await?;
        let (server, address) = Server::real_on(Cores::First, &data, &settings()).await?;
        let session = session(&address, &token, "Viewers").await?;
        // The speaker is one of the viewers.
        let others = WatchingClient::connect_many(&address, &token, &session, viewers - 1).await?;
        let speaker = WatchingClient::connect_and_join(&address, &token, &session, None).await?;
        let setup = MessagingSetup::new(vec![server], others, speaker, session);
        let rate = RATE.min(MAX_DELIVERIES_PER_SECOND / viewers);
        let (cost, latencies) = measure_steady(setup, rate, load.seconds).await?;
        cpu.push(viewers, cost.us_per_message() / viewers as f64);
        p99.push(viewers, latencies.value_at_quantile(0.99) as f64 / 1e6);
    }
    Ok(Curve {
        dimension: "viewers",
        title: "Cost of a delivery",
        sizes: "viewers of one session",
        series: vec![cpu, p99],
    })
}
