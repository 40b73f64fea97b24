//! Time to join a session as a function of the length of its log.

use super::{Grow, settings, sizes};
use crate::curve::{Curve, Series};
use crate::data::Data;
use crate::join;
use crate::server::{Cores, Server};

/// Number of joins after the first one.
const JOINS: u64 = 100;

/// Measures the first join, which reads the store, and the joins after it, on one server per length. A server that was
/// built with a different kernel than this program does not use the snapshot and reads the whole log.
pub async fn measure(load: &Grow) -> anyhow::Result<Curve> {
    let mut first = Series::new("first join", "ms");
    let mut later = Series::new("later joins, p50", "ms");
    for events in sizes(1_000, load.max_events) {
        let data = Data::sqlite()?;
        let session = join::fill(&data, events).await?;
        let token = data.administrator().await?;
        let (server, address) = Server::real_on(Cores::First, &data, &settings()).await?;
        let (times, _) = join::join_repeatedly(&address, &token, &session, 1).await?;
        first.push(events, times.max() as f64 / 1e6);
        let (times, _) = join::join_repeatedly(&address, &token, &session, JOINS).await?;
        later.push(events, times.value_at_quantile(0.5) as f64 / 1e6);
        server.stop().await?;
    }
    Ok(Curve {
        dimension: "events",
        title: "Time to join a session",
        sizes: "events in the log of the session",
        series: vec![first, later],
    })
}
