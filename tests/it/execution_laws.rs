//! The laws of `ExecutionStore`, on every engine.

use std::sync::Arc;

use roundtable::agent::teams::topology::{TeamReferences, TopologySummary};
use roundtable::agent::teams::{
    ExecutionChange, ExecutionId, ExecutionListing, ExecutionQuery, ExecutionStatus, ExecutionUsage, NewTeam,
    TeamContent, TeamEntry, TeamId, TeamLimits,
};
use roundtable::identity::{ServerRole, create_participant};
use roundtable::kernel::schema::violation::SchemaViolation;
use roundtable::kernel::{
    ActorKind, AttemptError, Event, Fact, FileId, MessageId, MessageRequest, ParticipantId, Role, RunId, SessionId,
    Timestamp,
};
use roundtable::store::{Append, Fence, RecordedEvent, Stores};
use roundtable::{protocol, store};
use serde_json::json;

use crate::append_builders::{AppendExt, append, start_session, timestamp};
use crate::fresh_database::{FreshDatabase, laws};

laws! {
    the_first_run_of_a_session_is_its_execution,
    an_execution_ends_once,
    a_participant_sees_the_executions_of_their_sessions,
    lists_of_executions_have_pages_statuses_and_a_total,
    nothing_is_left_of_a_redacted_execution,
    a_failed_append_changes_no_execution,
    an_execution_outlives_its_team,
    structured_output_is_stored_with_the_log_and_the_files_of_its_execution,
}

fn started(team: TeamId, version: u64, millis: u64) -> ExecutionChange {
    ExecutionChange::Started { team, version, at: timestamp(millis) }
}

fn ended(status: ExecutionStatus, error: Option<&str>, millis: u64) -> ExecutionChange {
    let error = error.map(|code| AttemptError { code: code.into(), message: "words".into() });
    let usage = ExecutionUsage { tokens: millis, cost_micros: 2 * millis };
    ExecutionChange::Ended { status, error, usage, at: timestamp(millis) }
}

/// Appends one event with these changes.
async fn append_changes(engines: &Stores, place: (SessionId, Fence), head: &mut u64, execution: Vec<ExecutionChange>) {
    let append = Append { execution, ..append(place.0, place.1, *head, &["changed"]) };
    engines.events.append(append).await.expect("appends");
    *head += 1;
}

async fn read_execution(engines: &Stores, session: SessionId) -> Option<ExecutionListing> {
    engines.executions.execution(ExecutionId::from(session)).await.expect("reads")
}

async fn the_first_run_of_a_session_is_its_execution(fresh: FreshDatabase) {
    let engines = fresh.open().await;
    let (team, other) = (TeamId::fresh(), TeamId::fresh());
    let (place, mut head) = (start_session(&engines.events).await, 1);
    assert_eq!(read_execution(&engines, place.0).await, None);
    append_changes(&engines, place, &mut head, vec![started(team, 3, 10)]).await;
    append_changes(&engines, place, &mut head, vec![started(other, 4, 20)]).await;
    let found = read_execution(&fresh.open().await, place.0).await.expect("is there");
    assert_eq!((found.id.session(), found.team, found.team_version), (place.0, team, 3));
    assert_eq!((found.status, found.started_at), (ExecutionStatus::Running, timestamp(10)));
    assert_eq!((found.completed_at, found.error, &*found.title), (None, None, "a session"));
    assert_eq!(found.usage, None);
}

async fn an_execution_ends_once(fresh: FreshDatabase) {
    let engines = fresh.open().await;
    let (place, mut head) = (start_session(&engines.events).await, 1);
    // An end without a start belongs to a run that is not an execution.
    append_changes(&engines, place, &mut head, vec![ended(ExecutionStatus::Success, None, 5)]).await;
    assert_eq!(read_execution(&engines, place.0).await, None);
    let both = vec![started(TeamId::fresh(), 1, 10), ended(ExecutionStatus::Timeout, Some("run_timeout"), 20)];
    append_changes(&engines, place, &mut head, both).await;
    append_changes(&engines, place, &mut head, vec![ended(ExecutionStatus::Success, None, 30)]).await;
    let found = read_execution(&engines, place.0).await.expect("is there");
    assert_eq!((found.status, found.completed_at), (ExecutionStatus::Timeout, Some(timestamp(20))));
    assert_eq!(found.usage, Some(ExecutionUsage { tokens: 20, cost_micros: 40 }));
    assert_eq!(found.error.map(|error| error.code), Some("run_timeout".into()));
}

/// Adds an execution whose session has these members.
async fn add_execution(engines: &Stores, team: TeamId, millis: u64, members: &[ParticipantId]) -> (SessionId, Fence) {
    let place = start_session(&engines.events).await;
    let joins = append(place.0, place.1, 1, &["joined"]);
    let joins = members.iter().fold(joins, |joins, who| joins.with_member(*who, Some(Role::Viewer)));
    let joins = Append { appear: members.to_vec(), execution: vec![started(team, 1, millis)], ..joins };
    engines.events.append(joins).await.expect("appends");
    place
}

async fn list_executions(engines: &Stores, query: ExecutionQuery) -> (Vec<SessionId>, u64) {
    let page = engines.executions.executions(&query).await.expect("reads");
    (page.executions.iter().map(|execution| execution.id.session()).collect(), page.total)
}

async fn person(engines: &Stores, name: &str) -> ParticipantId {
    let who = create_participant(&*engines.identities, name, ActorKind::User, ServerRole::Member);
    who.await.expect("enrols").id
}

fn query(team: TeamId, reader: ParticipantId) -> ExecutionQuery {
    ExecutionQuery { team, reader, all: false, status: None, offset: 0, limit: 10 }
}

async fn a_participant_sees_the_executions_of_their_sessions(fresh: FreshDatabase) {
    let engines = fresh.open().await;
    let (ann, ben) = (person(&engines, "Ann").await, person(&engines, "Ben").await);
    let (team, other) = (TeamId::fresh(), TeamId::fresh());
    let own = add_execution(&engines, team, 10, &[ann]).await;
    let shared = add_execution(&engines, team, 20, &[ann, ben]).await;
    add_execution(&engines, other, 30, &[ann]).await;
    assert_eq!(list_executions(&engines, query(team, ann)).await, (vec![shared.0, own.0], 2));
    assert_eq!(list_executions(&engines, query(team, ben)).await, (vec![shared.0], 1));
    assert_eq!(
        list_executions(&engines, ExecutionQuery { all: true, ..query(team, ben) }).await,
        (vec![shared.0, own.0], 2)
    );
    let left = append(shared.0, shared.1, 2, &["left"]).with_member(ben, None);
    engines.events.append(left).await.expect("appends");
    assert_eq!(list_executions(&engines, query(team, ben)).await, (vec![], 0));
}

async fn lists_of_executions_have_pages_statuses_and_a_total(fresh: FreshDatabase) {
    let engines = fresh.open().await;
    let (ann, team) = (person(&engines, "Ann").await, TeamId::fresh());
    let mut places = vec![];
    for millis in 1..=3 {
        places.push(add_execution(&engines, team, millis * 10, &[ann]).await);
    }
    let done = vec![ended(ExecutionStatus::Failed, Some("internal"), 50)];
    append_changes(&engines, places[1], &mut 2, done).await;
    let page = |offset, limit| ExecutionQuery { offset, limit, ..query(team, ann) };
    assert_eq!(list_executions(&engines, page(0, 2)).await, (vec![places[2].0, places[1].0], 3));
    assert_eq!(list_executions(&engines, page(2, 2)).await, (vec![places[0].0], 3));
    assert_eq!(list_executions(&engines, page(9, 2)).await, (vec![], 3));
    let with = |status| ExecutionQuery { status: Some(status), ..query(team, ann) };
    assert_eq!(list_executions(&engines, with(ExecutionStatus::Failed)).await, (vec![places[1].0], 1));
    assert_eq!(list_executions(&engines, with(ExecutionStatus::Running)).await, (vec![places[2].0, places[0].0], 2));
    assert_eq!(list_executions(&engines, with(ExecutionStatus::Success)).await, (vec![], 0));
}

async fn nothing_is_left_of_a_redacted_execution(fresh: FreshDatabase) {
    let engines = fresh.open().await;
    let (ann, team) = (person(&engines, "Ann").await, TeamId::fresh());
    let place = add_execution(&engines, team, 10, &[ann]).await;
    append_changes(&engines, place, &mut 2, vec![ExecutionChange::Erased]).await;
    assert_eq!(read_execution(&engines, place.0).await, None);
    assert_eq!(list_executions(&engines, query(team, ann)).await, (vec![], 0));
}

async fn an_execution_outlives_its_team(fresh: FreshDatabase) {
    let engines = fresh.open().await;
    let (ann, id) = (person(&engines, "Ann").await, TeamId::fresh());
    let summary = TopologySummary { node_count: 1, agent_count: 1, edge_count: 0 };
    let entry = TeamEntry { summary, references: TeamReferences::default() };
    let content = TeamContent { name: "Orders", description: "", document: "{}", entry: &entry };
    let limits = TeamLimits { teams: 1, bytes: 10 };
    engines.teams.add_team(&NewTeam { id, owner: ann, content }, limits).await.expect("writes").expect("has room");
    let place = add_execution(&engines, id, 10, &[ann]).await;
    assert!(engines.teams.remove_team(id).await.expect("writes"));
    assert!(engines.teams.team(id, ann).await.expect("reads").is_none());
    let engines = fresh.open().await;
    assert_eq!(read_execution(&engines, place.0).await.map(|found| found.team), Some(id));
    assert_eq!(list_executions(&engines, query(id, ann)).await, (vec![place.0], 1));
}

async fn a_failed_append_changes_no_execution(fresh: FreshDatabase) {
    let engines = fresh.open().await;
    let place = start_session(&engines.events).await;
    let late = Append { execution: vec![started(TeamId::fresh(), 1, 10)], ..append(place.0, place.1, 7, &["late"]) };
    engines.events.append(late).await.expect_err("has another head");
    assert_eq!(read_execution(&engines, place.0).await, None);
}

async fn structured_output_is_stored_with_the_log_and_the_files_of_its_execution(fresh: FreshDatabase) {
    let engines = fresh.open().await;
    let (session, fence) = start_session(&engines.events).await;
    engines.contents.put(session, "d1", b"[1]").await.expect("stores");
    let schema = json!({ "type": "array", "items": { "type": "integer" } });
    let request = MessageRequest { output_schema: Some(schema), ..MessageRequest::default() };
    let (run, message) = (RunId(3), MessageId(2));
    let violation = SchemaViolation { pointer: "/0".into(), path: "$[0]".into(), message: "no integer".into() };
    let reason = "wrong".into();
    let facts = vec![
        Fact::MessagePosted {
            message,
            text: "write it".into(),
            files: vec![],
            relays: None,
            request: Some(Arc::new(request)),
        },
        Fact::RunStarted { run, flow: "structure".into(), input: message, to: vec![] },
        Fact::OutputRejected { run, message: MessageId(5), reason, violations: vec![violation], again: true },
        Fact::OutputProduced { run, message: MessageId(6), output: json!([1]) },
        Fact::FileAdded {
            file: FileId(6),
            name: "structured-output.json".into(),
            version: 1,
            media_type: "application/json".into(),
            bytes: 3,
            digest: "d1".into(),
            agent: None,
            call: None,
            message: Some(MessageId(6)),
        },
    ];
    let plain = append(session, fence, 1, &["", "", "", "", ""]);
    let recorded = plain.events.iter().zip(facts.clone()).map(|(recorded, fact)| {
        let event = Event { fact, ..recorded.event.clone() };
        RecordedEvent { frame: protocol::encode_event(session, &event), event }
    });
    let events = recorded.collect();
    let execution = vec![started(TeamId::fresh(), 1, 10), ended(ExecutionStatus::Success, None, 20)];
    let appended = Append { execution, events, ..plain };
    engines.events.append(appended).await.expect("appends");
    let restarted = fresh.open().await;
    let page = store::page(&*restarted.events, session, 1).await.expect("reads");
    assert_eq!(page.into_iter().map(|recorded| recorded.event.fact).collect::<Vec<_>>(), facts);
    let content = restarted.contents.slice(session, "d1", 0, 10).await.expect("reads");
    assert_eq!(content.as_deref(), Some(&b"[1]"[..]));
    restarted.events.remove_expired(Timestamp::MAX).await.expect("removes");
    assert_eq!(restarted.contents.slice(session, "d1", 0, 10).await.expect("reads"), None, "it ends with its session");
    assert_eq!(read_execution(&restarted, session).await, None);
}
