//! Random plans, executed on a store and on a model of it. Both must always return the same results.

use std::collections::{BTreeMap, HashMap};

use proptest::{
    collection::vec,
    prelude::{Just, Strategy},
    prop_oneof,
    test_runner::{Config, TestRunner},
};
use roundtable::{
    kernel::{ParticipantId, Role, SessionId},
    store::{Append, AppendError, CommandReceipt, Fence, Listing, SessionQuery, Stores},
};

use crate::{
    append_builders::{AppendExt, append, listing, new_participant_id, new_session_id, parse_command_id, timestamp},
    fresh_database::FreshDatabase,
};

/// One operation on the store. There are few sessions, people and commands, so that the operations of a plan often
/// collide.
#[derive(Debug, Clone)]
enum StoreOperation {
    Claim {
        session: usize,
    },
    Append {
        session: usize,
        off_by: i64,
        stale: bool,
        events: usize,
        command: Option<(usize, usize)>,
        listing_change: ListingChange,
    },
    Together {
        appends: Vec<(usize, Option<(usize, usize)>)>,
    },
    Snapshot {
        session: usize,
        seq: u64,
    },
    Sweep {
        before: u64,
    },
}

/// Effect of an append on lists.
#[derive(Debug, Clone)]
struct ListingChange {
    title: &'static str,
    updated_at: u64,
    unfinished: bool,
    waiting: bool,
    member: Option<(usize, Option<Role>)>,
}

const SESSIONS: usize = 3;
const PEOPLE: usize = 2;
const COMMANDS: usize = 3;

fn any_operation() -> impl Strategy<Value = StoreOperation> {
    let flag = || proptest::bool::weighted(0.3);
    let command = || proptest::option::of((0..PEOPLE, 0..COMMANDS));
    let role = proptest::option::of(proptest::sample::select(&Role::ALL[..]));
    let listing_change = (
        proptest::sample::select(&["Plan", "plan b", "支付", "100%"][..]),
        1..20_u64,
        flag(),
        flag(),
        proptest::option::of((0..PEOPLE, role)),
    );
    let listing_change = listing_change.prop_map(|(title, updated_at, unfinished, waiting, member)| ListingChange {
        title,
        updated_at,
        unfinished,
        waiting,
        member,
    });
    let off_by = prop_oneof![6 => Just(0_i64), 1 => Just(-1), 1 => Just(2)];
    let one = (0..SESSIONS, off_by, proptest::bool::weighted(0.1), 1..4_usize, command(), listing_change);
    prop_oneof![
        1 => (0..SESSIONS).prop_map(|session| StoreOperation::Claim { session }),
        8 => one.prop_map(|(session, off_by, stale, events, command, listing_change)| {
            StoreOperation::Append { session, off_by, stale, events, command, listing_change }
        }),
        3 => vec((0..SESSIONS, command()), 2..12).prop_map(|appends| StoreOperation::Together { appends }),
        1 => (0..SESSIONS, 0..10_u64).prop_map(|(session, seq)| StoreOperation::Snapshot { session, seq }),
        1 => (1..20_u64).prop_map(|before| StoreOperation::Sweep { before }),
    ]
}

/// The expected content of a session.
#[derive(Debug, Default, Clone)]
struct ExpectedSession {
    fence: u64,
    log: Vec<bytes::Bytes>,
    listing: Option<Listing>,
    receipts: HashMap<(String, String), u64>,
    members: BTreeMap<ParticipantId, Role>,
    snapshot: Option<u64>,
}

/// The store and its model, side by side.
struct ModelComparison<'a> {
    fresh: &'a FreshDatabase,
    store: Stores,
    model: BTreeMap<SessionId, ExpectedSession>,
    sessions: Vec<SessionId>,
    people: Vec<ParticipantId>,
}

type OperationResult = Result<(), String>;

/// Returns the result of an append in a form that can be compared, without the message of an error.
fn comparable(answer: Result<(), AppendError>) -> OperationResult {
    answer.map_err(|error| format!("{error:?}"))
}

impl<'a> ModelComparison<'a> {
    fn new(fresh: &'a FreshDatabase, store: Stores) -> Self {
        let sessions = (0..SESSIONS).map(|_| new_session_id()).collect();
        let people = (0..PEOPLE).map(|_| new_participant_id()).collect();
        Self { fresh, store, model: BTreeMap::new(), sessions, people }
    }

    fn head(&self, session: SessionId) -> (u64, u64) {
        self.model.get(&session).map_or((0, 0), |known| (known.fence, known.log.len() as u64))
    }

    /// Returns the model's result of an append; the model changes only on success.
    fn predict_append(&mut self, append: &Append) -> OperationResult {
        let no = |error: AppendError| comparable(Err(error));
        let Some(known) = self.model.get_mut(&append.session) else { return no(AppendError::Fenced) };
        if known.fence != append.fence.0 {
            return no(AppendError::Fenced);
        }
        let key = |receipt: &CommandReceipt| (receipt.actor.to_string(), receipt.command.to_string());
        if let Some(&seq) = append.receipts.iter().find_map(|receipt| known.receipts.get(&key(receipt))) {
            return no(AppendError::Repeated { seq });
        }
        if known.log.len() as u64 != append.expected {
            return no(AppendError::Conflict { actual: known.log.len() as u64 });
        }
        known.log.extend(append.events.iter().map(|recorded| recorded.frame.clone()));
        known.receipts.extend(append.receipts.iter().map(|receipt| (key(receipt), receipt.seq)));
        known.listing = Some(append.listing.clone());
        for &(participant, role) in &append.members {
            match role {
                Some(role) => known.members.insert(participant, role),
                None => known.members.remove(&participant),
            };
        }
        Ok(())
    }

    async fn execute(&mut self, operation: StoreOperation) {
        match operation {
            StoreOperation::Claim { session } => {
                let session = self.sessions[session];
                let known = self.model.entry(session).or_default();
                known.fence += 1;
                let fence = self.store.events.claim(session, None).await.expect("claims");
                assert_eq!(fence, Fence(known.fence));
            }
            StoreOperation::Append { session, off_by, stale, events, command, listing_change } => {
                let session = self.sessions[session];
                let (fence, head) = self.head(session);
                let expected = head.saturating_add_signed(off_by);
                let texts = vec!["said"; events];
                let mut request = append(session, Fence(fence.saturating_sub(u64::from(stale))), expected, &texts);
                if let Some((actor, command)) = command {
                    request = request.with_receipt(&format!("u_{actor}"), &format!("c_{command}"));
                }
                if let Some((person, role)) = listing_change.member {
                    request = request.with_member(self.people[person], role);
                }
                let (unfinished, waiting) = (listing_change.unfinished, listing_change.waiting);
                request = request.with_listing(Listing {
                    unfinished,
                    waiting,
                    ..listing(listing_change.title, listing_change.updated_at)
                });
                let expected = self.predict_append(&request);
                assert_eq!(comparable(self.store.events.append(request).await), expected);
            }
            StoreOperation::Together { appends } => self.append_together(appends).await,
            StoreOperation::Snapshot { session, seq } => {
                let session = self.sessions[session];
                let saved = self.store.events.save_snapshot(session, seq, seq.to_string().into()).await;
                match self.model.get_mut(&session) {
                    Some(known) => known.snapshot = known.snapshot.max(Some(seq)),
                    None => return assert!(saved.is_err(), "there is no such session"),
                }
                saved.expect("saves");
            }
            StoreOperation::Sweep { before } => {
                let is_expired = |listing: &Option<Listing>| {
                    // A session that was only claimed is as old as its claim, which is far more recent than these
                    // times.
                    let Some(listing) = listing else { return false };
                    listing.updated_at < timestamp(before) && !listing.unfinished && !listing.waiting
                };
                let count = self.model.values().filter(|known| is_expired(&known.listing)).count();
                self.model.retain(|_, known| !is_expired(&known.listing));
                self.fresh.backdate_writes().await;
                assert_eq!(self.store.events.remove_expired(timestamp(before)).await.expect("sweeps"), count as u64);
            }
        }
    }

    /// Sends appends that share a batch, each directly after the previous one in its session. Regardless of their order
    /// in the batch, the first append of each session is the first that the model sees.
    async fn append_together(&mut self, appends: Vec<(usize, Option<(usize, usize)>)>) {
        let (mut sent, mut expected) = (Vec::new(), Vec::new());
        for (session, command) in appends {
            let session = self.sessions[session];
            let (fence, head) = self.head(session);
            let mut request = append(session, Fence(fence), head, &["together"]);
            if let Some((actor, command)) = command {
                request = request.with_receipt(&format!("u_{actor}"), &format!("c_{command}"));
            }
            expected.push(self.predict_append(&request));
            sent.push(request);
        }
        let store = &self.store.events;
        let answers = futures_util::future::join_all(sent.into_iter().map(|append| store.append(append))).await;
        assert_eq!(answers.into_iter().map(comparable).collect::<Vec<_>>(), expected);
    }

    /// Checks that everything that can be read equals the model.
    async fn compare(&self) {
        let store = &self.store.events;
        for &session in &self.sessions {
            let known = self.model.get(&session).cloned().unwrap_or_default();
            let log: Vec<_> =
                store.read(session, 0, 1000).await.expect("reads").into_iter().map(|stored| stored.frame).collect();
            assert_eq!(log, known.log);
            assert_eq!(store.head(session).await.expect("reads"), log.len() as u64);
            let snapshot = store.snapshot(session).await.expect("reads").map(|(seq, state)| {
                assert_eq!(state, seq.to_string());
                seq
            });
            assert_eq!(snapshot, known.snapshot);
            for actor in 0..PEOPLE {
                for id in 0..COMMANDS {
                    let (actor, id) = (format!("u_{actor}"), format!("c_{id}"));
                    let seq = store.receipt(session, &actor, &parse_command_id(&id)).await.expect("reads");
                    assert_eq!(seq, known.receipts.get(&(actor, id)).copied());
                }
            }
            for &person in &self.people {
                let role = store.role(session, person).await.expect("reads");
                assert_eq!(role, known.members.get(&person).copied());
            }
        }
        for &person in &self.people {
            let query = SessionQuery { asker: person, everybody: false, search: None, before: None, limit: 100 };
            let listed = store.list(query).await.expect("lists");
            let mut seen: Vec<_> = listed.into_iter().map(|l| (l.session, l.head, l.role, Some(l.listing))).collect();
            let order: Vec<_> =
                seen.iter().map(|(session, _, _, l)| (l.as_ref().map(|l| l.updated_at), *session)).collect();
            assert!(order.is_sorted_by(|a, b| a > b), "the last changed is first");
            seen.sort_by_key(|(session, ..)| *session);
            let expected = self.model.iter().filter(|(_, known)| known.members.contains_key(&person));
            let expected: Vec<_> = expected
                .map(|(session, known)| {
                    (*session, known.log.len() as u64, known.members.get(&person).copied(), known.listing.clone())
                })
                .collect();
            assert_eq!(seen, expected);
        }
    }
}

/// Runs plans on one engine. Each case has its own sessions in a shared database, so that only a sweep affects other
/// cases.
fn run_plans(fresh: impl AsyncFnOnce() -> FreshDatabase) {
    let runtime = tokio::runtime::Runtime::new().expect("starts");
    let (fresh, store) = runtime.block_on(async {
        let fresh = fresh().await;
        let store = fresh.open().await;
        (fresh, store)
    });
    // A failure prints the smallest plan that reproduces it.
    let mut runner = TestRunner::new(Config { cases: 48, failure_persistence: None, ..Config::default() });
    let ran = runner.run(&vec(any_operation(), 1..30), |plan| {
        runtime.block_on(async {
            let mut comparison = ModelComparison::new(&fresh, store.clone());
            // This plan must not sweep what other plans left behind.
            fresh.backdate_writes().await;
            store.events.remove_expired(timestamp(1_000)).await.expect("sweeps");
            // The last session exists only if the plan claims it.
            for session in 0..SESSIONS - 1 {
                comparison.execute(StoreOperation::Claim { session }).await;
            }
            for operation in plan {
                comparison.execute(operation).await;
            }
            comparison.compare().await;
        });
        Ok(())
    });
    ran.unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn sqlite_behaves_like_the_model() {
    run_plans(FreshDatabase::sqlite);
}

#[test]
fn postgres_behaves_like_the_model() {
    run_plans(FreshDatabase::postgres);
}
