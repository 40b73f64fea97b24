//! The laws of `IdentityStore`, on every engine.

use std::{
    collections::{BTreeSet, HashSet},
    sync::Arc,
    time::Duration,
};

use futures_util::future::join_all;
use roundtable::{
    clock,
    identity::{
        CredentialKind, IdentityStore, Invitation, NewCredential, NewInvitation, Participant, Secret, SecretHash,
        ServerRole,
    },
    kernel::{ActorKind, ParticipantId, Role, SessionId, Timestamp},
    store::Append,
};

use crate::{
    append_builders::{AppendExt as _, append, new_participant_id, start_session, timestamp},
    fresh_database::{FreshDatabase, laws},
};

laws! {
    a_participant_reads_back_as_they_were_added,
    a_name_finds_the_oldest_participant_of_its_kind,
    a_credential_works_for_its_purpose_until_it_expires,
    a_one_time_credential_is_redeemed_once_under_concurrency,
    a_failed_use_does_not_consume_a_credential,
    tokens_are_listed_and_revoked_by_a_prefix_of_their_id,
    an_administrator_exists_while_one_can_sign_in,
    removed_credentials_are_rejected,
    derived_credentials_end_with_their_origin,
    revocations_reach_all_nodes,
    invitations_of_a_session_are_listed_and_removed,
    the_guests_of_a_session_are_known,
    an_invitation_is_valid_until_it_expires,
    the_sweep_removes_only_ended_credentials,
    unstorable_values_are_rejected_with_an_error,
    a_link_is_not_used_beyond_its_limit_under_concurrency,
    a_disabled_participant_has_no_credential,
    a_disabled_participant_does_not_reserve_a_name,
    the_sessions_that_name_a_participant_stay_known,
    a_use_extends_a_credential_with_an_idle_timeout,
    credentials_are_revoked_by_their_owner_alone,
    participants_are_listed_page_by_page,
}

/// Longer than any test takes.
pub(crate) const HOUR: Duration = Duration::from_secs(60 * 60);

pub(crate) type SharedIdentityStore = Arc<dyn IdentityStore>;

async fn add_participant(store: &SharedIdentityStore, name: &str, kind: ActorKind, created: u64) -> Participant {
    let added = Participant::new(kind, name, ServerRole::Member);
    store.add_participant(&added, timestamp(created)).await.expect("adds");
    added
}

pub(crate) async fn add_credential(
    store: &SharedIdentityStore,
    to: &Participant,
    grant: CredentialKind,
    lasts: Option<Duration>,
) -> SecretHash {
    add_derived_credential(store, None, to, grant, lasts).await
}

pub(crate) async fn add_derived_credential(
    store: &SharedIdentityStore,
    origin: Option<SecretHash>,
    to: &Participant,
    grant: CredentialKind,
    lasts: Option<Duration>,
) -> SecretHash {
    let hash = Secret::random("test").hash();
    let credential = NewCredential { lasts, origin, ..NewCredential::new(hash, grant, to.id) };
    store.add_credential(&credential).await.expect("adds");
    hash
}

fn new_invitation(
    hash: SecretHash,
    session: SessionId,
    role: Role,
    by: ParticipantId,
    lasts: Duration,
) -> NewInvitation {
    NewInvitation { hash, session, role, by, lasts, max_uses: None, knock: false }
}

pub(crate) async fn add_invitation(
    store: &SharedIdentityStore,
    session: SessionId,
    role: Role,
    lasts: Duration,
) -> Invitation {
    let (hash, by) = (Secret::random("invite").hash(), new_participant_id());
    let expires_at = store.add_invitation(&new_invitation(hash, session, role, by, lasts)).await.expect("adds");
    Invitation { hash, session, role, by, expires_at, uses_left: None, knock: false }
}

async fn a_participant_reads_back_as_they_were_added(fresh: FreshDatabase) {
    let store = fresh.open().await.identities;
    for (kind, server_role) in [
        (ActorKind::User, ServerRole::Admin),
        (ActorKind::Bot, ServerRole::Member),
        (ActorKind::User, ServerRole::Guest),
    ] {
        let mut added = Participant::new(kind, "王'芳\" 🙂", server_role);
        store.add_participant(&added, timestamp(1)).await.expect("adds");
        assert_eq!(store.participant(added.id).await.expect("reads"), Some(added.clone()));
        assert!(store.rename(added.id, "Ada").await.expect("renames"));
        added.name = "Ada".into();
        assert_eq!(fresh.open().await.identities.participant(added.id).await.expect("reads"), Some(added));
    }
    assert_eq!(store.participant(new_participant_id()).await.expect("reads"), None);
}

async fn a_name_finds_the_oldest_participant_of_its_kind(fresh: FreshDatabase) {
    let store = fresh.open().await.identities;
    add_participant(&store, "Ada", ActorKind::User, 30).await;
    let oldest = add_participant(&store, "Ada", ActorKind::User, 10).await;
    add_participant(&store, "Ada", ActorKind::User, 20).await;
    let bot = add_participant(&store, "Ada", ActorKind::Bot, 5).await;
    assert_eq!(store.participant_named("Ada", ActorKind::User).await.expect("reads"), Some(oldest));
    assert_eq!(store.participant_named("Ada", ActorKind::Bot).await.expect("reads"), Some(bot));
    for wrong in ["ada", "Ad", "Ada ", "%", ""] {
        assert_eq!(store.participant_named(wrong, ActorKind::User).await.expect("reads"), None, "{wrong:?}");
    }
}

/// Returns the participant as authenticated by this token.
fn authenticated_as(token: SecretHash, who: &Participant) -> Option<Participant> {
    Some(Participant { token: Some(token), ..who.clone() })
}

async fn a_credential_works_for_its_purpose_until_it_expires(fresh: FreshDatabase) {
    let store = fresh.open().await.identities;
    let ada = add_participant(&store, "Ada", ActorKind::User, 1).await;
    let grants = [CredentialKind::Token, CredentialKind::Cookie, CredentialKind::SignIn];
    for grant in grants {
        let over = add_credential(&store, &ada, grant, Some(Duration::ZERO)).await;
        let ends = add_credential(&store, &ada, grant, Some(HOUR)).await;
        let stays = add_credential(&store, &ada, grant, None).await;
        let longest = add_credential(&store, &ada, grant, Some(Duration::MAX)).await;
        for kind in grants {
            let opens = async |hash| store.authenticate(hash, kind).await.expect("reads");
            assert_eq!(opens(over).await, None);
            for hash in [ends, stays, longest] {
                let token = (grant == CredentialKind::Token).then_some(hash);
                assert_eq!(opens(hash).await, (kind == grant).then(|| Participant { token, ..ada.clone() }));
            }
        }
    }
    let unknown = Secret::random("token").hash();
    assert_eq!(store.authenticate(unknown, CredentialKind::Token).await.expect("reads"), None);
}

async fn a_one_time_credential_is_redeemed_once_under_concurrency(fresh: FreshDatabase) {
    let stores = [fresh.open().await.identities, fresh.open().await.identities];
    let ada = add_participant(&stores[0], "Ada", ActorKind::User, 1).await;
    for _ in 0..5 {
        let link = add_credential(&stores[0], &ada, CredentialKind::SignIn, Some(HOUR)).await;
        let uses = (0..20).map(|n| stores[n % 2].redeem(link, CredentialKind::SignIn));
        let answers = join_all(uses).await.into_iter().filter_map(|answer| answer.expect("answers"));
        assert_eq!(answers.collect::<Vec<_>>(), std::slice::from_ref(&ada));
        assert_eq!(stores[1].authenticate(link, CredentialKind::SignIn).await.expect("reads"), None);
    }
}

async fn a_failed_use_does_not_consume_a_credential(fresh: FreshDatabase) {
    let store = fresh.open().await.identities;
    let ada = add_participant(&store, "Ada", ActorKind::User, 1).await;
    let link = add_credential(&store, &ada, CredentialKind::SignIn, Some(HOUR)).await;
    let over = add_credential(&store, &ada, CredentialKind::SignIn, Some(Duration::ZERO)).await;
    assert_eq!(store.redeem(over, CredentialKind::SignIn).await.expect("answers"), None);
    assert_eq!(store.redeem(link, CredentialKind::Cookie).await.expect("answers"), None);
    assert_eq!(store.redeem(link, CredentialKind::SignIn).await.expect("answers"), Some(ada));
}

async fn tokens_are_listed_and_revoked_by_a_prefix_of_their_id(fresh: FreshDatabase) {
    let store = fresh.open().await.identities;
    let ada = add_participant(&store, "Ada", ActorKind::User, 1).await;
    let bot = add_participant(&store, "Bot", ActorKind::Bot, 1).await;
    let later = add_credential(&store, &ada, CredentialKind::Token, Some(HOUR)).await;
    let first = add_credential(&store, &bot, CredentialKind::Token, None).await;
    add_credential(&store, &ada, CredentialKind::Token, Some(Duration::ZERO)).await;
    let cookie = add_credential(&store, &ada, CredentialKind::Cookie, None).await;
    fresh.execute_sql("update credentials set created_at = case when expires_at is null then 10 else 20 end").await;
    let listed = store.tokens().await.expect("lists");
    let seen: Vec<_> =
        listed.iter().map(|token| (&*token.participant.name, token.created_at, token.expires_at.is_some())).collect();
    assert_eq!(seen, [("Bot", timestamp(10), false), ("Ada", timestamp(20), true)]);
    assert!(listed.iter().all(|token| token.id.len() == 12 && token.id.bytes().all(|b| b.is_ascii_hexdigit())));

    for nothing in ["", "%", "_", "zz", &format!("{}0", listed[0].id)] {
        assert_eq!(store.revoke_tokens(nothing).await.expect("answers"), 0, "{nothing:?}");
    }
    assert_eq!(store.revoke_tokens(&listed[0].id[..10].to_uppercase()).await.expect("revokes"), 1);
    assert_eq!(store.authenticate(first, CredentialKind::Token).await.expect("reads"), None);
    assert_eq!(store.authenticate(later, CredentialKind::Token).await.expect("reads"), authenticated_as(later, &ada));
    assert_eq!(store.revoke_tokens(&cookie.id()).await.expect("answers"), 0, "a cookie is not a token");
    assert_eq!(store.authenticate(cookie, CredentialKind::Cookie).await.expect("reads"), Some(ada));
}

async fn an_administrator_exists_while_one_can_sign_in(fresh: FreshDatabase) {
    let store = fresh.open().await.identities;
    let member = add_participant(&store, "Ada", ActorKind::User, 1).await;
    add_credential(&store, &member, CredentialKind::Token, None).await;
    let admin = Participant { id: new_participant_id(), server_role: ServerRole::Admin, ..member };
    store.add_participant(&admin, timestamp(1)).await.expect("adds");
    add_credential(&store, &admin, CredentialKind::SignIn, None).await;
    assert!(!store.has_administrator().await.expect("answers"), "a link that nobody used yet is no way in");
    add_credential(&store, &admin, CredentialKind::Cookie, Some(Duration::ZERO)).await;
    assert!(!store.has_administrator().await.expect("answers"));
    for (grant, lasts) in [(CredentialKind::Cookie, Some(HOUR)), (CredentialKind::Token, None)] {
        let way_in = add_credential(&store, &admin, grant, lasts).await;
        assert!(store.has_administrator().await.expect("answers"));
        store.remove_credential(way_in).await.expect("removes");
        assert!(!store.has_administrator().await.expect("answers"));
    }
}

async fn removed_credentials_are_rejected(fresh: FreshDatabase) {
    let store = fresh.open().await.identities;
    let ada = add_participant(&store, "Ada", ActorKind::User, 1).await;
    let here = add_credential(&store, &ada, CredentialKind::Cookie, None).await;
    let there = add_credential(&store, &ada, CredentialKind::Cookie, None).await;
    store.remove_credential(here).await.expect("removes");
    assert_eq!(store.authenticate(here, CredentialKind::Cookie).await.expect("reads"), None);
    assert_eq!(store.authenticate(there, CredentialKind::Cookie).await.expect("reads"), Some(ada));
    store.remove_credential(here).await.expect("is no error twice");
}

async fn derived_credentials_end_with_their_origin(fresh: FreshDatabase) {
    let store = fresh.open().await.identities;
    let ada = add_participant(&store, "Ada", ActorKind::User, 1).await;
    let from = async |lasts: Option<Duration>| {
        let token = add_credential(&store, &ada, CredentialKind::Token, lasts).await;
        (token, add_derived_credential(&store, Some(token), &ada, CredentialKind::Cookie, Some(10 * HOUR)).await)
    };
    let opens = async |hash| store.authenticate(hash, CredentialKind::Cookie).await.expect("reads").is_some();
    assert!(!opens(from(Some(Duration::ZERO)).await.1).await, "its token is over");
    let ((_, short), (token, revoked), (_, stays)) = (from(Some(HOUR)).await, from(None).await, from(None).await);
    assert!(opens(short).await && opens(revoked).await && opens(stays).await);
    assert_eq!(store.revoke_tokens(&token.id()).await.expect("revokes"), 1);
    assert!(opens(short).await && !opens(revoked).await && opens(stays).await);
    store.remove_ended(clock::now().plus(5 * HOUR.as_millis() as u64)).await.expect("removes");
    assert!(!opens(short).await && opens(stays).await);
}

async fn revocations_reach_all_nodes(fresh: FreshDatabase) {
    let (store, other) = (fresh.open().await.identities, fresh.open().await.identities);
    let ada = add_participant(&store, "Ada", ActorKind::User, 1).await;
    let now = clock::now();
    let made_from = async |origin: SecretHash| {
        add_derived_credential(&store, Some(origin), &ada, CredentialKind::Cookie, Some(HOUR)).await
    };
    let ended_since = async |since| {
        let ended = other.ended(since).await.expect("reads");
        assert!(ended.now >= now, "by the database's clock");
        ended.credentials.into_iter().collect::<HashSet<_>>()
    };
    let stays = made_from(add_credential(&store, &ada, CredentialKind::Token, None).await).await;
    assert!(ended_since(Timestamp::default()).await.is_empty());

    let token = add_credential(&store, &ada, CredentialKind::Token, None).await;
    let cookie = made_from(token).await;
    let signed_out = made_from(add_credential(&store, &ada, CredentialKind::Token, None).await).await;
    store.revoke_tokens(&token.id()).await.expect("revokes");
    store.remove_credential(signed_out).await.expect("removes");
    let link = add_credential(&store, &ada, CredentialKind::SignIn, None).await;
    store.redeem(link, CredentialKind::SignIn).await.expect("redeems");
    let revoked = HashSet::from([token, cookie, signed_out]);
    assert_eq!(ended_since(Timestamp::default()).await, revoked);
    let before = now.millis() - 60_000;
    let over = add_credential(&store, &ada, CredentialKind::Token, None).await;
    let over_with_it = made_from(over).await;
    fresh.execute_sql(&format!("update credentials set expires_at = {before} where id = '{}'", over.id())).await;
    let all = revoked.union(&HashSet::from([over, over_with_it])).copied().collect();
    assert_eq!(ended_since(timestamp(before - 1)).await, all);
    assert_eq!(ended_since(timestamp(before)).await, revoked, "that was before");
    assert!(ended_since(now.plus(600_000)).await.is_empty());

    // Revocations are reported for a day, whether or not they have been swept.
    store.remove_ended(clock::now()).await.expect("removes");
    assert_eq!(ended_since(timestamp(before)).await, all);
    store.remove_ended(now.plus(2 * 86_400_000)).await.expect("removes");
    assert!(!ended_since(timestamp(before)).await.contains(&token));
    assert!(store.authenticate(stays, CredentialKind::Cookie).await.expect("reads").is_none(), "its own end");
}

async fn invitations_of_a_session_are_listed_and_removed(fresh: FreshDatabase) {
    let engines = fresh.open().await;
    let (store, log) = (engines.identities, engines.events);
    let (session, _) = start_session(&log).await;
    let (other, _) = start_session(&log).await;
    let made = async |session, lasts| add_invitation(&store, session, Role::Viewer, lasts).await;
    let (last, first) = (made(session, 2 * HOUR).await, made(session, HOUR).await);
    made(session, Duration::ZERO).await;
    let elsewhere = made(other, HOUR).await;
    assert_eq!(store.invitations(session).await.expect("lists"), [first.clone(), last.clone()]);
    store.remove_invitation(first.hash).await.expect("removes");
    assert_eq!(store.invitations(session).await.expect("lists"), [last]);
    assert_eq!(store.invitation(first.hash).await.expect("reads"), None);
    assert_eq!(store.invitations(other).await.expect("lists"), [elsewhere]);
}

async fn the_guests_of_a_session_are_known(fresh: FreshDatabase) {
    let engines = fresh.open().await;
    let (store, log) = (engines.identities, engines.events);
    let (session, fence) = start_session(&log).await;
    let member = add_participant(&store, "Ann", ActorKind::User, 1).await;
    let guest = Participant { id: new_participant_id(), server_role: ServerRole::Guest, ..member.clone() };
    let elsewhere = Participant { id: new_participant_id(), ..guest.clone() };
    for one in [&guest, &elsewhere] {
        store.add_participant(one, timestamp(2)).await.expect("adds");
    }
    let both = append(session, fence, 1, &["came"]);
    let both = both.with_member(member.id, Some(Role::Owner)).with_member(guest.id, Some(Role::Member));
    log.append(both).await.expect("appends");
    assert_eq!(store.guests(session).await.expect("lists"), [guest.id]);
}

async fn an_invitation_is_valid_until_it_expires(fresh: FreshDatabase) {
    let engines = fresh.open().await;
    let (store, log) = (engines.identities, engines.events);
    for role in Role::ALL {
        let (session, _) = start_session(&log).await;
        let invitation = add_invitation(&store, session, role, HOUR).await;
        for _ in 0..2 {
            assert_eq!(store.invitation(invitation.hash).await.expect("reads"), Some(invitation.clone()));
        }
        let over = add_invitation(&store, session, role, Duration::ZERO).await;
        assert_eq!(store.invitation(over.hash).await.expect("reads"), None);
        fresh.backdate_writes().await;
        log.remove_expired(timestamp(50)).await.expect("removes");
        assert_eq!(store.invitation(invitation.hash).await.expect("reads"), None, "its session is gone");
    }
    assert_eq!(store.invitation(Secret::random("invite").hash()).await.expect("reads"), None);
}

async fn the_sweep_removes_only_ended_credentials(fresh: FreshDatabase) {
    let engines = fresh.open().await;
    let store = engines.identities;
    let ada = add_participant(&store, "Ada", ActorKind::User, 1).await;
    let (session, fence) = start_session(&engines.events).await;
    engines.events.append(append(session, fence, 1, &["x"])).await.expect("appends");
    add_credential(&store, &ada, CredentialKind::Token, None).await;
    let mut invitations = Vec::new();
    for hours in [1, 2, 3] {
        add_credential(&store, &ada, CredentialKind::Token, Some(hours * HOUR)).await;
        invitations.push(add_invitation(&store, session, Role::Viewer, hours * HOUR).await);
    }
    let ends = async || -> BTreeSet<_> {
        store.tokens().await.expect("lists").into_iter().map(|token| token.expires_at).collect()
    };
    let all: Vec<_> = ends().await.into_iter().collect();
    store.remove_ended(all[2].expect("ends")).await.expect("removes");
    assert_eq!(ends().await, BTreeSet::from([None, all[3]]));
    store.remove_ended(invitations[1].expires_at).await.expect("removes");
    assert_eq!(store.invitations(session).await.expect("lists"), invitations[2..]);
}

async fn unstorable_values_are_rejected_with_an_error(fresh: FreshDatabase) {
    let store = fresh.open().await.identities;
    let ada = add_participant(&store, "Ada", ActorKind::User, 1).await;
    store.add_participant(&ada, timestamp(2)).await.expect_err("is there already");
    for kind in [ActorKind::Agent, ActorKind::System] {
        let thing = Participant { id: new_participant_id(), kind, ..ada.clone() };
        store.add_participant(&thing, timestamp(1)).await.expect_err("is not a participant");
    }
    let (hash, grant) = (Secret::random("token").hash(), CredentialKind::Token);
    let of = |participant| NewCredential::new(hash, grant, participant);
    store.add_credential(&of(new_participant_id())).await.expect_err("is nobody's");
    store.add_credential(&of(ada.id)).await.expect("adds");
    store.add_credential(&of(ada.id)).await.expect_err("is known already");
    let session = crate::append_builders::new_session_id();
    let invitation = new_invitation(hash, session, Role::Viewer, ada.id, HOUR);
    store.add_invitation(&invitation).await.expect_err("leads nowhere");
    assert_eq!(store.tokens().await.expect("lists").len(), 1);
}

async fn a_link_is_not_used_beyond_its_limit_under_concurrency(fresh: FreshDatabase) {
    let engines = fresh.open().await;
    let (store, other) = (engines.identities, fresh.open().await.identities);
    let (session, _) = start_session(&engines.events).await;
    for max in [1, 3] {
        let hash = Secret::random("invite").hash();
        let new = NewInvitation {
            max_uses: Some(max),
            ..new_invitation(hash, session, Role::Member, new_participant_id(), HOUR)
        };
        store.add_invitation(&new).await.expect("adds");
        let stores = [&store, &other];
        let answers = join_all((0..12).map(|n| stores[n % 2].use_invitation(hash))).await;
        let used = answers.into_iter().filter(|answer| *answer.as_ref().expect("answers")).count();
        assert_eq!(used, max as usize);
        assert_eq!(store.invitation(hash).await.expect("reads").expect("is known").uses_left, Some(0));
        assert!(store.invitations(session).await.expect("lists").is_empty());
        store.give_use_back(hash).await.expect("gives back");
        assert!(
            other.use_invitation(hash).await.expect("answers") && !store.use_invitation(hash).await.expect("answers")
        );
    }
    let endless = add_invitation(&store, session, Role::Viewer, HOUR).await;
    for _ in 0..3 {
        assert!(store.use_invitation(endless.hash).await.expect("answers"));
    }
    store.remove_invitation(endless.hash).await.expect("removes");
    assert!(!store.use_invitation(endless.hash).await.expect("answers"));
}

async fn a_disabled_participant_has_no_credential(fresh: FreshDatabase) {
    let (store, other) = (fresh.open().await.identities, fresh.open().await.identities);
    let (ada, bob) = (
        add_participant(&store, "Ada", ActorKind::User, 1).await,
        add_participant(&store, "Bob", ActorKind::User, 1).await,
    );
    let (token, link) = (
        add_credential(&store, &ada, CredentialKind::Token, None).await,
        add_credential(&store, &ada, CredentialKind::SignIn, None).await,
    );
    let bobs = add_credential(&store, &bob, CredentialKind::Token, None).await;
    let since = other.ended(Timestamp::default()).await.expect("reads").now;
    assert!(store.set_disabled(ada.id, true).await.expect("answers"));
    assert!(store.is_disabled(ada.id).await.expect("answers") && !store.is_disabled(bob.id).await.expect("answers"));
    assert_eq!(other.authenticate(token, CredentialKind::Token).await.expect("reads"), None);
    assert_eq!(other.redeem(link, CredentialKind::SignIn).await.expect("answers"), None);
    assert_eq!(other.authenticate(bobs, CredentialKind::Token).await.expect("reads"), authenticated_as(bobs, &bob));
    let ended = other.ended(timestamp(since.millis() - 1)).await.expect("reads").credentials;
    assert!(ended.contains(&token) && !ended.contains(&bobs));
    assert!(store.set_disabled(ada.id, false).await.expect("answers"));
    assert_eq!(other.authenticate(token, CredentialKind::Token).await.expect("reads"), authenticated_as(token, &ada));
    assert_eq!(other.redeem(link, CredentialKind::SignIn).await.expect("answers"), Some(ada));
    assert!(!store.set_disabled(new_participant_id(), true).await.expect("answers"), "nobody of this id");
}

async fn a_use_extends_a_credential_with_an_idle_timeout(fresh: FreshDatabase) {
    let store = fresh.open().await.identities;
    let ada = add_participant(&store, "Ada", ActorKind::User, 1).await;
    let make = async |lasts, idle| {
        let hash = Secret::random("cookie").hash();
        let new = NewCredential { lasts, idle, ..NewCredential::new(hash, CredentialKind::Cookie, ada.id) };
        store.add_credential(&new).await.expect("adds");
        hash
    };
    let idle = make(Some(10 * HOUR), Some(2 * HOUR)).await;
    let plain = make(Some(10 * HOUR), None).await;
    let over = make(Some(10 * HOUR), Some(HOUR)).await;
    let hour = HOUR.as_millis() as u64;
    fresh
        .execute_sql(&format!("update credentials set expires_at = expires_at - {hour} where id = '{}'", idle.id()))
        .await;
    fresh.execute_sql(&format!("update credentials set expires_at = 1 where id = '{}'", over.id())).await;
    let ends = async |hash: SecretHash| {
        let listed = store.credentials(Some(ada.id), 10).await.expect("lists");
        let one = listed.into_iter().find(|one| one.id == hash.id())?;
        Some((one.expires_at.expect("ends").millis(), one.last_used_at.is_some(), one.address))
    };
    let (before, plain_before) = (ends(idle).await.expect("is there"), ends(plain).await.expect("is there"));
    let address = Some([192, 0, 2, 7].into());
    let uses = [idle, plain, over].map(|hash| roundtable::identity::CredentialUse { hash, address });
    store.record_uses(&uses).await.expect("writes");
    let (after, plain_after) = (ends(idle).await.expect("is there"), ends(plain).await.expect("is there"));
    assert!(after.0 >= before.0 + hour - 1 && after.1 && !before.1, "{before:?} {after:?}");
    assert_eq!(after.2.as_deref(), Some("192.0.2.7"));
    assert_eq!((plain_after.0, plain_after.1), (plain_before.0, true));
    assert_eq!(ends(over).await, None, "a late use brings nothing back");
    let nowhere = roundtable::identity::CredentialUse { hash: idle, address: None };
    store.record_uses(&[nowhere]).await.expect("writes");
    assert_eq!(ends(idle).await.expect("is there").2.as_deref(), Some("192.0.2.7"), "where it was used last is kept");
}

async fn credentials_are_revoked_by_their_owner_alone(fresh: FreshDatabase) {
    let store = fresh.open().await.identities;
    let (ada, bob) = (
        add_participant(&store, "Ada", ActorKind::User, 1).await,
        add_participant(&store, "Bob", ActorKind::User, 1).await,
    );
    let token = add_credential(&store, &ada, CredentialKind::Token, None).await;
    let made = add_derived_credential(&store, Some(token), &ada, CredentialKind::Cookie, None).await;
    let cookie = add_credential(&store, &ada, CredentialKind::Cookie, None).await;
    let link = add_credential(&store, &ada, CredentialKind::SignIn, None).await;
    let bobs = add_credential(&store, &bob, CredentialKind::Cookie, None).await;
    assert_eq!(store.credentials(None, 10).await.expect("lists").len(), 5);
    assert_eq!(store.credentials(None, 2).await.expect("lists").len(), 2);
    assert_eq!(store.revoke_credential(bob.id, &cookie.id()).await.expect("answers"), None);
    for partly in [&cookie.id()[..6], "", "%"] {
        assert_eq!(store.revoke_credential(ada.id, partly).await.expect("answers"), None);
    }
    assert_eq!(store.revoke_credential(ada.id, &token.id()).await.expect("answers"), Some(CredentialKind::Token));
    let left = async || {
        let listed = store.credentials(Some(ada.id), 10).await.expect("lists");
        listed.into_iter().map(|one| one.id).collect::<BTreeSet<_>>()
    };
    assert_eq!(left().await, BTreeSet::from([cookie.id(), link.id()]), "with what was made from it: {}", made.id());
    let stays = add_credential(&store, &ada, CredentialKind::Token, None).await;
    assert_eq!(store.revoke_sign_ins("").await.expect("answers"), 0);
    assert_eq!(store.revoke_sign_ins(&stays.id()).await.expect("answers"), 0, "a token is no sign-in");
    assert_eq!(store.sign_out_everywhere(ada.id).await.expect("answers"), 2);
    assert_eq!(left().await, BTreeSet::from([stays.id()]));
    assert_eq!(store.revoke_sign_ins(&bobs.id()[..8]).await.expect("answers"), 1);
}

async fn participants_are_listed_page_by_page(fresh: FreshDatabase) {
    let store = fresh.open().await.identities;
    let mut all = vec![];
    for name in ["Ann", "annette", "Bob_", "王芳"] {
        all.push(add_participant(&store, name, ActorKind::User, 7).await);
    }
    all.sort_by_key(|one| std::cmp::Reverse(one.id.0));
    let list = async |search: &str, before, limit| {
        let query =
            roundtable::identity::ParticipantQuery { search: search.into(), before, limit, ..Default::default() };
        let listed = store.participants(&query).await.expect("lists");
        listed.into_iter().map(|one| one.participant).collect::<Vec<_>>()
    };
    assert_eq!(list("", None, 10).await, all);
    assert_eq!(list("", None, 2).await, all[..2]);
    assert_eq!(list("", Some(all[1].id), 10).await, all[2..]);
    assert_eq!(list("ANN", None, 10).await.len(), 2);
    assert_eq!(list("王", None, 10).await.len(), 1);
    assert_eq!(list("_", None, 10).await.len(), 1, "no wildcard");
    store.set_disabled(all[0].id, true).await.expect("answers");
    add_credential(&store, &all[1], CredentialKind::Token, None).await;
    let query = roundtable::identity::ParticipantQuery { limit: 10, ..Default::default() };
    let listed = store.participants(&query).await.expect("lists");
    assert!(listed[0].disabled_at.is_some() && listed[1].disabled_at.is_none());
    assert!(listed.iter().all(|one| one.created_at == timestamp(7) && one.last_used_at.is_none()));
    store.set_server_role(all[1].id, ServerRole::Guest).await.expect("answers");
    let filtered = async |server_role, disabled| {
        let query = roundtable::identity::ParticipantQuery { server_role, disabled, limit: 10, ..Default::default() };
        let listed = store.participants(&query).await.expect("lists");
        listed.into_iter().map(|one| one.participant.id).collect::<Vec<_>>()
    };
    assert_eq!(filtered(None, Some(true)).await, [all[0].id]);
    assert_eq!(filtered(None, Some(false)).await, [all[1].id, all[2].id, all[3].id]);
    assert_eq!(filtered(Some(ServerRole::Guest), None).await, [all[1].id]);
    assert_eq!(filtered(Some(ServerRole::Member), Some(false)).await, [all[2].id, all[3].id]);
    assert_eq!(filtered(Some(ServerRole::Admin), None).await, []);
}

async fn a_disabled_participant_does_not_reserve_a_name(fresh: FreshDatabase) {
    let store = fresh.open().await.identities;
    let ada = add_participant(&store, "Ada", ActorKind::User, 1).await;
    store.set_disabled(ada.id, true).await.expect("disables");
    assert!(!store.rename(ada.id, "Eve").await.expect("is answered"), "an erased name would come back by it");
    assert_eq!(store.participant(ada.id).await.expect("reads"), Some(ada));
    assert!(!store.rename(new_participant_id(), "Eve").await.expect("is answered"), "nobody has that id");
}

async fn the_sessions_that_name_a_participant_stay_known(fresh: FreshDatabase) {
    let engines = fresh.open().await;
    let (ann, ben) = (new_participant_id(), new_participant_id());
    let mut named = BTreeSet::new();
    for n in 0..120 {
        let (session, fence) = start_session(&engines.events).await;
        let head = engines.events.head(session).await.expect("reads");
        let who = if n % 2 == 0 { ann } else { ben };
        let came = Append { appear: vec![who], ..append(session, fence, head, &["came"]) }
            .with_member(who, Some(Role::Viewer));
        engines.events.append(came).await.expect("appends");
        let left = Append { appear: vec![who], ..append(session, fence, head + 1, &["left"]) }.with_member(who, None);
        engines.events.append(left).await.expect("appends");
        if who == ann {
            named.insert(session);
        }
    }
    let (mut last, mut found) = (None, vec![]);
    loop {
        let sessions = engines.redactions.sessions_after(last, ann).await.expect("reads");
        let Some(newest) = sessions.last() else { break };
        last = Some(*newest);
        found.extend(sessions);
    }
    assert_eq!(found, named.into_iter().collect::<Vec<_>>(), "in the order of their ids, each once");
}
