//! The laws of `Leases`, on every engine.

use std::collections::BTreeSet;
use std::time::Duration;

use futures_util::future::join_all;
use roundtable::kernel::SessionId;
use roundtable::node_id::NodeId;
use roundtable::store::{AppendError, ClaimError, Fence, LeaseTerm, Listing, LiveNode, Stores};

use crate::{
    append_builders::{But, append, listing, session},
    fresh_database::{Fresh, laws},
};

laws! {
    a_claim_of_a_live_node_is_not_taken,
    a_node_whose_lease_is_over_writes_nothing,
    a_node_without_a_lease_claims_nothing,
    a_node_that_ends_its_lease_leaves_everything_free,
    a_claim_given_back_is_free_and_a_later_one_is_left_alone,
    a_writer_claims_again_what_nobody_else_has_claimed_since,
    a_claim_that_comes_late_takes_nothing,
    a_writer_without_a_lease_claims_again_too,
    of_nodes_that_want_an_orphan_one_gets_it,
    only_what_no_living_node_has_is_an_orphan,
    the_first_renewal_after_an_outage_takes_over_nothing,
    a_lease_that_was_over_before_it_was_renewed_begins_another_term,
    a_node_that_died_long_ago_is_forgotten,
    many_heads_are_read_at_once,
}

const LONG: Duration = Duration::from_secs(3600);

/// A lease that expires immediately, so that no test waits for a clock.
const OVER: Duration = Duration::ZERO;

async fn node(engines: &Stores, ttl: Duration) -> NodeId {
    let node = NodeId::fresh();
    renew(engines, node, ttl).await;
    node
}

fn unfinished() -> Listing {
    Listing { unfinished: true, ..listing("t", 1) }
}

async fn begun(engines: &Stores, owner: NodeId) -> (SessionId, Fence) {
    let session = session();
    let fence = engines.events.claim(session, Some(owner)).await.expect("claims");
    engines.events.append(append(session, fence, 0, &["x"]).listed(unfinished())).await.expect("appends");
    (session, fence)
}

async fn renew(engines: &Stores, node: NodeId, ttl: Duration) -> LeaseTerm {
    let living = LiveNode { node, name: "n".into(), version: "1".into(), bus: None };
    engines.leases.renew(&living, ttl).await.expect("renews")
}

async fn let_die(engines: &Stores, node: NodeId) {
    renew(engines, node, OVER).await;
}

async fn a_claim_of_a_live_node_is_not_taken(fresh: Fresh) {
    let engines = fresh.open().await;
    let (one, two) = (node(&engines, LONG).await, node(&engines, LONG).await);
    let (session, fence) = begun(&engines, one).await;
    for other in [Some(two), None] {
        let refused = engines.events.claim(session, other).await.expect_err("is held");
        assert!(matches!(refused, ClaimError::Held(by) if by == one), "{refused:?}");
    }
    let place = engines.events.ownership(session).await.expect("reads");
    assert_eq!((place.head, place.owner), (1, Some(one)));
    let again = engines.events.claim(session, Some(one)).await.expect("its own");
    assert!(again > fence, "each claim has a higher fence");
}

async fn a_node_whose_lease_is_over_writes_nothing(fresh: Fresh) {
    let engines = fresh.open().await;
    let (one, two) = (node(&engines, LONG).await, node(&engines, LONG).await);
    let (session, fence) = begun(&engines, one).await;
    let_die(&engines, one).await;
    // No node has taken the session yet, but this node no longer owns it.
    let late = engines.events.append(append(session, fence, 1, &["late"])).await;
    assert!(matches!(late, Err(AppendError::Fenced)), "{late:?}");
    assert_eq!(engines.events.ownership(session).await.expect("reads").owner, None);
    let higher = engines.events.claim(session, Some(two)).await.expect("is free");
    engines.events.append(append(session, higher, 1, &["next"])).await.expect("appends");
    // The node wakes up and renews its lease, but the session stays with its new owner.
    renew(&engines, one, LONG).await;
    let late = engines.events.append(append(session, fence, 2, &["late"])).await;
    assert!(matches!(late, Err(AppendError::Fenced)), "{late:?}");
    assert_eq!(engines.events.head(session).await.expect("reads"), 2);
}

async fn a_node_without_a_lease_claims_nothing(fresh: Fresh) {
    let engines = fresh.open().await;
    for stranger in [NodeId::fresh(), node(&engines, OVER).await] {
        let session = session();
        let refused = engines.events.claim(session, Some(stranger)).await.expect_err("has no lease");
        assert!(matches!(refused, ClaimError::Lapsed), "{refused:?}");
        assert_eq!(engines.events.ownership(session).await.expect("reads").head, 0);
    }
}

async fn a_node_that_ends_its_lease_leaves_everything_free(fresh: Fresh) {
    let engines = fresh.open().await;
    let (one, two) = (node(&engines, LONG).await, node(&engines, LONG).await);
    let (session, fence) = begun(&engines, one).await;
    let owner = async || engines.events.ownership(session).await.expect("reads").owner;
    assert_eq!(owner().await, Some(one));
    engines.leases.end(one).await.expect("ends");
    assert_eq!(owner().await, None);
    engines.events.append(append(session, fence, 1, &["late"])).await.expect_err("has no lease");
    engines.events.claim(session, Some(two)).await.expect("is free");
    assert_eq!(owner().await, Some(two));
}

async fn a_claim_given_back_is_free_and_a_later_one_is_left_alone(fresh: Fresh) {
    let engines = fresh.open().await;
    let (one, two) = (node(&engines, LONG).await, node(&engines, LONG).await);
    let (session, first) = begun(&engines, one).await;
    engines.events.release(session, first).await.expect("releases");
    engines.events.claim(session, Some(two)).await.expect("is free");
    engines.events.release(session, first).await.expect("is too late to matter");
    assert_eq!(engines.events.ownership(session).await.expect("reads").owner, Some(two));
}

async fn a_writer_claims_again_what_nobody_else_has_claimed_since(fresh: Fresh) {
    let engines = fresh.open().await;
    let (one, two) = (node(&engines, LONG).await, node(&engines, LONG).await);
    let (session, first) = begun(&engines, one).await;
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
    let_die(&engines, one).await;
    assert!(matches!(again(Some(one), third).await, Err(ClaimError::Lapsed)), "may be renewed");
    engines.events.claim(session, Some(two)).await.expect("is free");
    renew(&engines, one, LONG).await;
    assert!(matches!(again(Some(one), third.next()).await, Err(ClaimError::Taken)), "another node has it");
}

async fn a_claim_that_comes_late_takes_nothing(fresh: Fresh) {
    let engines = fresh.open().await;
    let (one, two) = (node(&engines, LONG).await, node(&engines, LONG).await);
    let (new, (begun, fence)) = (session(), begun(&engines, one).await);
    for (session, lease, seen) in [(new, None, Fence(0)), (new, Some(one), Fence(1)), (begun, Some(one), fence)] {
        let claim = async |by| engines.events.claim_after(session, by, seen).await;
        let claimed = claim(lease).await.expect("nobody has claimed it since");
        assert!(matches!(claim(lease).await, Err(ClaimError::Taken)), "its sender has given it up, and claimed again");
        claim(Some(two)).await.expect_err("it is not free, or was claimed since");
        assert_eq!(engines.events.ownership(session).await.expect("reads").fence, claimed);
    }
}

async fn a_writer_without_a_lease_claims_again_too(fresh: Fresh) {
    let engines = fresh.open().await;
    let session = session();
    assert!(matches!(engines.events.reclaim(session, None, Fence(1)).await, Err(ClaimError::Taken)), "is no session");
    let first = engines.events.claim(session, None).await.expect("claims");
    let lost = engines.events.reclaim(session, None, first).await.expect("claims again");
    assert!(matches!(engines.events.reclaim(session, None, first).await, Err(ClaimError::Taken)));
    assert!(engines.events.reclaim(session, None, first.next()).await.expect("claims again") > lost);
}

async fn of_nodes_that_want_an_orphan_one_gets_it(fresh: Fresh) {
    let engines = fresh.open().await;
    let dead = node(&engines, LONG).await;
    let (session, _) = begun(&engines, dead).await;
    let_die(&engines, dead).await;
    let mut nodes = vec![];
    for _ in 0..8 {
        nodes.push(node(&engines, LONG).await);
    }
    let claims = join_all(nodes.iter().map(|node| engines.events.claim(session, Some(*node)))).await;
    assert_eq!(claims.iter().filter(|claim| claim.is_ok()).count(), 1, "{claims:?}");
}

async fn only_what_no_living_node_has_is_an_orphan(fresh: Fresh) {
    let engines = fresh.open().await;
    let (one, two) = (node(&engines, LONG).await, node(&engines, LONG).await);
    let (held, _) = begun(&engines, one).await;
    let (left, _) = begun(&engines, two).await;
    let (given, fence) = begun(&engines, one).await;
    engines.events.release(given, fence).await.expect("releases");
    let_die(&engines, two).await;
    let orphans = BTreeSet::from_iter(engines.events.orphans(Some(one), 10).await.expect("reads"));
    assert_eq!(orphans, BTreeSet::from([left, given]), "{held} is held");
}

async fn the_first_renewal_after_an_outage_takes_over_nothing(fresh: Fresh) {
    let engines = fresh.open().await;
    let (one, two) = (node(&engines, LONG).await, node(&engines, LONG).await);
    let (kept, fence) = begun(&engines, two).await;
    let (own, _) = begun(&engines, one).await;
    let (given, last) = begun(&engines, two).await;
    engines.events.release(given, last).await.expect("releases");
    let_die(&engines, one).await;
    let_die(&engines, two).await;
    renew(&engines, one, LONG).await;
    let refused = engines.events.claim(kept, Some(one)).await.expect_err("may be renewed");
    assert!(matches!(refused, ClaimError::Held(by) if by == two), "{refused:?}");
    let orphans = engines.events.orphans(Some(one), 10).await.expect("reads");
    assert_eq!(orphans, [given], "what nobody has it need not wait for");
    engines.events.claim(own, Some(one)).await.expect("nor for its own");
    engines.events.claim(session(), Some(one)).await.expect("nor for what is new");
    renew(&engines, two, LONG).await;
    let next = append(kept, fence, 1, &["next"]).listed(unfinished());
    engines.events.append(next).await.expect("nobody has taken it");
    // The time is over, and renewals do not begin another one.
    let_die(&engines, two).await;
    fresh.tamper("update nodes set takeover_after = takeover_after - 3600000").await;
    renew(&engines, one, LONG).await;
    let orphans = BTreeSet::from_iter(engines.events.orphans(Some(one), 10).await.expect("reads"));
    assert_eq!(orphans, BTreeSet::from([kept, given]));
    engines.events.claim(kept, Some(one)).await.expect("its node is dead");
}

async fn a_lease_that_was_over_before_it_was_renewed_begins_another_term(fresh: Fresh) {
    let engines = fresh.open().await;
    let one = NodeId::fresh();
    let first = renew(&engines, one, LONG).await;
    assert_eq!(renew(&engines, one, OVER).await, first, "it was not over yet");
    let second = renew(&engines, one, LONG).await;
    assert_ne!(second, first);
    assert_eq!(renew(&engines, one, LONG).await, second);
    // The same situation as after restoring a backup from before the node started.
    engines.leases.end(one).await.expect("ends");
    assert_ne!(renew(&engines, one, LONG).await, second);
}

async fn a_node_that_died_long_ago_is_forgotten(fresh: Fresh) {
    let engines = fresh.open().await;
    let long_dead = node(&engines, LONG).await;
    let (session, _) = begun(&engines, long_dead).await;
    let_die(&engines, long_dead).await;
    let day = Duration::from_hours(24).as_millis();
    fresh.tamper(&format!("update nodes set expires_at = expires_at - {day} - 1")).await;
    let dead = node(&engines, OVER).await;
    let alive = node(&engines, LONG).await;
    engines.leases.remove_expired_nodes().await.expect("forgets");
    let known = fresh.ids("nodes").await;
    assert_eq!(known, BTreeSet::from([dead.0, alive.0]), "{} died long ago", long_dead.0);
    engines.events.claim(session, Some(alive)).await.expect("what it had is free as before");
}

async fn many_heads_are_read_at_once(fresh: Fresh) {
    let engines = fresh.open().await;
    let one = node(&engines, LONG).await;
    let mut expected = BTreeSet::new();
    for _ in 0..70 {
        expected.insert((begun(&engines, one).await.0, 1));
    }
    let mut asked: Vec<SessionId> = expected.iter().map(|(session, _)| *session).collect();
    asked.push(session());
    let heads = engines.events.heads(&asked).await.expect("reads");
    assert_eq!(BTreeSet::from_iter(heads), expected);
}
