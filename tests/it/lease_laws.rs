//! The laws of `LeaseStore`, on every engine.

use std::collections::BTreeSet;
use std::time::Duration;

use futures_util::future::join_all;
use roundtable::kernel::SessionId;
use roundtable::node_id::NodeId;
use roundtable::store::{AppendError, ClaimError, Fence, LeaseTerm, Listing, LiveNode, Stores};

use crate::{
    append_builders::{AppendExt, append, listing, new_session_id},
    fresh_database::{FreshDatabase, laws},
};

laws! {
    a_claim_of_a_live_node_is_not_taken_over,
    a_node_with_an_expired_lease_writes_nothing,
    a_node_without_a_lease_claims_nothing,
    a_node_that_ends_its_lease_releases_all_claims,
    releasing_a_claim_frees_it_and_leaves_later_claims_alone,
    a_writer_reclaims_a_session_that_nobody_else_claimed,
    a_late_claim_takes_nothing,
    a_writer_without_a_lease_can_reclaim_too,
    only_one_of_several_nodes_claims_an_orphan,
    only_sessions_without_a_live_owner_are_orphans,
    the_first_renewal_after_an_outage_takes_over_nothing,
    renewing_an_expired_lease_starts_another_term,
    a_node_that_died_long_ago_is_forgotten,
    many_heads_are_read_at_once,
}

const LONG: Duration = Duration::from_secs(3600);

/// A lease that expires immediately, so that no test waits for a clock.
const OVER: Duration = Duration::ZERO;

async fn add_node(engines: &Stores, ttl: Duration) -> NodeId {
    let node = NodeId::fresh();
    renew_lease(engines, node, ttl).await;
    node
}

fn unfinished_listing() -> Listing {
    Listing { unfinished: true, ..listing("t", 1) }
}

async fn start_unfinished_session(engines: &Stores, owner: NodeId) -> (SessionId, Fence) {
    let session = new_session_id();
    let fence = engines.events.claim(session, Some(owner)).await.expect("claims");
    engines.events.append(append(session, fence, 0, &["x"]).with_listing(unfinished_listing())).await.expect("appends");
    (session, fence)
}

async fn renew_lease(engines: &Stores, node: NodeId, ttl: Duration) -> LeaseTerm {
    let living = LiveNode { node, name: "n".into(), version: "1".into(), bus: None };
    engines.leases.renew(&living, ttl).await.expect("renews")
}

async fn expire_lease(engines: &Stores, node: NodeId) {
    renew_lease(engines, node, OVER).await;
}

async fn a_claim_of_a_live_node_is_not_taken_over(fresh: FreshDatabase) {
    let engines = fresh.open().await;
    let (one, two) = (add_node(&engines, LONG).await, add_node(&engines, LONG).await);
    let (session, fence) = start_unfinished_session(&engines, one).await;
    for other in [Some(two), None] {
        let refused = engines.events.claim(session, other).await.expect_err("is held");
        assert!(matches!(refused, ClaimError::Held(by) if by == one), "{refused:?}");
    }
    let place = engines.events.ownership(session).await.expect("reads");
    assert_eq!((place.head, place.owner), (1, Some(one)));
    let again = engines.events.claim(session, Some(one)).await.expect("its own");
    assert!(again > fence, "each claim has a higher fence");
}

async fn a_node_with_an_expired_lease_writes_nothing(fresh: FreshDatabase) {
    let engines = fresh.open().await;
    let (one, two) = (add_node(&engines, LONG).await, add_node(&engines, LONG).await);
    let (session, fence) = start_unfinished_session(&engines, one).await;
    expire_lease(&engines, one).await;
    // No node has taken the session yet, but this node no longer owns it.
    let late = engines.events.append(append(session, fence, 1, &["late"])).await;
    assert!(matches!(late, Err(AppendError::Fenced)), "{late:?}");
    assert_eq!(engines.events.ownership(session).await.expect("reads").owner, None);
    let higher = engines.events.claim(session, Some(two)).await.expect("is free");
    engines.events.append(append(session, higher, 1, &["next"])).await.expect("appends");
    // The node wakes up and renews its lease, but the session stays with its new owner.
    renew_lease(&engines, one, LONG).await;
    let late = engines.events.append(append(session, fence, 2, &["late"])).await;
    assert!(matches!(late, Err(AppendError::Fenced)), "{late:?}");
    assert_eq!(engines.events.head(session).await.expect("reads"), 2);
}

async fn a_node_without_a_lease_claims_nothing(fresh: FreshDatabase) {
    let engines = fresh.open().await;
    for stranger in [NodeId::fresh(), add_node(&engines, OVER).await] {
        let session = new_session_id();
        let refused = engines.events.claim(session, Some(stranger)).await.expect_err("has no lease");
        assert!(matches!(refused, ClaimError::Lapsed), "{refused:?}");
        assert_eq!(engines.events.ownership(session).await.expect("reads").head, 0);
    }
}

async fn a_node_that_ends_its_lease_releases_all_claims(fresh: FreshDatabase) {
    let engines = fresh.open().await;
    let (one, two) = (add_node(&engines, LONG).await, add_node(&engines, LONG).await);
    let (session, fence) = start_unfinished_session(&engines, one).await;
    let owner = async || engines.events.ownership(session).await.expect("reads").owner;
    assert_eq!(owner().await, Some(one));
    engines.leases.end(one).await.expect("ends");
    assert_eq!(owner().await, None);
    engines.events.append(append(session, fence, 1, &["late"])).await.expect_err("has no lease");
    engines.events.claim(session, Some(two)).await.expect("is free");
    assert_eq!(owner().await, Some(two));
}

async fn releasing_a_claim_frees_it_and_leaves_later_claims_alone(fresh: FreshDatabase) {
    let engines = fresh.open().await;
    let (one, two) = (add_node(&engines, LONG).await, add_node(&engines, LONG).await);
    let (session, first) = start_unfinished_session(&engines, one).await;
    engines.events.release(session, first).await.expect("releases");
    engines.events.claim(session, Some(two)).await.expect("is free");
    engines.events.release(session, first).await.expect("is too late to matter");
    assert_eq!(engines.events.ownership(session).await.expect("reads").owner, Some(two));
}

async fn a_writer_reclaims_a_session_that_nobody_else_claimed(fresh: FreshDatabase) {
    let engines = fresh.open().await;
    let (one, two) = (add_node(&engines, LONG).await, add_node(&engines, LONG).await);
    let (session, first) = start_unfinished_session(&engines, one).await;
    let again = async |lease, last| engines.events.reclaim(session, lease, last).await;
    // The reply to this claim is lost.
    let lost = again(Some(one), first).await.expect("its own");
    assert!(matches!(again(Some(one), first).await, Err(ClaimError::Taken)), "one claim too many");
    let third = again(Some(one), first.next()).await.expect("its own");
    assert!(third > lost && lost > first);
    for late in [first, lost] {
        let late = engines.events.append(append(session, late, 1, &["late"])).await;
        assert!(matches!(late, Err(AppendError::Fenced)), "{late:?}");
    }
    engines.events.append(append(session, third, 1, &["next"])).await.expect("appends");
    for other in [Some(two), None] {
        assert!(matches!(again(other, third).await, Err(ClaimError::Taken)), "is not its own");
    }
    expire_lease(&engines, one).await;
    assert!(matches!(again(Some(one), third).await, Err(ClaimError::Lapsed)), "may be renewed");
    engines.events.claim(session, Some(two)).await.expect("is free");
    renew_lease(&engines, one, LONG).await;
    assert!(matches!(again(Some(one), third.next()).await, Err(ClaimError::Taken)), "another node has it");
}

async fn a_late_claim_takes_nothing(fresh: FreshDatabase) {
    let engines = fresh.open().await;
    let (one, two) = (add_node(&engines, LONG).await, add_node(&engines, LONG).await);
    let (new, (unfinished, fence)) = (new_session_id(), start_unfinished_session(&engines, one).await);
    for (session, lease, seen) in [(new, None, Fence(0)), (new, Some(one), Fence(1)), (unfinished, Some(one), fence)] {
        let claim = async |by| engines.events.claim_after(session, by, seen).await;
        let claimed = claim(lease).await.expect("nobody has claimed it since");
        assert!(matches!(claim(lease).await, Err(ClaimError::Taken)), "its sender has given it up, and claimed again");
        claim(Some(two)).await.expect_err("it is not free, or was claimed since");
        assert_eq!(engines.events.ownership(session).await.expect("reads").fence, claimed);
    }
}

async fn a_writer_without_a_lease_can_reclaim_too(fresh: FreshDatabase) {
    let engines = fresh.open().await;
    let session = new_session_id();
    assert!(matches!(engines.events.reclaim(session, None, Fence(1)).await, Err(ClaimError::Taken)), "is no session");
    let first = engines.events.claim(session, None).await.expect("claims");
    let lost = engines.events.reclaim(session, None, first).await.expect("claims again");
    assert!(matches!(engines.events.reclaim(session, None, first).await, Err(ClaimError::Taken)));
    assert!(engines.events.reclaim(session, None, first.next()).await.expect("claims again") > lost);
}

async fn only_one_of_several_nodes_claims_an_orphan(fresh: FreshDatabase) {
    let engines = fresh.open().await;
    let dead = add_node(&engines, LONG).await;
    let (session, _) = start_unfinished_session(&engines, dead).await;
    expire_lease(&engines, dead).await;
    let mut nodes = vec![];
    for _ in 0..8 {
        nodes.push(add_node(&engines, LONG).await);
    }
    let claims = join_all(nodes.iter().map(|node| engines.events.claim(session, Some(*node)))).await;
    assert_eq!(claims.iter().filter(|claim| claim.is_ok()).count(), 1, "{claims:?}");
}

async fn only_sessions_without_a_live_owner_are_orphans(fresh: FreshDatabase) {
    let engines = fresh.open().await;
    let (one, two) = (add_node(&engines, LONG).await, add_node(&engines, LONG).await);
    let (held, _) = start_unfinished_session(&engines, one).await;
    let (left, _) = start_unfinished_session(&engines, two).await;
    let (given, fence) = start_unfinished_session(&engines, one).await;
    engines.events.release(given, fence).await.expect("releases");
    expire_lease(&engines, two).await;
    let orphans = BTreeSet::from_iter(engines.events.orphans(Some(one), 10).await.expect("reads"));
    assert_eq!(orphans, BTreeSet::from([left, given]), "{held} is held");
}

async fn the_first_renewal_after_an_outage_takes_over_nothing(fresh: FreshDatabase) {
    let engines = fresh.open().await;
    let (one, two) = (add_node(&engines, LONG).await, add_node(&engines, LONG).await);
    let (kept, fence) = start_unfinished_session(&engines, two).await;
    let (own, _) = start_unfinished_session(&engines, one).await;
    let (given, last) = start_unfinished_session(&engines, two).await;
    engines.events.release(given, last).await.expect("releases");
    expire_lease(&engines, one).await;
    expire_lease(&engines, two).await;
    renew_lease(&engines, one, LONG).await;
    let refused = engines.events.claim(kept, Some(one)).await.expect_err("may be renewed");
    assert!(matches!(refused, ClaimError::Held(by) if by == two), "{refused:?}");
    let orphans = engines.events.orphans(Some(one), 10).await.expect("reads");
    assert_eq!(orphans, [given], "what nobody has it need not wait for");
    engines.events.claim(own, Some(one)).await.expect("nor for its own");
    engines.events.claim(new_session_id(), Some(one)).await.expect("nor for what is new");
    renew_lease(&engines, two, LONG).await;
    let next = append(kept, fence, 1, &["next"]).with_listing(unfinished_listing());
    engines.events.append(next).await.expect("nobody has taken it");
    // The waiting time is over, and renewals do not start another one.
    expire_lease(&engines, two).await;
    fresh.execute_sql("update nodes set takeover_after = takeover_after - 3600000").await;
    renew_lease(&engines, one, LONG).await;
    let orphans = BTreeSet::from_iter(engines.events.orphans(Some(one), 10).await.expect("reads"));
    assert_eq!(orphans, BTreeSet::from([kept, given]));
    engines.events.claim(kept, Some(one)).await.expect("its node is dead");
}

async fn renewing_an_expired_lease_starts_another_term(fresh: FreshDatabase) {
    let engines = fresh.open().await;
    let one = NodeId::fresh();
    let first = renew_lease(&engines, one, LONG).await;
    assert_eq!(renew_lease(&engines, one, OVER).await, first, "it was not over yet");
    let second = renew_lease(&engines, one, LONG).await;
    assert_ne!(second, first);
    assert_eq!(renew_lease(&engines, one, LONG).await, second);
    // This is the situation after restoring a backup from before the node started.
    engines.leases.end(one).await.expect("ends");
    assert_ne!(renew_lease(&engines, one, LONG).await, second);
}

async fn a_node_that_died_long_ago_is_forgotten(fresh: FreshDatabase) {
    let engines = fresh.open().await;
    let long_dead = add_node(&engines, LONG).await;
    let (session, _) = start_unfinished_session(&engines, long_dead).await;
    expire_lease(&engines, long_dead).await;
    let day = Duration::from_hours(24).as_millis();
    fresh.execute_sql(&format!("update nodes set expires_at = expires_at - {day} - 1")).await;
    let dead = add_node(&engines, OVER).await;
    let alive = add_node(&engines, LONG).await;
    engines.leases.remove_expired_nodes().await.expect("forgets");
    let known = fresh.ids("nodes").await;
    assert_eq!(known, BTreeSet::from([dead.0, alive.0]), "{} died long ago", long_dead.0);
    engines.events.claim(session, Some(alive)).await.expect("what it had is free as before");
}

async fn many_heads_are_read_at_once(fresh: FreshDatabase) {
    let engines = fresh.open().await;
    let one = add_node(&engines, LONG).await;
    let mut expected = BTreeSet::new();
    for _ in 0..70 {
        expected.insert((start_unfinished_session(&engines, one).await.0, 1));
    }
    let mut requested: Vec<SessionId> = expected.iter().map(|(session, _)| *session).collect();
    requested.push(new_session_id());
    let heads = engines.events.heads(&requested).await.expect("reads");
    assert_eq!(BTreeSet::from_iter(heads), expected);
}
