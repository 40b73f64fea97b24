//! The lifetimes of credentials and invitations follow the database's clock, identically on every node.

use std::time::Duration;

use roundtable::identity::{CredentialKind, Participant, ServerRole};
use roundtable::kernel::{ActorKind, Role};

use crate::append_builders::{at, begun};
use crate::fresh_database::Fresh;
use crate::identity_laws::{HOUR, give, give_from, invite};

/// With a stoppable database clock, the laws hold to the millisecond, and the node's own clock does not matter.
#[tokio::test]
async fn lifetimes_follow_the_clock_of_the_database() {
    let fresh = Fresh::postgres().await;
    let engines = fresh.open().await;
    let (store, (session, _)) = (engines.identities, begun(&engines.events).await);
    let admin = Participant::new(ActorKind::User, "Ada", ServerRole::Admin);
    store.add_participant(&admin, at(1)).await.expect("adds");
    let now = at(4_000_000_000_000);
    let end = now.plus(1_000);
    fresh.stop_clock(now).await;
    let second = Duration::from_secs(1);
    let token = give(&store, &admin, CredentialKind::Token, Some(second)).await;
    let cookie = give_from(&store, Some(token), &admin, CredentialKind::Cookie, Some(HOUR)).await;
    let invitation = invite(&store, session, Role::Viewer, second).await;
    let listed = store.tokens().await.expect("lists");
    assert_eq!((listed[0].created_at, listed[0].expires_at, invitation.expires_at), (now, Some(end), end));

    let open = async || {
        let link = give(&store, &admin, CredentialKind::SignIn, Some(second)).await;
        let until = format!("update credentials set expires_at = {} where id = '{}'", end.millis(), link.id());
        fresh.tamper(&until).await;
        [
            store.authenticate(token, CredentialKind::Token).await.expect("reads").is_some(),
            store.authenticate(cookie, CredentialKind::Cookie).await.expect("reads").is_some(),
            store.redeem(link, CredentialKind::SignIn).await.expect("answers").is_some(),
            !store.tokens().await.expect("lists").is_empty(),
            store.invitation(invitation.hash).await.expect("reads").is_some(),
            !store.invitations(session).await.expect("lists").is_empty(),
        ]
    };
    fresh.stop_clock(at(end.millis() - 1)).await;
    assert_eq!(open().await, [true; 6]);
    fresh.stop_clock(end).await;
    assert_eq!(open().await, [false; 6], "the end is not within it");
    for (left, comes_in) in [(1, true), (0, false)] {
        fresh.stop_clock(at(now.millis() + HOUR.as_millis() as u64 - left)).await;
        assert_eq!(store.has_administrator().await.expect("answers"), comes_in);
    }
}
