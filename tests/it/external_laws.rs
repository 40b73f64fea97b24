//! The laws of `ExternalIdentityStore`, of server roles and of last sign-ins, on every engine.

use std::time::Duration;

use futures_util::future::join_all;
use roundtable::clock;
use roundtable::identity::{
    CredentialKind, ExternalAccount, LinkedParticipant, NewCredential, Participant, ParticipantQuery, Secret,
    ServerRole, SignInMethod,
};
use roundtable::kernel::{ActorKind, Timestamp};
use roundtable::store::Stores;

use crate::append_builders::new_participant_id;
use crate::fresh_database::{FreshDatabase, laws};

laws! {
    concurrent_sign_ins_create_one_participant_for_an_account,
    an_account_is_linked_to_one_participant,
    a_sign_in_can_be_finished_once_before_it_expires,
    a_lower_role_ends_tokens_and_another_role_ends_sign_ins,
    the_last_sign_in_of_a_participant_is_known,
}

const MINUTE: Duration = Duration::from_secs(60);

fn person(name: &str) -> Participant {
    Participant::new(ActorKind::User, name, ServerRole::Member)
}

async fn concurrent_sign_ins_create_one_participant_for_an_account(fresh: FreshDatabase) {
    let Stores { external, identities, .. } = fresh.open().await;
    let account = ExternalAccount::new("https://id.example", "ann");
    assert_eq!(external.linked_participant(account).await.expect("reads"), None);
    let people: Vec<_> = (0..4).map(|_| person("Ann")).collect();
    let added = people.iter().map(|person| external.add_linked_participant(account, person, clock::now()));
    let added: Vec<bool> = join_all(added).await.into_iter().map(|added| added.expect("answers")).collect();
    assert_eq!(added.iter().filter(|added| **added).count(), 1);
    for (person, added) in people.iter().zip(added) {
        let stored = identities.participant(person.id).await.expect("reads");
        assert_eq!(stored.is_some(), added, "nobody is left behind without an account");
        if added {
            let linked = LinkedParticipant { participant: person.clone(), disabled: false };
            assert_eq!(external.linked_participant(account).await.expect("reads"), Some(linked));
            identities.set_disabled(person.id, true).await.expect("answers");
            let linked = external.linked_participant(account).await.expect("reads").expect("is linked");
            assert!(linked.disabled);
        }
    }
}

async fn an_account_is_linked_to_one_participant(fresh: FreshDatabase) {
    let Stores { external, identities, .. } = fresh.open().await;
    let (ann, bob) = (person("Ann"), person("Bob"));
    for person in [&ann, &bob] {
        identities.add_participant(person, clock::now()).await.expect("adds");
    }
    let account = ExternalAccount::new("https://id.example", "1");
    assert!(external.link_participant(account, ann.id).await.expect("answers"));
    assert!(external.link_participant(account, ann.id).await.expect("answers"), "again changes nothing");
    assert!(!external.link_participant(account, bob.id).await.expect("answers"));
    let linked = external.linked_participant(account).await.expect("reads").expect("is linked");
    assert_eq!(linked.participant, ann);
    assert!(external.link_participant(account, new_participant_id()).await.is_ok_and(|linked| !linked));
}

async fn a_sign_in_can_be_finished_once_before_it_expires(fresh: FreshDatabase) {
    let external = fresh.open().await.external;
    let (one, late) = (Secret::random("test").hash(), Secret::random("test").hash());
    external.begin_sign_in(one, "/s/1", MINUTE).await.expect("adds");
    external.begin_sign_in(late, "/s/2", Duration::ZERO).await.expect("adds");
    let finished = join_all((0..4).map(|_| external.finish_sign_in(one))).await;
    let finished: Vec<_> = finished.into_iter().filter_map(|path| path.expect("answers")).collect();
    assert_eq!(finished, ["/s/1"]);
    assert_eq!(external.finish_sign_in(late).await.expect("answers"), None);
    external.begin_sign_in(one, "/s/3", MINUTE).await.expect("adds");
    external.remove_expired_sign_ins(clock::now()).await.expect("sweeps");
    assert_eq!(external.finish_sign_in(one).await.expect("answers").as_deref(), Some("/s/3"));
    external.begin_sign_in(one, "/s/4", MINUTE).await.expect("adds");
    external.remove_expired_sign_ins(Timestamp::MAX).await.expect("sweeps");
    assert_eq!(external.finish_sign_in(one).await.expect("answers"), None);
}

async fn a_lower_role_ends_tokens_and_another_role_ends_sign_ins(fresh: FreshDatabase) {
    let identities = fresh.open().await.identities;
    let ann = person("Ann");
    identities.add_participant(&ann, clock::now()).await.expect("adds");
    let give = async |grant| {
        let hash = Secret::random("test").hash();
        identities.add_credential(&NewCredential::new(hash, grant, ann.id)).await.expect("adds");
        hash
    };
    for (role, ends_sign_ins, ends_tokens) in
        [(ServerRole::Member, false, false), (ServerRole::Admin, true, false), (ServerRole::Guest, true, true)]
    {
        let (cookie, token) = (give(CredentialKind::Cookie).await, give(CredentialKind::Token).await);
        let old = identities.set_server_role(ann.id, role).await.expect("answers").expect("is known");
        assert_eq!(role.is_above(old), role == ServerRole::Admin);
        let ended = async |hash, grant| identities.authenticate(hash, grant).await.expect("answers").is_none();
        assert_eq!(ended(cookie, CredentialKind::Cookie).await, ends_sign_ins, "{role:?}");
        assert_eq!(ended(token, CredentialKind::Token).await, ends_tokens, "{role:?}");
        let stored = identities.participant(ann.id).await.expect("reads").expect("is known");
        assert_eq!(stored.server_role, role);
    }
    assert_eq!(identities.set_server_role(new_participant_id(), ServerRole::Admin).await.expect("answers"), None);
}

async fn the_last_sign_in_of_a_participant_is_known(fresh: FreshDatabase) {
    let store = fresh.open().await.identities;
    let (ada, ben) = (person("Ada"), person("Ben"));
    for one in [&ada, &ben] {
        store.add_participant(one, Timestamp::from_millis(1)).await.expect("adds");
    }
    assert_eq!(store.last_sign_in(ada.id).await.expect("reads"), None);
    assert_eq!(store.last_sign_in(new_participant_id()).await.expect("reads"), None, "nobody has that id");
    let methods =
        [SignInMethod::Link, SignInMethod::Token, SignInMethod::Invite, SignInMethod::Oidc, SignInMethod::Proxy];
    let mut before = Timestamp::from_millis(1);
    for method in methods {
        store.record_sign_in(ada.id, method).await.expect("records");
        let last = store.last_sign_in(ada.id).await.expect("reads").expect("signed in");
        assert!(last.method == method && last.at >= before && last.at > Timestamp::from_millis(1), "{last:?}");
        before = last.at;
    }
    assert_eq!(store.last_sign_in(ben.id).await.expect("reads"), None);
    let query = ParticipantQuery { limit: 10, ..Default::default() };
    let listed = store.participants(&query).await.expect("lists");
    let last_sign_in = |id| listed.iter().find(|one| one.participant.id == id).expect("is listed").last_sign_in;
    assert_eq!(last_sign_in(ada.id).map(|last| (last.method, last.at)), Some((SignInMethod::Proxy, before)));
    assert_eq!(last_sign_in(ben.id), None);
}
