//! A viewer on one node learns in time that its participant was removed on another node, even if no message arrives.

use std::sync::Arc;
use std::time::Duration;

use roundtable::bus::{BusSettings, Hub};
use roundtable::feed::{FeedRegistry, FeedSettings};
use roundtable::kernel::{ActorKind, Command, ParticipantId, Role};
use roundtable::node_id::NodeId;
use roundtable::store::Fence;
use servers::random::Random;
use tokio::time::timeout;
use uuid::Uuid;

use super::faulty_links::{FaultyStoreLink, NodeFaults};
use super::pause::pause;
use super::simulation::{Simulation, person};
use crate::append_builders;

/// Time within which a change of membership takes effect on all nodes.
const IN_TIME: Duration = Duration::from_secs(1);

/// Returns the feeds of an additional node. The node is alone on its hub, so everything that the others publish is
/// lost.
fn feeds_of_isolated_node(simulation: &Simulation, dice: &mut Random) -> FeedRegistry {
    let bus = Hub::new().join(NodeId::fresh(), &BusSettings::default()).bus;
    let store = Arc::new(FaultyStoreLink { memory: simulation.memory.clone(), faults: NodeFaults::none(dice.split()) });
    let feeds = FeedRegistry::new(store, FeedSettings::default(), Some(bus.clone()));
    tokio::spawn(feeds.clone().keep_up(bus.status()));
    feeds
}

#[tokio::test(start_paused = true)]
async fn a_removal_ends_a_view_on_another_node_even_if_its_message_is_lost() {
    let mut dice = Random::new(7);
    let simulation = Simulation::new(&mut dice).await;
    let session = simulation.sessions[0];
    let feeds = feeds_of_isolated_node(&simulation, &mut dice);
    let bob = ParticipantId(Uuid::from_u128(2));
    // The test repeats the removal. Each removal comes soon after the check that ended the previous viewer, so the wait
    // for the next check is as long as possible.
    for round in 0..8 {
        let role = Role::Owner;
        let back = match round {
            0 => Command::Enter { role },
            // A removed participant can return only by invitation.
            _ => Command::Invite { participant: bob, kind: ActorKind::User, name: person(1).name, role, guest: false },
        };
        simulation.clone().send(&mut dice, 0, &format!("in-{round}"), session, back, 1).await;
        let feed = feeds.open(session).await.expect("opens");
        feed.catch_up().await.expect("reads");
        let mut watch = feed.watch_as(bob, &person(1), feed.head());
        watch.next().await.expect("is there");
        let remove = Command::Remove { participant: bob };
        simulation.clone().send(&mut dice, 0, &format!("out-{round}"), session, remove, 1).await;
        assert_eq!(simulation.memory.role(session, bob), None, "is removed");
        let removed = timeout(IN_TIME, async { while watch.next().await.is_ok() {} });
        removed.await.expect("is served no longer");
    }
}

#[tokio::test(start_paused = true)]
async fn a_participant_removed_during_a_join_is_not_served() {
    let mut dice = Random::new(8);
    let simulation = Simulation::new(&mut dice).await;
    let session = simulation.sessions[0];
    let bob = ParticipantId(Uuid::from_u128(2));
    for round in 0..40 {
        let feeds = feeds_of_isolated_node(&simulation, &mut dice);
        let role = Role::Owner;
        let back =
            Command::Invite { participant: bob, kind: ActorKind::User, name: person(1).name, role, guest: false };
        simulation.clone().send(&mut dice, 0, &format!("in-{round}"), session, back, 1).await;
        let (own, mut late) = (simulation.clone(), dice.split());
        let remove = async {
            let out = format!("out-{round}");
            own.send(&mut late, 0, &out, session, Command::Remove { participant: bob }, 1).await;
        };
        let come = async {
            pause(dice.below(16)).await;
            feeds.open_as(session, bob).await.expect("opens")
        };
        let ((), (feed, listed)) = tokio::join!(remove, come);
        if listed.is_some() {
            let mut watch = feed.watch_as(bob, &person(1), feed.head());
            let removed = timeout(IN_TIME, async { while watch.next().await.is_ok() {} });
            removed.await.expect("is served no longer");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_node_learns_in_time_of_hundreds_of_sessions_whose_messages_are_lost() {
    let mut dice = Random::new(9);
    let simulation = Simulation::new(&mut dice).await;
    let feeds = feeds_of_isolated_node(&simulation, &mut dice);
    let mut watches = vec![];
    for _ in 0..600 {
        let session = append_builders::new_session_id();
        let fence = simulation.memory.claim_after(session, None, Fence::default()).expect("claims");
        simulation.memory.append(&append_builders::append(session, fence, 0, &["begun"])).expect("appends");
        let feed = feeds.open(session).await.expect("opens");
        watches.push((feed.watch(1), feed, fence));
    }
    for (_, feed, fence) in &watches {
        simulation.memory.append(&append_builders::append(feed.session(), *fence, 1, &["more"])).expect("appends");
    }
    let received = timeout(IN_TIME, async {
        for (watch, ..) in &mut watches {
            while watch.seq() < 2 {
                watch.next().await.expect("goes on");
            }
        }
    });
    received.await.expect("all are heard of");
}
