//! Monthly quotas of model usage per participant, session and team, across all nodes and restarts.

use std::num::NonZeroU32;
use std::sync::Arc;

use futures_util::future::join_all;
use reqwest::{Method, StatusCode};
use roundtable::clock;
use roundtable::config::Config;
use roundtable::identity::ServerRole;
use roundtable::kernel::{Fact, Language, MessageId, RequestKey, ReservedRequest, SentRequests, TurnBound};
use roundtable::limits::RateLimit;
use roundtable::quotas::{
    ModelAccount, ModelRequest, ModelReservation, ModelSpender, Month, QuotaSettings, QuotaSubject, Quotas,
    UsagePosition,
};
use roundtable::store::{Append, RecordedEvent, Stores};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::append_builders::{AppendExt, append, listing, recorded_event, start_session};
use crate::fresh_database::{FreshDatabase, laws};
use crate::server::{Person, Server};

laws! {
    requests_pass_no_quota_by_more_than_one_bound,
    a_request_is_reserved_in_all_of_its_accounts_or_in_none,
    usage_counts_for_its_session_and_its_team,
    active_runs_of_a_team_are_limited_in_the_store,
    accounts_are_listed_by_their_usage_of_the_month,
    once_a_session_is_claimed_again_its_last_owner_reserves_nothing,
    a_request_over_a_quota_is_not_reserved,
    the_next_owner_learns_the_requests_of_a_session_without_quotas,
}

const BOUND: TurnBound = TurnBound { tokens: 300, cost_micros: Some(30) };

/// Returns a model request from a new session.
async fn request(engines: &Stores, message: u64) -> ModelRequest {
    let (session, fence) = start_session(&engines.events).await;
    let request = RequestKey { message: MessageId(message), attempt: 1 };
    ModelRequest { id: Uuid::now_v7(), session, fence, request, month: Month::of(clock::now()), bound: BOUND }
}

fn account(max_tokens: u64) -> ModelAccount {
    ModelAccount { id: Uuid::now_v7(), max_tokens: Some(max_tokens), max_cost_micros: None }
}

async fn model_usage(engines: &Stores, account: &ModelAccount) -> (u64, u64) {
    engines.quotas.model_use(account.id, Month::of(clock::now())).await.expect("counts")
}

/// Returns the event that records this usage.
fn usage_event(session: roundtable::kernel::SessionId, seq: u64, model: &str, input_tokens: u64) -> RecordedEvent {
    let mut one = recorded_event(session, seq, "");
    one.event.fact = Fact::UsageRecorded {
        message: MessageId(7),
        run: roundtable::kernel::RunId(2),
        agent: "A".parse().expect("an id"),
        participant: None,
        model: model.into(),
        input_tokens,
        output_tokens: 0,
        estimated: true,
        cost_micros: input_tokens / 10,
    };
    one.event.at = clock::now();
    one
}

async fn requests_pass_no_quota_by_more_than_one_bound(fresh: FreshDatabase) {
    let nodes = [fresh.open().await, fresh.open().await];
    let limited = account(1_000);
    let requests: Vec<ModelRequest> = join_all((0..16).map(|number| request(&nodes[0], number))).await;
    let accounts = [limited];
    let reserve = |number: usize| nodes[number % 2].quotas.reserve_model(&requests[number], &accounts);
    let reserved = join_all((0..16).map(reserve)).await;
    let reserved: Vec<ModelReservation> = reserved.into_iter().map(|answer| answer.expect("answers")).collect();
    let admitted: Vec<usize> = (0..16).filter(|at| reserved[*at] == ModelReservation::Reserved).collect();
    assert_eq!(admitted.len(), 4, "1200 of 1000 with bounds of 300: {reserved:?}");
    assert!(reserved.iter().all(|one| matches!(one, ModelReservation::Reserved | ModelReservation::Waiting)));
    nodes[0].quotas.release_model(requests[admitted[0]].id).await.expect("releases");
    let mut next = vec![];
    for number in (0..16).filter(|at| !admitted.contains(at)).take(2) {
        next.push(reserve(number).await.expect("answers"));
    }
    assert_eq!(next, [ModelReservation::Reserved, ModelReservation::Waiting], "one has ended");

    // The nodes crash: from then on, the maximum cost of their requests counts until the end of the month.
    fresh.execute_sql("update model_reservations set at = at - 3600001").await;
    assert_eq!(model_usage(&nodes[0], &limited).await, (1_200, 120));
    let exhausted = ModelReservation::Exhausted { account: 0, tokens: 1_200, cost_micros: 120 };
    assert_eq!(reserve(15).await.expect("answers"), exhausted);
    let by_cost = ModelAccount { max_tokens: None, max_cost_micros: Some(120), ..limited };
    let last = request(&nodes[0], 99).await;
    let refused = nodes[1].quotas.reserve_model(&last, &[by_cost]).await.expect("answers");
    assert_eq!(refused, exhausted);
    let dearer = ModelAccount { max_cost_micros: Some(121), ..by_cost };
    let admitted = nodes[1].quotas.reserve_model(&last, &[dearer]).await.expect("answers");
    assert_eq!(admitted, ModelReservation::Reserved);
}

async fn a_request_is_reserved_in_all_of_its_accounts_or_in_none(fresh: FreshDatabase) {
    let engines = fresh.open().await;
    let quotas = &engines.quotas;
    let (wide, narrow) = (account(10_000), account(1));
    let reserve = async |accounts: &[ModelAccount]| {
        quotas.reserve_model(&request(&engines, 1).await, accounts).await.expect("answers")
    };
    assert_eq!(reserve(&[wide, narrow]).await, ModelReservation::Reserved);
    // The reply can be lost: on a retry, the same request is reserved only once, and does not wait for itself.
    let once = account(BOUND.tokens);
    let (known, other) = (request(&engines, 1).await, request(&engines, 2).await);
    for _ in 0..2 {
        let again = quotas.reserve_model(&known, &[once]).await.expect("answers");
        assert_eq!(again, ModelReservation::Reserved);
    }
    assert_eq!(quotas.reserve_model(&other, &[once]).await.expect("answers"), ModelReservation::Waiting);
    assert_eq!(reserve(&[wide, narrow]).await, ModelReservation::Waiting);
    fresh.execute_sql("update model_reservations set at = at - 3600001").await;
    let exhausted = ModelReservation::Exhausted { account: 1, tokens: 300, cost_micros: 30 };
    assert_eq!(reserve(&[wide, narrow]).await, exhausted, "it names the account");
    let month = Month::of(clock::now());
    assert_eq!(quotas.model_use(wide.id, month).await.expect("counts"), (300, 30), "of one request, not of three");
}

async fn usage_counts_for_its_session_and_its_team(fresh: FreshDatabase) {
    let engines = fresh.open().await;
    let (id, fence) = start_session(&engines.events).await;
    let team = account(1_000);
    let of_session = ModelAccount { id: id.0, ..team };
    let write = async |head: u64, events: Vec<RecordedEvent>| {
        let left = roundtable::store::Listing { team: Some(team.id), ..listing("t", head) };
        let append = append(id, fence, head, &[]).with_listing(left);
        engines.events.append(Append { events: Arc::from(events), ..append }).await.expect("appends");
    };
    write(1, vec![usage_event(id, 2, "m", 50), usage_event(id, 3, "m", 20)]).await;
    assert_eq!((model_usage(&engines, &of_session).await, model_usage(&engines, &team).await), ((70, 7), (70, 7)));

    // A takeover counts a lost request once, with its bound: in the log if the session has a budget, otherwise as a
    // reservation.
    let lost = ModelRequest { session: id, fence, ..request(&engines, 7).await };
    engines.quotas.reserve_model(&lost, &[of_session, team]).await.expect("answers");
    write(3, vec![usage_event(id, 4, "", 300)]).await;
    fresh.execute_sql("update model_reservations set at = at - 3600001").await;
    assert_eq!((model_usage(&engines, &of_session).await, model_usage(&engines, &team).await), ((370, 37), (370, 37)));
}

async fn once_a_session_is_claimed_again_its_last_owner_reserves_nothing(fresh: FreshDatabase) {
    let nodes = [fresh.open().await, fresh.open().await];
    let one = [account(BOUND.tokens)];
    let running = request(&nodes[0], 1).await;
    let ModelRequest { session, fence, .. } = running;
    let reserve = async |request: &ModelRequest| nodes[0].quotas.reserve_model(request, &one).await.expect("answers");
    let lost = async |fence| nodes[1].quotas.lose_requests(session, fence).await.expect("answers");
    assert_eq!(lost(fence).await, []);
    assert_eq!(reserve(&running).await, ModelReservation::Reserved);
    let waiting = ModelRequest { session, fence, ..request(&nodes[0], 2).await };
    assert_eq!(reserve(&waiting).await, ModelReservation::Waiting);

    // The new owner learns which requests might have been sent, and the earlier owner can add none.
    let next = nodes[1].events.claim(session, None).await.expect("is free");
    assert_eq!(lost(fence).await, [], "an earlier owner marks nothing as lost");
    assert_eq!(model_usage(&nodes[1], &one[0]).await, (0, 0), "it is in progress");
    let sent = ReservedRequest { request: running.request, bound: BOUND };
    assert_eq!(lost(next).await, [sent]);
    assert_eq!(model_usage(&nodes[1], &one[0]).await, (300, 30), "it is lost");
    nodes[1].quotas.release_model(running.id).await.expect("releases");
    assert_eq!(reserve(&waiting).await, ModelReservation::Lost);
    assert_eq!(reserve(&running).await, ModelReservation::Lost, "even if the request was reserved before");
    assert_eq!(lost(next).await, []);
    let own = ModelRequest { fence: next, ..waiting };
    assert_eq!(reserve(&own).await, ModelReservation::Reserved, "the new owner reserves its own requests");
}

async fn a_request_over_a_quota_is_not_reserved(fresh: FreshDatabase) {
    let engines = fresh.open().await;
    let (lost, one) = (request(&engines, 1).await, [account(1)]);
    engines.quotas.reserve_model(&lost, &one).await.expect("answers");
    fresh.execute_sql("update model_reservations set at = at - 3600001").await;
    let next = ModelRequest { session: lost.session, fence: lost.fence, ..request(&engines, 2).await };
    let verdict = engines.quotas.reserve_model(&next, &one).await.expect("answers");
    assert!(matches!(verdict, ModelReservation::Exhausted { .. }), "{verdict:?}");
    let sent = engines.quotas.lose_requests(lost.session, lost.fence).await.expect("answers");
    assert_eq!(sent.iter().map(|sent| sent.request).collect::<Vec<_>>(), [lost.request]);

    // An account without a quota admits every request, and its reservations show which requests might have been sent.
    let unlimited = [ModelAccount { max_tokens: None, ..account(1) }];
    let verdict = engines.quotas.reserve_model(&next, &unlimited).await.expect("answers");
    assert_eq!(verdict, ModelReservation::Reserved);
    let sent = engines.quotas.lose_requests(lost.session, lost.fence).await.expect("answers");
    assert_eq!(sent.len(), 2);
}

async fn the_next_owner_learns_the_requests_of_a_session_without_quotas(fresh: FreshDatabase) {
    let engines = fresh.open().await;
    let quotas = Quotas::new(engines.quotas.clone(), QuotaSettings::default());
    let (session, fence) = start_session(&engines.events).await;
    let spender = ModelSpender { participant: None, session, team: Uuid::now_v7() };
    let mut expected = vec![];
    for (message, attempt, cost_micros) in [(2, 0, None), (3, 1, Some(30)), (3, 2, Some(30))] {
        let request = RequestKey { message: MessageId(message), attempt };
        let bound = TurnBound { tokens: 300, cost_micros };
        let reserved = quotas.reserve_model((Uuid::now_v7(), request), fence, spender, bound, Language::En).await;
        assert_eq!(reserved.expect("answers"), Ok(true));
        expected.push(ReservedRequest { request, bound });
    }
    let mut sent = quotas.sent_requests(session, fence).await.expect("answers");
    sent.reserved.sort_by_key(|reserved| (reserved.request.message, reserved.request.attempt));
    assert_eq!(sent, SentRequests { reserved: expected.clone(), are_all_reserved: false });

    // The log charges the latest attempt of a message. The attempt before it, which the log did not charge, still
    // counts.
    let append = append(session, fence, 1, &[]).with_listing(listing("t", 1));
    let mut charged = usage_event(session, 2, "", 300);
    if let Fact::UsageRecorded { message, .. } = &mut charged.event.fact {
        *message = MessageId(3);
    }
    engines.events.append(Append { events: Arc::from([charged]), ..append }).await.expect("appends");
    let mut left = quotas.sent_requests(session, fence).await.expect("answers").reserved;
    left.sort_by_key(|reserved| reserved.request.message);
    assert_eq!(left, expected[..2]);
}

async fn accounts_are_listed_by_their_usage_of_the_month(fresh: FreshDatabase) {
    let engines = fresh.open().await;
    let team = Uuid::now_v7();
    let mut ids = vec![];
    for used in [50, 20, 20] {
        let (id, fence) = start_session(&engines.events).await;
        let left = roundtable::store::Listing { team: Some(team), ..listing("t", 1) };
        let events = Arc::from([usage_event(id, 2, "m", used)]);
        let append = append(id, fence, 1, &[]).with_listing(left);
        engines.events.append(Append { events, ..append }).await.expect("appends");
        ids.push(id.0);
    }
    ids[1..].sort_unstable();
    let month = Month::of(clock::now());
    let list = async |subject, after, limit| {
        let listed = engines.quotas.accounts(subject, month, after, limit).await.expect("lists");
        listed.into_iter().map(|one| (one.account, one.tokens, one.cost_micros)).collect::<Vec<_>>()
    };
    let all = [(ids[0], 50, 5), (ids[1], 20, 2), (ids[2], 20, 2)];
    assert_eq!(list(QuotaSubject::Session, None, 10).await, all);
    assert_eq!(list(QuotaSubject::Session, None, 1).await, all[..1]);
    let last = UsagePosition { tokens: 20, account: ids[1] };
    assert_eq!(list(QuotaSubject::Session, Some(last), 10).await, all[2..], "equal usage is listed once");
    assert_eq!(list(QuotaSubject::Team, None, 10).await, [(team, 90, 9)]);
    assert_eq!(list(QuotaSubject::Participant, None, 10).await, [], "nobody started these runs");
    let next = Month::of(month.end());
    assert!(engines.quotas.accounts(QuotaSubject::Team, next, None, 10).await.expect("lists").is_empty());

    // A request that was lost with a crashed node counts; a request in progress does not count yet.
    let session = roundtable::kernel::SessionId(ids[1]);
    let fence = engines.events.ownership(session).await.expect("reads").fence;
    let lost = ModelRequest { session, fence, ..request(&engines, 7).await };
    let of_session = ModelAccount { id: ids[1], ..account(1_000) };
    engines.quotas.reserve_model(&lost, &[of_session]).await.expect("answers");
    assert_eq!(list(QuotaSubject::Session, None, 10).await, all);
    fresh.execute_sql("update model_reservations set at = at - 3600001").await;
    assert_eq!(list(QuotaSubject::Session, None, 1).await, [(ids[1], 320, 32)]);
}

async fn active_runs_of_a_team_are_limited_in_the_store(fresh: FreshDatabase) {
    use roundtable::quotas::QuotaAmount;
    let nodes = [fresh.open().await, fresh.open().await];
    let who = crate::append_builders::new_participant_id();
    let team = Uuid::now_v7();
    let reserve = |of: usize| nodes[of % 2].quotas.reserve(who, QuotaAmount::TeamRun(team), 3);
    let reserved = join_all((0..16).map(reserve)).await;
    let reserved: Vec<Uuid> = reserved.into_iter().filter_map(|answer| answer.expect("answers")).collect();
    assert_eq!(reserved.len(), 3);
    let (id, fence) = start_session(&nodes[0].events).await;
    let running = roundtable::store::Listing { team: Some(team), waiting: true, ..listing("t", 1) };
    nodes[0].events.append(append(id, fence, 1, &["x"]).with_listing(running)).await.expect("appends");
    nodes[0].quotas.release(reserved[0]).await.expect("gives back");
    assert!(reserve(1).await.expect("answers").is_none(), "the run itself counts now");
    let ended = roundtable::store::Listing { team: Some(team), ..listing("t", 2) };
    nodes[0].events.append(append(id, fence, 2, &["x"]).with_listing(ended)).await.expect("appends");
    assert!(reserve(1).await.expect("answers").is_some(), "until it ends");
}

#[tokio::test]
async fn a_claim_waits_for_a_reservation_in_progress() {
    use sqlx::{Connection, Executor, PgConnection};
    let fresh = FreshDatabase::postgres().await;
    let nodes = [fresh.open().await, fresh.open().await];
    let (request, one) = (request(&nodes[0], 1).await, [account(BOUND.tokens)]);
    let session = request.session;
    let connect = async || PgConnection::connect(&fresh.url).await.expect("connects");
    let (mut other, mut watcher) = (connect().await, connect().await);
    let wait_until_blocked = async |watcher: &mut PgConnection, wanted: i64| {
        let blocked = "select count(*) from pg_stat_activity where datname = current_database() \
                       and wait_event_type = 'Lock'";
        crate::server::with_timeout(async {
            while sqlx::query_scalar::<_, i64>(blocked).fetch_one(&mut *watcher).await.expect("reads") < wanted {
                tokio::task::yield_now().await;
            }
        })
        .await;
    };
    // A row with the same key blocks the last statement of the reservation.
    let mut holding = other.begin().await.expect("begins");
    let row = sqlx::query(
        "insert into model_reservations (id, account, month, session, message, tokens, cost_micros, at) \
         values ($1, $2, 0, $3, 0, 0, 0, 0)",
    );
    holding.execute(row.bind(request.id).bind(one[0].id).bind(session.0)).await.expect("inserts");
    let reserving = nodes[0].quotas.reserve_model(&request, &one);
    let claiming = async {
        wait_until_blocked(&mut watcher, 1).await;
        let claiming = nodes[1].events.claim(session, None);
        let release = async {
            wait_until_blocked(&mut watcher, 2).await;
            holding.rollback().await.expect("rolls back");
        };
        futures_util::future::join(claiming, release).await.0
    };
    let (reserved, claimed) = futures_util::future::join(reserving, claiming).await;
    assert_eq!(reserved.expect("answers"), ModelReservation::Reserved);
    let fence = claimed.expect("is free");
    let sent = nodes[1].quotas.lose_requests(session, fence).await.expect("answers");
    assert_eq!(sent, [ReservedRequest { request: request.request, bound: BOUND }]);
}

async fn start_server(settings: impl FnOnce(&mut Config)) -> (Server, Person) {
    let server = Server::start_with(|config| {
        let burst = NonZeroU32::new(1000).expect("not zero");
        config.rate_limits.chat = RateLimit { burst, ..config.rate_limits.chat };
        settings(config);
    })
    .await;
    let ann = server.person("Ann", ServerRole::Member).await;
    (server, ann)
}

async fn say(server: &Server, who: &Person, session: &str, text: &str) -> (StatusCode, Value) {
    let command = json!({ "id": Uuid::now_v7(), "do": "say", "data": { "text": text, "mode": "queue" } });
    server.post(who, &format!("/api/v1/sessions/{session}/commands"), &command).await
}

async fn new_session(server: &Server, who: &Person, team: &str) -> String {
    server.session(who, &json!({ "team": team })).await.to_string()
}

/// Waits until `wanted` returns true for the state of the session, and returns the state.
async fn wait_for_state(server: &Server, who: &Person, session: &str, wanted: impl Fn(&Value) -> bool) -> Value {
    let waiting = async {
        loop {
            let view = server.get(who, &format!("/api/v1/sessions/{session}")).await["state"].take();
            if wanted(&view) {
                return view;
            }
            tokio::task::yield_now().await;
        }
    };
    crate::server::with_timeout(waiting).await
}

fn completed(view: &Value) -> bool {
    view["run"]["phase"] == "completed"
}

#[tokio::test]
async fn model_usage_of_a_session_and_a_team_is_limited_per_month() {
    for (setting, subject) in [("max_session_month_tokens", "session"), ("max_team_month_tokens", "team")] {
        let (server, ann) = start_server(|config| {
            let limit = Some(1);
            match subject {
                "session" => config.quotas.max_session_month_tokens = limit,
                _ => config.quotas.max_team_month_tokens = limit,
            }
        })
        .await;
        let first = new_session(&server, &ann, "assistant-en").await;
        assert_eq!(say(&server, &ann, &first, "Hello").await.0, StatusCode::OK);
        wait_for_state(&server, &ann, &first, completed).await;
        let (status, refused) = say(&server, &ann, &first, "Again").await;
        let named = (status, &refused["code"], &refused["details"]["quota"], &refused["details"]["limit"]);
        assert_eq!(named, (StatusCode::CONFLICT, &json!("quota_exceeded"), &json!(setting), &json!(1)));
        let (text, frees) = (refused["message"].as_str().expect("text"), refused["details"]["frees_at"].to_string());
        assert!(text.contains(&format!("this {subject}")) && text.contains("ask the operator"), "{text}");
        assert!(text.contains(frees.trim_matches('"')) && frees.contains("-01T00:00:00.000Z"), "{text} {frees}");
        if subject == "team" {
            // If a run is rejected, the session for it is not created either.
            let path = "/api/v1/sessions";
            let listed = async || server.get(&ann, path).await["sessions"].as_array().map(Vec::len);
            let before = listed().await;
            let wanted = json!({ "team": "assistant-en", "message": "Hello" });
            let (status, refused) = server.post(&ann, path, &wanted).await;
            assert_eq!((status, &refused["code"]), (StatusCode::CONFLICT, &json!("quota_exceeded")));
            assert_eq!(listed().await, before);
        }
        let second = new_session(&server, &ann, "assistant-en").await;
        let (status, answer) = say(&server, &ann, &second, "Hello").await;
        assert_eq!(status == StatusCode::OK, subject == "session", "{answer}");
        let other = new_session(&server, &ann, "testcase-en").await;
        assert_eq!(say(&server, &ann, &other, "Hello").await.0, StatusCode::OK, "another team has its own");
    }
}

#[tokio::test]
async fn a_queued_message_is_held_until_its_quota_renews() {
    let (server, ann) = start_server(|config| {
        config.quotas.max_session_month_tokens = Some(1);
        config.demo.hold_after_tokens = Some(1);
    })
    .await;
    let id = new_session(&server, &ann, "assistant-en").await;
    assert_eq!(say(&server, &ann, &id, "Hello").await.0, StatusCode::OK);
    wait_for_state(&server, &ann, &id, |view| view["run"]["running"][0]["message"].is_string()).await;
    assert_eq!(say(&server, &ann, &id, "And this").await.0, StatusCode::OK, "it waits for the run");
    wait_for_state(&server, &ann, &id, |view| view["inbox"].as_array().is_some_and(|inbox| inbox.len() == 1)).await;
    let first = wait_for_state(&server, &ann, &id, |view| {
        server.demo().release();
        view["run"]["running"][0]["held"].is_string()
    })
    .await;
    assert_eq!(first["run"]["running"][0]["failures"], 0, "an attempt that is held is no failure");
    let log = server.get(&ann, &format!("/api/v1/sessions/{id}/log?limit=1000")).await;
    let events = log["events"].as_array().expect("events");
    let held: Vec<&Value> = events.iter().filter(|event| event["event"] == "attempt.failed").collect();
    assert_eq!(held.len(), 1, "{log}");
    assert_eq!(held[0]["data"]["error"]["code"], "quota_exceeded");
    // `retry_at` is later than midnight by the time that it took to record the attempt.
    assert!(held[0]["data"]["retry_at"].as_str().is_some_and(|at| at.contains("-01T00:00:")), "{}", held[0]);
    let text = held[0]["data"]["error"]["message"].as_str().expect("text");
    assert!(text.contains("quotas.max_session_month_tokens") && text.contains("operator"), "{text}");

    // The operator raises the quota: the run continues, and the message gets its response.
    let data = server.stop().await;
    let server = Server::start_in(data, |_| {}).await;
    let view = wait_for_state(&server, &ann, &id, completed).await;
    let input = view["run"]["input"].clone();
    let log = server.get(&ann, &format!("/api/v1/sessions/{id}/log?limit=1000")).await;
    let posted = log["events"].as_array().expect("events").iter();
    let mut posted = posted.filter(|event| event["event"] == "message.posted" && event["data"]["text"] == "And this");
    assert_eq!(posted.next().expect("is there")["data"]["message"], input);
}

#[tokio::test]
async fn a_request_that_a_restart_interrupted_counts_with_its_bound() {
    let quotas = |config: &mut Config| {
        config.quotas.max_session_month_tokens = Some(15_000);
        config.quotas.max_turn_tokens = 10_000;
    };
    let (server, ann) = start_server(|config| {
        quotas(config);
        config.demo.hold_after_tokens = Some(1);
    })
    .await;
    let id = new_session(&server, &ann, "assistant-en").await;
    assert_eq!(say(&server, &ann, &id, "Hello").await.0, StatusCode::OK);
    wait_for_state(&server, &ann, &id, |view| view["run"]["running"][0]["message"].is_string()).await;
    let mut counters = server.demo().counters();
    crate::server::with_timeout(counters.wait_for(|model| model.held > 0)).await.expect("asks");
    let data = server.stop().await;
    let server = Server::start_in(data, quotas).await;
    wait_for_state(&server, &ann, &id, completed).await;
    assert_eq!(reservations(&data_url(&server)).await, [10_000], "only that of the lost request stays");
    let path = format!("/api/v1/sessions/{id}/commands");
    let command = json!({ "id": "c_2", "do": "say", "data": { "text": "Again" } });
    let answer = server.as_person(&ann, Method::POST, &path).json(&command).send().await.expect("answers");
    assert_eq!(answer.status(), StatusCode::OK, "10000 and what the first answer has used are below 15000");
}

#[tokio::test]
async fn a_request_that_waits_for_a_quota_counts_nothing_after_a_restart() {
    let quotas = |config: &mut Config| {
        config.quotas.max_team_month_tokens = Some(10_000);
        config.quotas.max_turn_tokens = 10_000;
    };
    let (server, ann) = start_server(|config| {
        quotas(config);
        config.demo.hold_after_tokens = Some(1);
    })
    .await;
    let with_budget = json!({ "team": "assistant-en", "settings": { "budget": { "max_tokens": 1_000_000 } } });
    let sent = server.session(&ann, &with_budget).await.to_string();
    assert_eq!(say(&server, &ann, &sent, "Hello").await.0, StatusCode::OK);
    let mut counters = server.demo().counters();
    crate::server::with_timeout(counters.wait_for(|model| model.held > 0)).await.expect("asks");
    let waiting = server.session(&ann, &with_budget).await.to_string();
    assert_eq!(say(&server, &ann, &waiting, "Hello").await.0, StatusCode::OK);
    wait_for_state(&server, &ann, &waiting, |view| view["run"]["running"][0]["message"].is_string()).await;

    // Only the request that was sent is charged. It uses up the quota, so both sessions are held.
    let data = server.stop().await;
    let server = Server::start_in(data, quotas).await;
    let is_held = |view: &Value| view["run"]["running"][0]["held"].is_string();
    let tokens = async |session| {
        let view = wait_for_state(&server, &ann, session, is_held).await;
        let totals = view["usage_by_agent"].as_array().expect("totals").iter();
        totals.filter_map(|total| total["input_tokens"].as_u64()).sum::<u64>()
    };
    assert!(tokens(&sent).await >= 10_000);
    assert_eq!(tokens(&waiting).await, 0);
}

fn data_url(server: &Server) -> String {
    format!("sqlite://{}/roundtable.db", server.node.config.data_dir.display())
}

/// Waits until at most one reservation remains. Returns its tokens, if there is one.
async fn reservations(url: &str) -> Vec<i64> {
    use sqlx::Connection;
    let mut connection = sqlx::SqliteConnection::connect(url).await.expect("connects");
    let read = async {
        loop {
            let all = sqlx::query_scalar("select tokens from model_reservations").fetch_all(&mut connection);
            let tokens: Vec<i64> = all.await.expect("reads");
            if tokens.len() <= 1 {
                return tokens;
            }
            tokio::task::yield_now().await;
        }
    };
    crate::server::with_timeout(read).await
}

#[tokio::test]
async fn active_runs_of_a_team_are_limited() {
    let (server, ann) = start_server(|config| config.quotas.max_team_runs = Some(1)).await;
    let ben = server.person("Ben", ServerRole::Member).await;
    let (first, second) =
        (new_session(&server, &ann, "testcase-en").await, new_session(&server, &ben, "testcase-en").await);
    assert_eq!(say(&server, &ann, &first, "Write test cases").await.0, StatusCode::OK);
    let (status, refused) = say(&server, &ben, &second, "Write test cases").await;
    let named = (status, &refused["code"], &refused["details"]["quota"]);
    assert_eq!(named, (StatusCode::CONFLICT, &json!("quota_exceeded"), &json!("max_team_runs")));
    let other = new_session(&server, &ben, "assistant-en").await;
    assert_eq!(say(&server, &ben, &other, "Hello").await.0, StatusCode::OK, "another team has its own");
    let run = server.get(&ann, &format!("/api/v1/sessions/{first}")).await["state"]["run"]["id"].take();
    let cancel = json!({ "id": "c_9", "do": "cancel", "data": { "run": run } });
    assert_eq!(server.post(&ann, &format!("/api/v1/sessions/{first}/commands"), &cancel).await.0, StatusCode::OK);
    wait_for_state(&server, &ann, &first, |view| view["run"]["phase"] == "cancelled").await;
    assert_eq!(say(&server, &ben, &second, "Write test cases").await.0, StatusCode::OK, "one has ended");
}
