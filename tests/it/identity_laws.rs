//! The laws of `IdentityStore`, on every engine.

use std::{collections::HashSet, sync::Arc};

use futures_util::future::join_all;
use roundtable::{
    clock,
    identity::{Grant, IdentityStore, Invitation, NewCredential, Participant, Secret, SecretHash, Standing},
    kernel::{ActorKind, Role, Timestamp},
};

use crate::{
    fresh::{Fresh, laws},
    logbook::{append, at, begun, participant},
};

laws! {
    a_participant_reads_back_as_they_were_added,
    a_name_finds_the_oldest_of_its_kind,
    a_credential_opens_what_it_is_for_until_it_ends,
    a_credential_is_used_up_once_however_uses_race,
    a_use_that_fails_uses_nothing_up,
    tokens_are_listed_and_revoked_by_the_beginning_of_their_id,
    an_administrator_is_there_while_one_can_come_in,
    what_is_removed_opens_nothing,
    what_was_made_from_a_credential_ends_with_it,
    what_has_ended_is_told_to_all,
    invitations_of_a_session_are_listed_and_removed,
    an_invitation_is_good_until_it_ends,
    what_has_ended_is_swept_away_and_nothing_else,
    what_cannot_be_kept_is_refused_aloud,
}

type Identities = Arc<dyn IdentityStore>;

async fn add(store: &Identities, name: &str, kind: ActorKind, created: u64) -> Participant {
    let added = Participant { id: participant(), kind, name: name.into(), standing: Standing::Member };
    store.add_participant(&added, at(created)).await.expect("adds");
    added
}

async fn give(store: &Identities, to: &Participant, grant: Grant, created: u64, expires: Option<u64>) -> SecretHash {
    let hash = Secret::random("test").hash();
    let (created_at, expires_at) = (at(created), expires.map(at));
    let credential = NewCredential { hash, grant, participant: to.id, created_at, expires_at, origin: None };
    store.add_credential(&credential).await.expect("adds");
    hash
}

async fn a_participant_reads_back_as_they_were_added(fresh: Fresh) {
    let store = fresh.open().await.identities;
    for (kind, standing) in
        [(ActorKind::User, Standing::Admin), (ActorKind::Bot, Standing::Member), (ActorKind::User, Standing::Guest)]
    {
        let mut added = Participant { id: participant(), kind, name: "王'芳\" 🙂".into(), standing };
        store.add_participant(&added, at(1)).await.expect("adds");
        assert_eq!(store.participant(added.id).await.expect("reads"), Some(added.clone()));
        store.rename(added.id, "Ada").await.expect("renames");
        added.name = "Ada".into();
        assert_eq!(fresh.open().await.identities.participant(added.id).await.expect("reads"), Some(added));
    }
    assert_eq!(store.participant(participant()).await.expect("reads"), None);
}

async fn a_name_finds_the_oldest_of_its_kind(fresh: Fresh) {
    let store = fresh.open().await.identities;
    add(&store, "Ada", ActorKind::User, 30).await;
    let oldest = add(&store, "Ada", ActorKind::User, 10).await;
    add(&store, "Ada", ActorKind::User, 20).await;
    let bot = add(&store, "Ada", ActorKind::Bot, 5).await;
    assert_eq!(store.participant_named("Ada", ActorKind::User).await.expect("reads"), Some(oldest));
    assert_eq!(store.participant_named("Ada", ActorKind::Bot).await.expect("reads"), Some(bot));
    for wrong in ["ada", "Ad", "Ada ", "%", ""] {
        assert_eq!(store.participant_named(wrong, ActorKind::User).await.expect("reads"), None, "{wrong:?}");
    }
}

async fn a_credential_opens_what_it_is_for_until_it_ends(fresh: Fresh) {
    let store = fresh.open().await.identities;
    let ada = add(&store, "Ada", ActorKind::User, 1).await;
    let grants = [Grant::Token, Grant::Cookie, Grant::SignIn];
    for grant in grants {
        let ends = give(&store, &ada, grant, 1, Some(100)).await;
        let stays = give(&store, &ada, grant, 1, None).await;
        for asked in grants {
            let opens = |now, hash| store.authenticate(hash, asked, at(now));
            let expected = (asked == grant).then(|| ada.clone());
            assert_eq!(opens(99, ends).await.expect("reads"), expected);
            assert_eq!(opens(100, ends).await.expect("reads"), None, "its end is not within it");
            assert_eq!(opens(u64::MAX, stays).await.expect("reads"), expected);
        }
    }
    let unknown = Secret::random("token").hash();
    assert_eq!(store.authenticate(unknown, Grant::Token, at(1)).await.expect("reads"), None);
}

async fn a_credential_is_used_up_once_however_uses_race(fresh: Fresh) {
    let stores = [fresh.open().await.identities, fresh.open().await.identities];
    let ada = add(&stores[0], "Ada", ActorKind::User, 1).await;
    for _ in 0..5 {
        let link = give(&stores[0], &ada, Grant::SignIn, 1, Some(100)).await;
        let uses = (0..20).map(|n| stores[n % 2].redeem(link, Grant::SignIn, at(50)));
        let answers = join_all(uses).await.into_iter().filter_map(|answer| answer.expect("answers"));
        assert_eq!(answers.collect::<Vec<_>>(), std::slice::from_ref(&ada));
        assert_eq!(stores[1].authenticate(link, Grant::SignIn, at(50)).await.expect("reads"), None);
    }
}

async fn a_use_that_fails_uses_nothing_up(fresh: Fresh) {
    let store = fresh.open().await.identities;
    let ada = add(&store, "Ada", ActorKind::User, 1).await;
    let link = give(&store, &ada, Grant::SignIn, 1, Some(100)).await;
    assert_eq!(store.redeem(link, Grant::Cookie, at(50)).await.expect("answers"), None);
    assert_eq!(store.redeem(link, Grant::SignIn, at(100)).await.expect("answers"), None);
    assert_eq!(store.redeem(link, Grant::SignIn, at(50)).await.expect("answers"), Some(ada));
}

async fn tokens_are_listed_and_revoked_by_the_beginning_of_their_id(fresh: Fresh) {
    let store = fresh.open().await.identities;
    let ada = add(&store, "Ada", ActorKind::User, 1).await;
    let bot = add(&store, "Bot", ActorKind::Bot, 1).await;
    let later = give(&store, &ada, Grant::Token, 20, Some(100)).await;
    let first = give(&store, &bot, Grant::Token, 10, None).await;
    give(&store, &ada, Grant::Token, 5, Some(50)).await;
    let cookie = give(&store, &ada, Grant::Cookie, 5, None).await;
    let listed = store.tokens(at(50)).await.expect("lists");
    let seen: Vec<_> =
        listed.iter().map(|token| (&*token.participant.name, token.created_at, token.expires_at)).collect();
    assert_eq!(seen, [("Bot", at(10), None), ("Ada", at(20), Some(at(100)))]);
    assert!(listed.iter().all(|token| token.id.len() == 12 && token.id.bytes().all(|b| b.is_ascii_hexdigit())));

    for nothing in ["", "%", "_", "zz", &format!("{}0", listed[0].id)] {
        assert_eq!(store.revoke_tokens(nothing).await.expect("answers"), 0, "{nothing:?}");
    }
    assert_eq!(store.revoke_tokens(&listed[0].id[..10].to_uppercase()).await.expect("revokes"), 1);
    assert_eq!(store.authenticate(first, Grant::Token, at(1)).await.expect("reads"), None);
    assert_eq!(store.authenticate(later, Grant::Token, at(1)).await.expect("reads"), Some(ada.clone()));
    let cookie_id: String = cookie.0[..6].iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(store.revoke_tokens(&cookie_id).await.expect("answers"), 0, "a cookie is not a token");
    assert_eq!(store.authenticate(cookie, Grant::Cookie, at(1)).await.expect("reads"), Some(ada));
}

async fn an_administrator_is_there_while_one_can_come_in(fresh: Fresh) {
    let store = fresh.open().await.identities;
    let member = add(&store, "Ada", ActorKind::User, 1).await;
    give(&store, &member, Grant::Token, 1, None).await;
    let admin = Participant { id: participant(), standing: Standing::Admin, ..member };
    store.add_participant(&admin, at(1)).await.expect("adds");
    give(&store, &admin, Grant::SignIn, 1, None).await;
    assert!(!store.has_administrator(at(1)).await.expect("answers"), "a link that nobody used yet is no way in");
    give(&store, &admin, Grant::Cookie, 1, Some(50)).await;
    assert!(store.has_administrator(at(49)).await.expect("answers"));
    assert!(!store.has_administrator(at(50)).await.expect("answers"));
    let token = give(&store, &admin, Grant::Token, 1, None).await;
    assert!(store.has_administrator(at(50)).await.expect("answers"));
    store.remove_credential(token).await.expect("removes");
    assert!(!store.has_administrator(at(50)).await.expect("answers"));
}

async fn what_is_removed_opens_nothing(fresh: Fresh) {
    let store = fresh.open().await.identities;
    let ada = add(&store, "Ada", ActorKind::User, 1).await;
    let here = give(&store, &ada, Grant::Cookie, 1, None).await;
    let there = give(&store, &ada, Grant::Cookie, 1, None).await;
    store.remove_credential(here).await.expect("removes");
    assert_eq!(store.authenticate(here, Grant::Cookie, at(1)).await.expect("reads"), None);
    assert_eq!(store.authenticate(there, Grant::Cookie, at(1)).await.expect("reads"), Some(ada));
    store.remove_credential(here).await.expect("is no error twice");
}

async fn what_was_made_from_a_credential_ends_with_it(fresh: Fresh) {
    let store = fresh.open().await.identities;
    let ada = add(&store, "Ada", ActorKind::User, 1).await;
    let from = async |origin: SecretHash| {
        let hash = Secret::random("cookie").hash();
        let (grant, created_at, expires_at) = (Grant::Cookie, at(1), Some(at(1000)));
        let made = NewCredential { hash, grant, participant: ada.id, created_at, expires_at, origin: Some(origin) };
        store.add_credential(&made).await.expect("adds");
        hash
    };
    let opens = async |hash, now| store.authenticate(hash, Grant::Cookie, at(now)).await.expect("reads").is_some();
    let short = from(give(&store, &ada, Grant::Token, 1, Some(100)).await).await;
    assert!(opens(short, 99).await && !opens(short, 100).await, "the token is over at 100");
    let token = give(&store, &ada, Grant::Token, 1, None).await;
    let (revoked, stays) = (from(token).await, from(give(&store, &ada, Grant::Token, 1, None).await).await);
    assert!(opens(revoked, 999).await && !opens(revoked, 1000).await);
    assert_eq!(store.revoke_tokens(&token.id()).await.expect("revokes"), 1);
    assert!(!opens(revoked, 1).await && opens(stays, 1).await);
    store.remove_ended(at(100)).await.expect("removes");
    assert!(!opens(short, 1).await && opens(stays, 1).await);
}

async fn what_has_ended_is_told_to_all(fresh: Fresh) {
    let (store, other) = (fresh.open().await.identities, fresh.open().await.identities);
    let ada = add(&store, "Ada", ActorKind::User, 1).await;
    let now = clock::now();
    let made_from = async |origin: SecretHash| {
        let (hash, grant) = (Secret::random("cookie").hash(), Grant::Cookie);
        let expires_at = Some(now.plus(600_000));
        let made =
            NewCredential { hash, grant, participant: ada.id, created_at: now, expires_at, origin: Some(origin) };
        store.add_credential(&made).await.expect("adds");
        hash
    };
    let told = async |since| {
        let ended = other.ended(since).await.expect("reads");
        assert!(ended.now >= now, "by the database's clock");
        ended.credentials.into_iter().collect::<HashSet<_>>()
    };
    let stays = made_from(give(&store, &ada, Grant::Token, 1, None).await).await;
    assert!(told(Timestamp::default()).await.is_empty());

    let token = give(&store, &ada, Grant::Token, 1, None).await;
    let cookie = made_from(token).await;
    let signed_out = made_from(give(&store, &ada, Grant::Token, 1, None).await).await;
    store.revoke_tokens(&token.id()).await.expect("revokes");
    store.remove_credential(signed_out).await.expect("removes");
    let link = give(&store, &ada, Grant::SignIn, 1, None).await;
    store.redeem(link, Grant::SignIn, now).await.expect("redeems");
    let revoked = HashSet::from([token, cookie, signed_out]);
    assert_eq!(told(Timestamp::default()).await, revoked);
    let before = now.millis() - 60_000;
    let over = give(&store, &ada, Grant::Token, 1, Some(before)).await;
    let over_with_it = made_from(over).await;
    let all = revoked.union(&HashSet::from([over, over_with_it])).copied().collect();
    assert_eq!(told(at(before - 1)).await, all);
    assert_eq!(told(at(before)).await, revoked, "that was before");
    assert!(told(now.plus(600_000)).await.is_empty());

    // Told for a day, swept or not.
    store.remove_ended(clock::now()).await.expect("removes");
    assert_eq!(told(at(before)).await, all);
    store.remove_ended(now.plus(2 * 86_400_000)).await.expect("removes");
    assert!(!told(at(before)).await.contains(&token));
    assert!(store.authenticate(stays, Grant::Cookie, now).await.expect("reads").is_none(), "its own end");
}

async fn invitations_of_a_session_are_listed_and_removed(fresh: Fresh) {
    let engines = fresh.open().await;
    let (store, log) = (engines.identities, engines.events);
    let (session, _) = begun(&log).await;
    let (other, _) = begun(&log).await;
    let mut made = vec![];
    for (session, ends) in [(session, 300), (session, 200), (session, 100), (other, 200)] {
        let hash = Secret::random("invite").hash();
        let invitation = Invitation { hash, session, role: Role::Viewer, by: participant(), expires_at: at(ends) };
        store.add_invitation(&invitation).await.expect("adds");
        made.push(invitation);
    }
    assert_eq!(store.invitations(session, at(100)).await.expect("lists"), [made[1].clone(), made[0].clone()]);
    store.remove_invitation(made[1].hash).await.expect("removes");
    assert_eq!(store.invitations(session, at(100)).await.expect("lists"), [made[0].clone()]);
    assert_eq!(store.invitation(made[1].hash, at(1)).await.expect("reads"), None);
    assert_eq!(store.invitations(other, at(1)).await.expect("lists"), [made[3].clone()]);
}

async fn an_invitation_is_good_until_it_ends(fresh: Fresh) {
    let engines = fresh.open().await;
    let (store, log) = (engines.identities, engines.events);
    for role in Role::ALL {
        let (session, _) = begun(&log).await;
        let hash = Secret::random("invite").hash();
        let invitation = Invitation { hash, session, role, by: participant(), expires_at: at(100) };
        store.add_invitation(&invitation).await.expect("adds");
        for _ in 0..2 {
            assert_eq!(store.invitation(hash, at(99)).await.expect("reads"), Some(invitation.clone()));
        }
        assert_eq!(store.invitation(hash, at(100)).await.expect("reads"), None);
        log.remove_expired(at(50)).await.expect("removes");
        assert_eq!(store.invitation(hash, at(99)).await.expect("reads"), None, "its session is gone");
    }
    assert_eq!(store.invitation(Secret::random("invite").hash(), at(1)).await.expect("reads"), None);
}

async fn what_has_ended_is_swept_away_and_nothing_else(fresh: Fresh) {
    let engines = fresh.open().await;
    let store = engines.identities;
    let ada = add(&store, "Ada", ActorKind::User, 1).await;
    let (session, fence) = begun(&engines.events).await;
    engines.events.append(append(session, fence, 1, &["x"])).await.expect("appends");
    let mut credentials = Vec::new();
    let mut invitations = Vec::new();
    for ends in [Some(99), Some(100), Some(101), None] {
        credentials.push((give(&store, &ada, Grant::Cookie, 1, ends).await, ends));
        let hash = Secret::random("invite").hash();
        let expires_at = at(ends.unwrap_or(u64::MAX));
        let invitation = Invitation { hash, session, role: Role::Viewer, by: ada.id, expires_at };
        store.add_invitation(&invitation).await.expect("adds");
        invitations.push((hash, ends));
    }
    store.remove_ended(at(100)).await.expect("removes");
    // Seen from before their end, only what was removed is missing.
    for (hash, ends) in credentials {
        let there = store.authenticate(hash, Grant::Cookie, at(1)).await.expect("reads").is_some();
        assert_eq!(there, ends.is_none_or(|ends| ends > 100), "{ends:?}");
    }
    for (hash, ends) in invitations {
        let there = store.invitation(hash, at(1)).await.expect("reads").is_some();
        assert_eq!(there, ends.is_none_or(|ends| ends > 100), "{ends:?}");
    }
}

async fn what_cannot_be_kept_is_refused_aloud(fresh: Fresh) {
    let store = fresh.open().await.identities;
    let ada = add(&store, "Ada", ActorKind::User, 1).await;
    store.add_participant(&ada, at(2)).await.expect_err("is there already");
    for kind in [ActorKind::Agent, ActorKind::System] {
        let thing = Participant { id: participant(), kind, ..ada.clone() };
        store.add_participant(&thing, at(1)).await.expect_err("is not a participant");
    }
    let hash = Secret::random("token").hash();
    let (grant, created_at) = (Grant::Token, at(1));
    let of = |participant| NewCredential { hash, grant, participant, created_at, expires_at: None, origin: None };
    store.add_credential(&of(participant())).await.expect_err("is nobody's");
    store.add_credential(&of(ada.id)).await.expect("adds");
    store.add_credential(&of(ada.id)).await.expect_err("is known already");
    let session = crate::logbook::session();
    let invitation = Invitation { hash, session, role: Role::Viewer, by: ada.id, expires_at: at(9) };
    store.add_invitation(&invitation).await.expect_err("leads nowhere");
    assert_eq!(store.tokens(at(1)).await.expect("lists").len(), 1);
}
