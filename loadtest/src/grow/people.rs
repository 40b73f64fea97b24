//! Cost of a message as a function of the number of people in a session. Only the owner is connected, on ten
//! connections.

use roundtable::kernel::{ActorKind, View};
use serde_json::json;

use super::{Grow, RATE, measure_steady, settings, sizes};
use crate::curve::{Curve, Series};
use crate::data::Data;
use crate::max_rate_server::participant;
use crate::messages::MessagingSetup;
use crate::server::{Cores, Server, session};
use crate::watching_client::WatchingClient;

/// Number of connected viewers. It is fixed, so that only the number of people changes.
const VIEWERS: u64 = 10;

/// Measures each number of people with one server on one core, up to the limit of a session.
pub async fn measure(load: &Grow) -> anyhow::Result<Curve> {
    let mut cpu = Series::new("CPU", "µs per message");
    for people in sizes(2, View::PARTICIPANTS as u64) {
        let data = Data::sqlite()?;
        let token = data.administrator().await?;
        let members = invitees(&data, people - 1).await?;
        let (server, address) = Server::real_on(Cores::First, &data, &settings()).await?;
        let session = session(&address, &token, "People").await?;
        let mut owner = WatchingClient::connect_and_join(&address, &token, &session, None).await?;
        for (number, member) in members.iter().enumerate() {
            let invite = json!({
                "type": "command",
                "id": format!("c_invite_{number}"),
                "session": session,
                "do": "invite",
                "data": { "participant": member, "role": "reviewer" },
            });
            owner.send(&invite).await?;
            owner.wait_for("ack").await?;
        }
        let others = WatchingClient::connect_many(&address, &token, &session, VIEWERS - 1).await?;
        let setup = MessagingSetup::new(vec![server], others, owner, session);
        let (cost, _) = measure_steady(setup, RATE, load.seconds).await?;
        cpu.push(people, cost.us_per_message());
    }
    Ok(Curve {
        dimension: "people",
        title: "Cost of a message",
        sizes: "people in the session, 10 viewers connected",
        series: vec![cpu],
    })
}

/// Creates people who are known to the server. Returns their ids.
async fn invitees(data: &Data, count: u64) -> anyhow::Result<Vec<String>> {
    let stores = data.open().await?;
    let mut ids = vec![];
    for number in 0..count {
        let (person, _) = participant(&stores, &format!("Person {number}"), ActorKind::User).await?;
        ids.push(person.id.to_string());
    }
    Ok(ids)
}
