//! The laws of `EventStore`, on every engine.

use std::{io::Write, process::Stdio, sync::Arc};

use futures_util::future::join_all;
use roundtable::files::Upload;
use roundtable::store::{Append, AppendError, CommandReceipt, Erasure, EventStore, Fence};
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::Command,
};

use roundtable::identity::{ServerRole, create_participant};
use roundtable::kernel::ActorKind;
use sqlx::{Connection, SqliteConnection};

use crate::{
    append_builders::{
        AppendExt, append, listing, new_participant_id, new_session_id, parse_command_id, read_whole_log,
        recorded_event, start_session,
    },
    fresh_database::{FreshDatabase, laws},
    server::with_timeout,
};

laws! {
    acknowledged_appends_survive_a_kill,
    a_log_reads_back_in_order_and_byte_for_byte,
    a_page_is_bounded_in_events_and_in_bytes,
    one_of_several_concurrent_appends_succeeds,
    a_lower_fence_appends_nothing,
    without_a_claim_nothing_is_appended,
    a_command_counts_once,
    an_append_has_a_receipt_for_each_of_its_commands,
    a_repeat_is_reported_before_a_conflict_and_a_lost_claim_before_both,
    a_failed_append_leaves_nothing,
    an_invalid_append_does_not_affect_others_in_its_batch,
    a_rejected_append_fails_alone,
    an_append_with_gaps_is_refused,
    a_cancelled_append_corrupts_nothing,
    snapshots_never_go_back,
    erased_content_is_nowhere,
    erased_content_is_not_read_after_the_append,
    two_processes_share_one_database,
}

/// Environment variable that is set in the process that will be killed.
const VICTIM: &str = "ROUNDTABLE_TEST_VICTIM";

async fn acknowledged_appends_survive_a_kill(fresh: FreshDatabase) {
    if let Ok(url) = std::env::var(VICTIM) {
        return append_until_killed(&url).await;
    }
    let engine = if fresh.is_sqlite() { "sqlite" } else { "postgres" };
    let name = format!("store_laws::{engine}::acknowledged_appends_survive_a_kill");
    let mut victim = Command::new(std::env::current_exe().expect("has a path"))
        .args(["--exact", &name, "--nocapture"])
        .env(VICTIM, &fresh.url)
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("starts");
    let mut output = BufReader::new(victim.stdout.take().expect("is piped")).lines();
    let mut acknowledged = std::collections::HashMap::new();
    let mut count = 0;
    while let Some(line) = output.next_line().await.expect("reads") {
        // The kill can cut a line short; only complete lines end with a period.
        let words: Vec<&str> = line.split(' ').collect();
        if let [.., "acknowledged", session, seq, "."] = words[..] {
            acknowledged.insert(session.parse().expect("is an id"), seq.parse::<usize>().expect("is a seq"));
            count += 1;
            if count == 100 {
                victim.start_kill().expect("kills");
            }
        }
    }
    victim.wait().await.expect("ends");
    assert!(count >= 100, "the victim wrote only {count} appends");
    let store = fresh.open().await.events;
    for (session, seq) in acknowledged {
        let log = read_whole_log(&store, session).await;
        assert!(log.len() >= seq, "{seq} events were acknowledged, {} are there", log.len());
        let fence = store.claim(session, None).await.expect("claims");
        store.append(append(session, fence, log.len() as u64, &["after the crash"])).await.expect("goes on");
    }
}

async fn append_until_killed(url: &str) {
    let fresh = roundtable::store::open(url, &Default::default()).await.expect("opens");
    let writers = (0..4).map(|_| {
        let store = fresh.events.clone();
        tokio::spawn(async move {
            let (session, fence) = start_session(&store).await;
            for seq in 2.. {
                store.append(append(session, fence, seq - 1, &["before the crash"])).await.expect("appends");
                // The line bypasses the test runner's output capture, and is written in a single write, so that lines
                // do not interleave.
                let line = format!("\n acknowledged {session} {seq} .\n");
                std::io::stdout().write_all(line.as_bytes()).expect("writes");
            }
        })
    });
    join_all(writers).await;
}

async fn a_log_reads_back_in_order_and_byte_for_byte(fresh: FreshDatabase) {
    let store = fresh.open().await.events;
    let (session, fence) = start_session(&store).await;
    let texts = ["生成支付接口的测试用例", "\u{0}\u{1}\"\\ %_!", "🙂\u{202e}ß", ""];
    let texts: Vec<&str> = texts.into_iter().cycle().take(201).collect();
    let append = append(session, fence, 1, &texts);
    let expected: Vec<_> = append.events.iter().map(|recorded| recorded.frame.clone()).collect();
    store.append(append).await.expect("appends");
    for store in [store, fresh.open().await.events] {
        assert_eq!(store.head(session).await.expect("reads"), 202);
        let log = read_whole_log(&store, session).await;
        assert_eq!(log[1..], expected);
    }
}

async fn a_page_is_bounded_in_events_and_in_bytes(fresh: FreshDatabase) {
    let store = fresh.open().await.events;
    let (session, fence) = start_session(&store).await;
    let large = "x".repeat(200_000);
    store.append(append(session, fence, 1, &[large.as_str(); 20])).await.expect("appends");
    let seqs = async |after, limit| -> Vec<u64> {
        store.read(session, after, limit).await.expect("reads").iter().map(|stored| stored.seq).collect()
    };
    assert_eq!(seqs(0, 3).await, [1, 2, 3]);
    assert_eq!(seqs(20, 3).await, [21]);
    assert!(seqs(21, 3).await.is_empty());
    assert!(seqs(u64::MAX, 3).await.is_empty());
    let page = seqs(0, u32::MAX).await;
    assert!((2..=6).contains(&page.len()), "a page of {} large events", page.len());
    let giant = "x".repeat(2_000_000);
    store.append(append(session, fence, 21, &[giant.as_str(), "small"])).await.expect("appends");
    assert_eq!(seqs(21, 10).await, [22], "one that is larger than a page comes alone");
    assert_eq!(read_whole_log(&store, session).await.len(), 23);
}

async fn one_of_several_concurrent_appends_succeeds(fresh: FreshDatabase) {
    let stores = [fresh.open().await.events, fresh.open().await.events];
    let (session, fence) = start_session(&stores[0]).await;
    for expected in 1..=5 {
        let racers = (0..20).map(|n| {
            let store = &stores[n % 2];
            async move { store.append(append(session, fence, expected, &[&format!("racer {n}")])).await }
        });
        let (won, lost): (Vec<_>, Vec<_>) = join_all(racers).await.into_iter().partition(Result::is_ok);
        assert_eq!(won.len(), 1);
        for answer in lost {
            assert!(matches!(answer, Err(AppendError::Conflict { actual }) if actual == expected + 1), "{answer:?}");
        }
    }
    assert_eq!(read_whole_log(&stores[0], session).await.len(), 6);
}

async fn a_lower_fence_appends_nothing(fresh: FreshDatabase) {
    let (old, new) = (fresh.open().await.events, fresh.open().await.events);
    let (session, fence) = start_session(&old).await;
    let higher = new.claim(session, None).await.expect("claims");
    assert!(higher > fence);
    let answer = old.append(append(session, fence, 1, &["too late"])).await;
    assert!(matches!(answer, Err(AppendError::Fenced)), "{answer:?}");
    let answer = new.append(append(session, Fence(higher.0 + 1), 1, &["a fence that nobody was given"])).await;
    assert!(matches!(answer, Err(AppendError::Fenced)), "{answer:?}");
    new.append(append(session, higher, 1, &["in time"])).await.expect("appends");
    assert_eq!(read_whole_log(&old, session).await.len(), 2);
}

async fn without_a_claim_nothing_is_appended(fresh: FreshDatabase) {
    let store = fresh.open().await.events;
    let session = new_session_id();
    for fence in [0, 1, 7] {
        let answer = store.append(append(session, Fence(fence), 0, &["unclaimed"])).await;
        assert!(matches!(answer, Err(AppendError::Fenced)), "{answer:?}");
    }
    assert_eq!(store.head(session).await.expect("reads"), 0);
    assert_eq!(store.claim(session, None).await.expect("claims"), Fence(1));
    assert!(store.list(crate::store_lists::all_sessions()).await.expect("lists").is_empty());
}

async fn a_command_counts_once(fresh: FreshDatabase) {
    let store = fresh.open().await.events;
    let (session, fence) = start_session(&store).await;
    let say = |expected, actor: &str| append(session, fence, expected, &["said", "routed"]).with_receipt(actor, "c_1");
    store.append(say(1, "u_1")).await.expect("appends");
    let repeats = (0..10).map(|_| store.append(say(3, "u_1")));
    for answer in join_all(repeats).await {
        assert!(matches!(answer, Err(AppendError::Repeated { seq: 3 })), "{answer:?}");
    }
    store.append(say(3, "u_2")).await.expect("is another actor's command");
    let (elsewhere, fence) = start_session(&store).await;
    let other = append(elsewhere, fence, 1, &["said"]).with_receipt("u_1", "c_1");
    store.append(other).await.expect("is another session's command");
    let answers = [("u_1", "c_1", Some(3)), ("u_2", "c_1", Some(5)), ("u_1", "c_2", None)];
    for (actor, id, seq) in answers {
        assert_eq!(store.receipt(session, actor, &parse_command_id(id)).await.expect("reads"), seq);
    }
}

async fn an_append_has_a_receipt_for_each_of_its_commands(fresh: FreshDatabase) {
    let store = fresh.open().await.events;
    let (session, fence) = start_session(&store).await;
    let receipt = |actor: &str, seq| CommandReceipt { actor: actor.into(), command: parse_command_id("c_1"), seq };
    let receipts = vec![receipt("u_1", 1), receipt("u_2", 2), receipt("u_3", 4)];
    store.append(Append { receipts, ..append(session, fence, 1, &["one", "two", "three"]) }).await.expect("appends");
    for (actor, seq) in [("u_1", 1), ("u_2", 2), ("u_3", 4)] {
        assert_eq!(store.receipt(session, actor, &parse_command_id("c_1")).await.expect("reads"), Some(seq));
    }
    let receipts = vec![receipt("u_4", 5), receipt("u_2", 5)];
    let repeated = store.append(Append { receipts, ..append(session, fence, 4, &["four"]) }).await;
    assert!(matches!(repeated, Err(AppendError::Repeated { seq: 2 })), "{repeated:?}");
    assert_eq!(store.receipt(session, "u_4", &parse_command_id("c_1")).await.expect("reads"), None);
    assert_eq!(read_whole_log(&store, session).await.len(), 4);
}

async fn a_repeat_is_reported_before_a_conflict_and_a_lost_claim_before_both(fresh: FreshDatabase) {
    let store = fresh.open().await.events;
    let (session, fence) = start_session(&store).await;
    let first = append(session, fence, 1, &["said"]).with_receipt("u_1", "c_1");
    store.append(first.clone()).await.expect("appends");
    let again = store.append(first.clone()).await;
    assert!(matches!(again, Err(AppendError::Repeated { seq: 2 })), "{again:?}");
    store.claim(session, None).await.expect("claims");
    let fenced = store.append(first).await;
    assert!(matches!(fenced, Err(AppendError::Fenced)), "{fenced:?}");
}

async fn a_failed_append_leaves_nothing(fresh: FreshDatabase) {
    let store = fresh.open().await.events;
    let (session, fence) = start_session(&store).await;
    let (stays, comes) = (new_participant_id(), new_participant_id());
    let role = roundtable::kernel::Role::Member;
    let first = append(session, fence, 1, &["kept"]).with_member(stays, Some(role)).with_listing(listing("kept", 10));
    store.append(first).await.expect("appends");
    let before = store.list(crate::store_lists::all_sessions()).await.expect("lists");
    let bad = |expected| {
        append(session, fence, expected, &["lost", "lost"])
            .with_receipt("u_1", "c_lost")
            .with_member(stays, None)
            .with_member(comes, Some(role))
            .with_listing(listing("lost", 20))
    };
    for expected in [0, 1, 3, u64::MAX - 5] {
        let answer = store.append(bad(expected)).await;
        assert!(matches!(answer, Err(AppendError::Conflict { actual: 2 })), "{answer:?}");
    }
    assert_eq!(read_whole_log(&store, session).await.len(), 2);
    assert_eq!(store.list(crate::store_lists::all_sessions()).await.expect("lists"), before);
    assert_eq!(store.receipt(session, "u_1", &parse_command_id("c_lost")).await.expect("reads"), None);
    assert_eq!(store.role(session, stays).await.expect("reads"), Some(role));
    assert_eq!(store.role(session, comes).await.expect("reads"), None);
}

async fn an_invalid_append_does_not_affect_others_in_its_batch(fresh: FreshDatabase) {
    let store = fresh.open().await.events;
    let sessions = join_all((0..100).map(|_| start_session(&store))).await;
    let appends = sessions.iter().enumerate().map(|(n, &(session, fence))| {
        store.append(match n % 4 {
            0 => append(session, fence, 1, &["good"]).with_receipt("u_1", "c_1"),
            1 => append(session, fence, 5, &["conflict"]).with_receipt("u_1", "c_1"),
            2 => append(session, Fence(fence.0 - 1), 1, &["fenced"]).with_receipt("u_1", "c_1"),
            _ => append(session, fence, 1, &["good", "good"]).with_member(new_participant_id(), None),
        })
    });
    for (n, answer) in join_all(appends).await.into_iter().enumerate() {
        let length = read_whole_log(&store, sessions[n].0).await.len();
        let receipt = store.receipt(sessions[n].0, "u_1", &parse_command_id("c_1")).await.expect("reads");
        match (n % 4, &answer) {
            (0, Ok(())) => assert_eq!((length, receipt), (2, Some(2))),
            (1, Err(AppendError::Conflict { actual: 1 })) | (2, Err(AppendError::Fenced)) => {
                assert_eq!((length, receipt), (1, None));
            }
            (3, Ok(())) => assert_eq!((length, receipt), (3, None)),
            _ => panic!("append {n} was answered {answer:?}"),
        }
    }
}

async fn a_rejected_append_fails_alone(fresh: FreshDatabase) {
    let store = fresh.open().await.events;
    let sessions = join_all((0..60).map(|_| start_session(&store))).await;
    fresh.refuse_frames_with("unwelcome").await;
    let appends = sessions.iter().enumerate().map(|(n, &(session, fence))| {
        let text = if n % 20 == 7 { "unwelcome" } else { "welcome" };
        store.append(append(session, fence, 1, &[text, text]).with_receipt("u_1", "c_1"))
    });
    for (n, answer) in join_all(appends).await.into_iter().enumerate() {
        let length = read_whole_log(&store, sessions[n].0).await.len();
        let receipt = store.receipt(sessions[n].0, "u_1", &parse_command_id("c_1")).await.expect("reads");
        if n % 20 == 7 {
            let Err(AppendError::Unavailable(error)) = answer else { panic!("{answer:?}") };
            assert!(!error.is_retryable(), "its writer must not retry for ever: {error}");
            assert_eq!((length, receipt), (1, None));
        } else {
            answer.expect("is none of its business");
            assert_eq!((length, receipt), (3, Some(3)));
        }
    }
}

async fn an_append_with_gaps_is_refused(fresh: FreshDatabase) {
    let store = fresh.open().await.events;
    let (session, fence) = start_session(&store).await;
    let good = append(session, fence, 1, &["one", "two"]);
    let gap: Arc<[_]> = [good.events[1].clone()].into();
    let mut garbled = good.events.to_vec();
    garbled[1].frame = bytes::Bytes::from_static(b"\xff");
    for events in [Arc::from([]), gap, garbled.into()] {
        let answer = store.append(Append { events, ..good.clone() }).await;
        assert!(matches!(answer, Err(AppendError::Unavailable(_))), "{answer:?}");
    }
    let receipt =
        |command_id: &str, seq| CommandReceipt { actor: "u_1".into(), command: parse_command_id(command_id), seq };
    for receipts in [vec![receipt("c_1", 4)], vec![receipt("c_1", 0)], vec![receipt("c_1", 2), receipt("c_1", 3)]] {
        let answer = store.append(Append { receipts, ..good.clone() }).await;
        assert!(matches!(answer, Err(AppendError::Unavailable(_))), "{answer:?}");
    }
    store.append(good).await.expect("appends");
    assert_eq!(read_whole_log(&store, session).await.len(), 3);
}

async fn a_cancelled_append_corrupts_nothing(fresh: FreshDatabase) {
    let store = fresh.open().await.events;
    let (session, fence) = start_session(&store).await;
    for round in 0..30_u32 {
        let head = store.head(session).await.expect("reads");
        let append = append(session, fence, head, &["perhaps", "perhaps"]).with_receipt("u_1", &format!("c_{round}"));
        let mut sent = Box::pin(store.append(append));
        // The append is polled a few times and dropped before, during or after the write.
        for _ in 0..round {
            tokio::select! { biased; _ = &mut sent => break, () = tokio::task::yield_now() => {} }
        }
    }
    // A claim takes effect after all writes in progress.
    let fence = store.claim(session, None).await.expect("claims");
    let head = store.head(session).await.expect("reads");
    store.append(append(session, fence, head, &["surely"])).await.expect("appends");
    let log = read_whole_log(&store, session).await;
    assert_eq!(log.len() as u64, head + 1);
    assert_eq!(log.len() % 2, 0, "half an append is in the log");
}

async fn snapshots_never_go_back(fresh: FreshDatabase) {
    let store = fresh.open().await.events;
    let (session, _) = start_session(&store).await;
    assert_eq!(store.snapshot(session).await.expect("reads"), None);
    for (seq, bytes, newest) in [(5, "five", 5), (3, "three", 5), (9, "nine", 9), (8, "eight", 9)] {
        store.save_snapshot(session, seq, bytes.into()).await.expect("saves");
        assert_eq!(store.snapshot(session).await.expect("reads").expect("is there").0, newest);
    }
    let binary: Vec<u8> = (0..=255).collect();
    store.save_snapshot(session, 10, binary.clone().into()).await.expect("saves");
    assert_eq!(store.snapshot(session).await.expect("reads"), Some((10, binary.into())));
}

async fn two_processes_share_one_database(fresh: FreshDatabase) {
    let stores = [fresh.open().await.events, fresh.open().await.events];
    // Every batch of each process has sessions of both, in opposite orders: the processes must not deadlock.
    let mine = join_all((0..40).map(|n| start_session(&stores[n % 2]))).await;
    for expected in 1..=5 {
        let appends = (0..80).map(|n| {
            let (session, fence) = mine[if n % 2 == 0 { n / 2 } else { 39 - n / 2 }];
            stores[n % 2].append(append(session, fence, expected, &["said"]))
        });
        let won = join_all(appends).await.into_iter().filter(Result::is_ok).count();
        assert_eq!(won, 40, "each session takes one append of the two");
    }
}

async fn erased_content_is_nowhere(fresh: FreshDatabase) {
    const SECRET: &str = "correct-horse-battery";
    let engines = fresh.open().await;
    let (session, fence) = start_session(&engines.events).await;
    let store = &engines.events;
    let ann =
        create_participant(&*engines.identities, "Ann", ActorKind::User, ServerRole::Member).await.expect("enrols");
    let upload = Upload { id: uuid::Uuid::now_v7(), owner: ann.id, name: "a.md".into() };
    engines.contents.add_upload(&upload, "d", SECRET.as_bytes(), 5).await.expect("keeps");
    let ben =
        create_participant(&*engines.identities, "Ben", ActorKind::User, ServerRole::Member).await.expect("enrols");
    let of_others = Upload { id: uuid::Uuid::now_v7(), owner: ben.id, name: "a.md".into() };
    engines.contents.add_upload(&of_others, "d", b"the same, to the store", 5).await.expect("keeps");
    engines.contents.put(session, "d", SECRET.as_bytes()).await.expect("keeps");
    engines.contents.put(session, "e", b"something else").await.expect("keeps");
    let expected = store.head(session).await.expect("reads");
    let secret_append = append(session, fence, expected, &["before", SECRET, "after"]);
    let secret_append = Append { appear: vec![ann.id], ..secret_append };
    store.append(secret_append.with_listing(listing(SECRET, 7))).await.expect("appends");
    store.save_snapshot(session, expected + 3, SECRET.into()).await.expect("keeps");
    assert!(fresh.contains(SECRET).await, "it is there");

    let changed = recorded_event(session, expected + 2, "").frame;
    store.begin_erasure(session, fence).await.expect("begins");
    store.stage_erasure(session, fence, &[(expected + 2, changed.clone())]).await.expect("stages");
    let erasure = Erasure { contents: vec!["d".into()], snapshot: "rebuilt".into() };
    let redaction = Append { erasure: Some(erasure), ..append(session, fence, expected + 3, &["redacted"]) };
    store.append(redaction.clone().with_listing(listing("a title", 8))).await.expect("appends");
    // An earlier snapshot arrives late.
    store.save_snapshot(session, expected + 3, SECRET.into()).await.expect("is answered");
    fresh.wait_until_absent(SECRET).await;
    let log = store.read(session, expected, 10).await.expect("reads");
    assert_eq!(log.iter().map(|stored| stored.seq - expected).collect::<Vec<_>>(), [1, 2, 3, 4], "the numbering stays");
    assert_eq!(log[1].frame, changed);
    assert_eq!(store.snapshot(session).await.expect("reads"), Some((expected + 4, "rebuilt".into())));
    assert_eq!(engines.contents.slice(session, "d", 0, 99).await.expect("reads"), None);
    assert!(engines.contents.slice(session, "e", 0, 99).await.expect("reads").is_some(), "other contents stay");
    assert!(engines.contents.upload(upload.id).await.expect("reads").is_none(), "uploads of the same content go");
    assert!(engines.contents.upload(of_others.id).await.expect("reads").is_some(), "those of others stay");
    // A failed redaction erases nothing.
    assert!(matches!(store.append(redaction).await, Err(AppendError::Conflict { .. })));
}

async fn erased_content_is_not_read_after_the_append(fresh: FreshDatabase) {
    const SECRET: &str = "correct-horse-battery";
    const EVENTS: u64 = 300;
    let engines = fresh.open().await;
    let (session, fence) = start_session(&engines.events).await;
    let store = &engines.events;
    let expected = store.head(session).await.expect("reads");
    store.append(append(session, fence, expected, &vec![SECRET; EVENTS as usize])).await.expect("appends");
    let erased = |n| (expected + n, recorded_event(session, expected + n, "").frame);
    let secrets = async |store: &Arc<dyn EventStore>| {
        let log = read_whole_log(store, session).await;
        log.iter().filter(|frame| frame.contains(SECRET)).count() as u64
    };

    // If an erasure is not committed, its frames are not read, and the next erasure contains none of them.
    store.begin_erasure(session, fence).await.expect("begins");
    store.stage_erasure(session, fence, &[erased(1), erased(2)]).await.expect("stages");
    assert_eq!(secrets(store).await, EVENTS, "staged only");
    fresh.refuse_replaced_events().await;
    store.begin_erasure(session, fence).await.expect("begins");
    let frames: Vec<_> = (3..=EVENTS).map(erased).collect();
    store.stage_erasure(session, fence, &frames).await.expect("stages");
    let redaction = |expected| {
        let erasure = Erasure { contents: vec![], snapshot: "rebuilt".into() };
        Append { erasure: Some(erasure), ..append(session, fence, expected, &["redacted"]) }
    };
    store.append(redaction(expected + EVENTS)).await.expect("appends");
    assert_eq!(secrets(store).await, 2, "though no event is replaced yet");
    assert_eq!(secrets(&fresh.open().await.events).await, 2, "nor after a restart");
    assert!(fresh.contains(SECRET).await);
    assert!(store.begin_erasure(session, fence).await.is_err(), "the next one waits until they are");

    fresh.allow_replaced_events().await;
    store.begin_erasure(session, fence).await.expect("replaces them");
    assert_eq!(secrets(store).await, 2);
    store.stage_erasure(session, fence, &[erased(1), erased(2)]).await.expect("stages");
    store.append(redaction(expected + EVENTS + 1)).await.expect("appends");
    assert_eq!(secrets(store).await, 0);
    fresh.wait_until_absent(SECRET).await;
    // If an earlier owner paused while it staged frames with content that has been erased since, none of them remain.
    store.claim(session, None).await.expect("claims");
    let _ = store
        .stage_erasure(session, fence, &[(expected + 1, recorded_event(session, expected + 1, SECRET).frame)])
        .await;
    assert_eq!(fresh.count("erased_frames").await, 0);
    assert_eq!(read_whole_log(store, session).await.len() as u64, expected + EVENTS + 2, "the numbering stays");
}

#[tokio::test]
async fn a_reader_delays_the_scrubbing_and_no_append() {
    const SECRET: &str = "correct-horse-battery";
    let fresh = FreshDatabase::sqlite().await;
    let engines = fresh.open().await;
    let (session, fence) = start_session(&engines.events).await;
    let store = &engines.events;
    let expected = store.head(session).await.expect("reads");
    store.append(append(session, fence, expected, &[SECRET])).await.expect("appends");
    let mut backup = SqliteConnection::connect(&fresh.url).await.expect("opens");
    let mut reads = backup.begin().await.expect("begins");
    sqlx::query("select count(*) from events").execute(&mut *reads).await.expect("reads");

    store.begin_erasure(session, fence).await.expect("begins");
    let frames = [(expected + 1, recorded_event(session, expected + 1, "").frame)];
    store.stage_erasure(session, fence, &frames).await.expect("stages");
    let erasure = Erasure { contents: vec![], snapshot: "rebuilt".into() };
    let redaction = Append { erasure: Some(erasure), ..append(session, fence, expected + 1, &["redacted"]) };
    store.append(redaction).await.expect("appends");
    for n in 2..12 {
        store.append(append(session, fence, expected + n, &["goes on"])).await.expect("appends");
    }
    assert!(fresh.contains(SECRET).await, "the reader still needs it");
    drop(reads);
    drop(backup);
    fresh.wait_until_absent(SECRET).await;
}

#[tokio::test]
async fn the_write_ahead_log_is_truncated_after_a_reader_made_it_grow() {
    const MIB: u64 = 1 << 20;
    let fresh = FreshDatabase::sqlite().await;
    let engines = fresh.open().await;
    let (session, fence) = start_session(&engines.events).await;
    let mut first = engines.events.head(session).await.expect("reads");
    let mut other = SqliteConnection::connect(&fresh.url).await.expect("opens");
    let mut reads = other.begin().await.expect("begins");
    sqlx::query("select count(*) from events").execute(&mut *reads).await.expect("reads");

    let text = "a".repeat(MIB as usize);
    let wal = format!("{}-wal", fresh.url.trim_start_matches("sqlite://"));
    let bytes = || std::fs::metadata(&wal).expect("exists").len();
    while bytes() < 130 * MIB {
        engines.events.append(append(session, fence, first, &[text.as_str(); 4])).await.expect("appends");
        first += 4;
    }
    drop(reads);
    drop(other);
    with_timeout(async {
        while bytes() > MIB {
            tokio::task::yield_now().await;
        }
    })
    .await;
    assert_eq!(engines.events.head(session).await.expect("reads"), first, "every append is there");
}
