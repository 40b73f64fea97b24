//! The laws of `QuotaStore`, on every engine.

use futures_util::future::join_all;
use roundtable::identity::{Participant, ServerRole, create_participant};
use roundtable::kernel::{Actor, ActorKind, Fact, MessageId, Role, RunId, Timestamp};
use roundtable::knowledge::{BaseId, BaseLimits, BaseReaders, IndexedPassage, NewDocument};
use roundtable::quotas::{Month, PythonAccount, QuotaAmount, QuotaError, QuotaSettings, Quotas};
use roundtable::store::{Append, Listing, RecordedEvent, Stores};
use roundtable::tool::PythonMeter;
use uuid::Uuid;

use crate::{
    append_builders::{AppendExt, append, listing, new_session_id, recorded_event, start_session},
    fresh_database::{FreshDatabase, laws},
};

laws! {
    usage_counts_existing_items_only,
    a_run_counts_while_it_is_active,
    model_usage_counts_in_the_month_of_its_event,
    a_program_counts_in_full_until_it_ends_and_in_no_later_window,
    usage_on_two_nodes_counts_against_one_quota,
    concurrent_operations_do_not_exceed_a_quota,
    only_new_items_are_reserved,
}

async fn ann(engines: &Stores) -> Participant {
    create_participant(&*engines.identities, "Ann", ActorKind::User, ServerRole::Member).await.expect("enrols")
}

/// Creates a session as this participant, with its first event.
async fn create_session(
    engines: &Stores,
    who: &Participant,
) -> (roundtable::kernel::SessionId, roundtable::store::Fence) {
    let id = new_session_id();
    let fence = engines.events.claim(id, None).await.expect("claims");
    let mut first = recorded_event(id, 1, "a");
    first.event.by = Actor::participant(who.id, ActorKind::User, &who.name);
    let events: std::sync::Arc<[RecordedEvent]> = [first].into();
    engines.events.append(Append { events, ..append(id, fence, 0, &[]) }).await.expect("appends");
    (id, fence)
}

async fn usage_counts_existing_items_only(fresh: FreshDatabase) {
    let engines = fresh.open().await;
    let (ann, quotas) = (ann(&engines).await, engines.quotas.clone());
    let (id, fence) = create_session(&engines, &ann).await;
    create_session(&engines, &ann).await;
    start_session(&engines.events).await;
    engines.events.append(append(id, fence, 1, &["b"])).await.expect("appends");
    assert_eq!(quotas.sessions(ann.id).await.expect("counts"), 2, "by who created them, however they go on");

    engines.contents.put(id, "d", b"12345").await.expect("keeps");
    engines.contents.put(id, "e", b"123").await.expect("keeps");
    assert_eq!(quotas.file_bytes(ann.id).await.expect("counts"), 0);
    for digest in ["d", "e", "d"] {
        quotas.charge_file(ann.id, id, digest).await.expect("charges");
    }
    assert_eq!(quotas.file_bytes(ann.id).await.expect("counts"), 8);
    let other =
        create_participant(&*engines.identities, "Ben", ActorKind::User, ServerRole::Member).await.expect("enrols");
    quotas.charge_file(other.id, id, "d").await.expect("charges");
    assert_eq!(quotas.file_bytes(other.id).await.expect("counts"), 0, "it is somebody's already");

    let readers = BaseReaders::default();
    let base = engines.knowledge.add_base(ann.id, "Rules", "", &readers, 10).await.expect("keeps").expect("has room");
    let passages = [IndexedPassage::new(1, "apples".into())];
    let document = NewDocument { name: "a.md", media_type: "text/plain", content: "apples", passages: &passages };
    let limits = BaseLimits { documents: 10, bytes: 100 };
    engines.knowledge.put_document(base, &document, limits).await.expect("keeps").expect("has room");
    assert_eq!(quotas.knowledge_bytes(ann.id).await.expect("counts"), 6);
    engines.knowledge.remove_document(base, "a.md").await.expect("removes");
    assert_eq!(quotas.knowledge_bytes(ann.id).await.expect("counts"), 0);

    engines.events.remove_expired(Timestamp::MAX).await.expect("removes");
    assert_eq!(quotas.sessions(ann.id).await.expect("counts"), 0);
    assert_eq!(quotas.file_bytes(ann.id).await.expect("counts"), 0, "contents go with their session");
}

async fn a_run_counts_while_it_is_active(fresh: FreshDatabase) {
    let engines = fresh.open().await;
    let ann = ann(&engines).await;
    let (id, fence) = start_session(&engines.events).await;
    for (head, run_by, count) in [(1, None, 0), (2, Some(ann.id), 1), (3, Some(ann.id), 1), (4, None, 0)] {
        let left = Listing { run_by, ..listing("t", head) };
        engines.events.append(append(id, fence, head, &["x"]).with_listing(left)).await.expect("appends");
        assert_eq!(engines.quotas.runs(ann.id).await.expect("counts"), count, "after {head}");
    }
    let joined = append(id, fence, 5, &["x"]).with_member(ann.id, Some(Role::Owner));
    engines.events.append(joined).await.expect("appends");
    assert_eq!(engines.quotas.runs(ann.id).await.expect("counts"), 0);
}

async fn model_usage_counts_in_the_month_of_its_event(fresh: FreshDatabase) {
    let engines = fresh.open().await;
    let ann = ann(&engines).await;
    let other =
        create_participant(&*engines.identities, "Ben", ActorKind::User, ServerRole::Member).await.expect("enrols");
    let [january, february] = [0, 31 * 86_400_000].map(Timestamp::from_millis);
    let used = |id, seq, participant, at, input_tokens| {
        let mut one = recorded_event(id, seq, "");
        let (message, run, agent) = (MessageId(1), RunId(2), "A".parse().expect("an id"));
        let (model, output_tokens, estimated, cost_micros) = ("m".into(), 1, false, input_tokens / 2);
        one.event.fact = Fact::UsageRecorded {
            message,
            run,
            agent,
            participant,
            model,
            input_tokens,
            output_tokens,
            estimated,
            cost_micros,
        };
        one.event.at = at;
        one
    };
    let (first, second) = (create_session(&engines, &ann).await, create_session(&engines, &ann).await);
    let write = async |(id, fence), head, events: Vec<RecordedEvent>| {
        let events: std::sync::Arc<[RecordedEvent]> = events.into();
        engines.events.append(Append { events, ..append(id, fence, head, &[]) }).await
    };
    let events = vec![
        used(first.0, 2, Some(ann.id), january, 100),
        used(first.0, 3, Some(ann.id), february, 10),
        used(first.0, 4, None, january, 1_000),
        used(first.0, 5, Some(other.id), january, 7),
    ];
    write(first, 1, events.clone()).await.expect("appends");
    write(second, 1, vec![used(second.0, 2, Some(ann.id), january, 50)]).await.expect("appends");
    assert!(write(first, 1, events).await.is_err(), "an append that is refused counts nothing");
    let of = async |who: &Participant, at| engines.quotas.model_use(who.id.0, Month::of(at)).await.expect("counts");
    assert_eq!((of(&ann, january).await, of(&ann, february).await), ((152, 75), (11, 5)));
    assert_eq!((of(&other, january).await, of(&other, february).await), ((8, 3), (0, 0)));
    assert_eq!(engines.quotas.sweep(february).await.expect("removes"), 4, "earlier months count nowhere");
    assert_eq!((of(&ann, january).await, of(&ann, february).await), ((0, 0), (11, 5)));
}

async fn a_program_counts_in_full_until_it_ends_and_in_no_later_window(fresh: FreshDatabase) {
    let engines = fresh.open().await;
    let (ann, id, quotas) = (ann(&engines).await, new_session_id(), engines.quotas.clone());
    let used = async |of, window| quotas.python_ms(of, window, Uuid::nil()).await.expect("counts").0;
    let (of_ann, of_session) = (PythonAccount::Participant(ann.id), PythonAccount::Session(id));
    let one = quotas.reserve_python(id, Some(ann.id), 30_000).await.expect("reserves");
    let two = quotas.reserve_python(id, None, 5_000).await.expect("reserves");
    assert_eq!((used(of_ann, 60_000).await, used(of_session, 60_000).await), (30_000, 35_000));
    let (others, oldest) = quotas.python_ms(of_session, 60_000, one.id).await.expect("counts");
    assert!(others == 5_000 && oldest.is_some());
    quotas.end_python(one.id, 1_200).await.expect("ends");
    quotas.end_python(one.id, 50_000).await.expect("ends");
    assert_eq!(used(of_ann, 60_000).await, 1_200, "it never becomes more");
    quotas.end_python(two.id, 0).await.expect("ends");
    fresh.execute_sql("update python_use set at = at - 60001").await;
    assert_eq!((used(of_ann, 60_000).await, used(of_ann, 70_000).await), (0, 1_200));
    quotas.reserve(ann.id, QuotaAmount::Session, 5).await.expect("reserves").expect("there is room");
    assert_eq!(quotas.sweep(Timestamp::MAX).await.expect("removes"), 3, "with what a crashed node reserved");
    assert_eq!(used(of_ann, 70_000).await, 0);
}

async fn usage_on_two_nodes_counts_against_one_quota(fresh: FreshDatabase) {
    let (here, there) = (fresh.open().await, fresh.open().await);
    let (ann, id) = (ann(&here).await, new_session_id());
    let settings = QuotaSettings { max_participant_python_hour_seconds: 60, ..QuotaSettings::default() };
    let meter =
        |engines: &Stores| PythonMeter::new(Quotas::new(engines.quotas.clone(), settings.clone()), id, Some(ann.id));
    let half = std::time::Duration::from_secs(40);
    let first = meter(&here).begin(half).await.expect("there is time");
    let second = meter(&there).begin(half).await.expect("there is time");
    let refused = meter(&there).begin(half).await.err().expect("the hour is used up");
    assert_eq!(refused.code, "quota_exceeded");
    assert!(
        refused.message.contains("max_participant_python_hour_seconds")
            && refused.message.contains("available again at")
    );
    let other = PythonMeter::new(Quotas::new(here.quotas.clone(), settings.clone()), new_session_id(), None);
    drop(other.begin(half).await.expect("another session of nobody's has its own time"));
    drop((first, second));

    let quotas = |engines: &Stores| {
        let settings = QuotaSettings { max_sessions: 2, ..QuotaSettings::default() };
        Quotas::new(engines.quotas.clone(), settings)
    };
    create_session(&here, &ann).await;
    quotas(&there).reserve(ann.id, QuotaAmount::Session).await.expect("has room").release().await;
    create_session(&there, &ann).await;
    let problem = quotas(&here).reserve(ann.id, QuotaAmount::Session).await.err().expect("is full");
    assert_eq!(problem.code().as_str(), "quota_exceeded");
    let exceeded = QuotaError { quota: "q", limit: 3, frees_at: Some(Timestamp::MAX), message: "m".into() };
    let problem = roundtable::protocol::Problem::from(exceeded);
    assert!(problem.0.retry_after_ms.is_some() && problem.0.details.expect("has some")["frees_at"].is_string());
}

async fn concurrent_operations_do_not_exceed_a_quota(fresh: FreshDatabase) {
    let nodes = [fresh.open().await, fresh.open().await];
    let ann = ann(&nodes[0]).await;
    let (id, _) = create_session(&nodes[0], &ann).await;
    let base = BaseId::try_from(1).expect("a number");
    let file = QuotaAmount::File { session: id, digest: "d", bytes: 10 };
    let document = QuotaAmount::Document { base, name: "a.md", bytes: 10 };
    // One session already exists.
    for (amount, limit, fit) in
        [(QuotaAmount::Session, 4, 3), (QuotaAmount::Run, 3, 3), (file, 39, 3), (document, 30, 3)]
    {
        let reserve = |of: usize| nodes[of % 2].quotas.reserve(ann.id, amount, limit);
        let reserved = join_all((0..16).map(reserve)).await;
        let reserved: Vec<Uuid> = reserved.into_iter().filter_map(|answer| answer.expect("answers")).collect();
        assert_eq!(reserved.len(), fit, "{amount:?}");
        let ben = create_participant(&*nodes[0].identities, "Ben", ActorKind::User, ServerRole::Member)
            .await
            .expect("enrols");
        let of_ben = nodes[1].quotas.reserve(ben.id, amount, limit).await.expect("answers");
        assert!(of_ben.is_some(), "others have theirs");
        nodes[1].quotas.release(reserved[0]).await.expect("gives back");
        let next = [reserve(0).await.expect("answers"), reserve(1).await.expect("answers")];
        assert!(next[0].is_some() && next[1].is_none(), "one {amount:?} was given back");
    }
    fresh.execute_sql("update quota_reservations set at = at - 300001").await;
    let reserved = nodes[1].quotas.reserve(ann.id, QuotaAmount::Run, 1).await.expect("answers");
    assert!(reserved.is_some(), "a node that crashed holds nothing for long");
}

async fn only_new_items_are_reserved(fresh: FreshDatabase) {
    let engines = fresh.open().await;
    let (ann, quotas) = (ann(&engines).await, engines.quotas.clone());
    let (id, _) = create_session(&engines, &ann).await;
    let fits = async |amount, limit| quotas.reserve(ann.id, amount, limit).await.expect("answers").is_some();
    let file = |digest| QuotaAmount::File { session: id, digest, bytes: 5 };
    engines.contents.put(id, "d", b"12345").await.expect("keeps");
    quotas.charge_file(ann.id, id, "d").await.expect("charges");
    assert!(fits(file("d"), 5).await && !fits(file("e"), 5).await, "a content that is put again adds nothing");

    let readers = BaseReaders::default();
    let base = engines.knowledge.add_base(ann.id, "Rules", "", &readers, 10).await.expect("keeps").expect("has room");
    let passages = [IndexedPassage::new(1, "apples".into())];
    let document = NewDocument { name: "a.md", media_type: "text/plain", content: "apples", passages: &passages };
    let limits = BaseLimits { documents: 10, bytes: 100 };
    engines.knowledge.put_document(base, &document, limits).await.expect("keeps").expect("has room");
    let document = |name| QuotaAmount::Document { base, name, bytes: 8 };
    assert!(
        !fits(document("b.md"), 13).await && fits(document("a.md"), 13).await,
        "one that is replaced does not count"
    );
}
