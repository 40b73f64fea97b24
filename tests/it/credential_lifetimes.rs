//! The lifetimes of credentials and invitations follow the database's clock, identically on every node.

use std::time::Duration;

use roundtable::identity::{CredentialKind, Participant, ServerRole};
use roundtable::kernel::{ActorKind, Role};

use crate::append_builders::{start_session, timestamp};
use crate::fresh_database::FreshDatabase;
use crate::identity_laws::{HOUR, add_credential, add_derived_credential, add_invitation};

/// While the database's clock is stopped, the laws hold to the millisecond, and the node's own clock does not matter.
#[tokio::test]
async fn lifetimes_follow_the_clock_of_the_database() {
    let fresh = FreshDatabase::postgres().await;
    let engines = fresh.open().await;
    let (store, (session, _)) = (engines.identities, start_session(&engines.events).await);
    let admin = Participant::new(ActorKind::User, "Ada", ServerRole::Admin);
    store.add_participant(&admin, timestamp(1)).await.expect("adds");
    let now = timestamp(4_000_000_000_000);
    let end = now.plus(1_000);
    fresh.stop_clock(now).await;
    let second = Duration::from_secs(1);
    let token = add_credential(&store, &admin, CredentialKind::Token, Some(second)).await;
    let cookie = add_derived_credential(&store, Some(token), &admin, CredentialKind::Cookie, Some(HOUR)).await;
    let invitation = add_invitation(&store, session, Role::Viewer, second).await;
    let listed = store.tokens().await.expect("lists");
    assert_eq!((listed[0].created_at, listed[0].expires_at, invitation.expires_at), (now, Some(end), end));

    let open = async || {
        let link = add_credential(&store, &admin, CredentialKind::SignIn, Some(second)).await;
        let until = format!("update credentials set expires_at = {} where id = '{}'", end.millis(), link.id());
        fresh.execute_sql(&until).await;
        [
            store.authenticate(token, CredentialKind::Token).await.expect("reads").is_some(),
            store.authenticate(cookie, CredentialKind::Cookie).await.expect("reads").is_some(),
            store.redeem(link, CredentialKind::SignIn).await.expect("answers").is_some(),
            !store.tokens().await.expect("lists").is_empty(),
            store.invitation(invitation.hash).await.expect("reads").is_some(),
            !store.invitations(session).await.expect("lists").is_empty(),
        ]
    };
    fresh.stop_clock(timestamp(end.millis() - 1)).await;
    assert_eq!(open().await, [true; 6]);
    fresh.stop_clock(end).await;
    assert_eq!(open().await, [false; 6], "the end is not within it");
    for (left, comes_in) in [(1, true), (0, false)] {
        fresh.stop_clock(timestamp(now.millis() + HOUR.as_millis() as u64 - left)).await;
        assert_eq!(store.has_administrator().await.expect("answers"), comes_in);
    }
}
