//! A flow requires a team that it can work with, and assigns work by the agents' roles.

use roundtable::kernel::gate::Quorum;
use roundtable::kernel::{AgentRole, Command, Fact, Phase, Rejection, Role, SessionId, Settings, State, Team, decide};
use uuid::Uuid;

use super::harness::{KernelHarness, OWNER, id, person, say, set, team};

fn team_with_flow(flow: &str, roles: &[(&str, AgentRole)]) -> Team {
    Team { flow: flow.into(), ..team(roles) }
}

#[test]
fn a_team_that_does_not_fit_its_flow_is_refused_with_the_reason() {
    let (planner, executor, worker) = (("P", AgentRole::Planner), ("E", AgentRole::Executor), ("W", AgentRole::Worker));
    let table = [
        ("review", vec![worker], "flow review requires an agent in role generator, or one in role reviewer"),
        ("react", vec![planner], "flow react requires an agent in role worker"),
        ("plan_solve", vec![planner, executor], "flow plan_solve requires an agent in role summarizer"),
        ("router", vec![("R", AgentRole::Router), planner], "flow router requires agents for at least one flow"),
        ("workflow", vec![worker], "flow workflow requires 1 to 100 steps"),
        ("comprehensive", vec![worker], "flow comprehensive requires an agent in role summarizer"),
        ("brain", vec![planner], "flow brain requires an agent in role executor"),
        ("investigate", vec![executor], "flow investigate requires an agent in role planner"),
        ("magic", vec![worker], "there is no flow magic; use one of review, react"),
    ];
    for (flow, roles, text) in table {
        let session = SessionId(Uuid::from_u128(9));
        let command =
            Command::Create { title: "t".into(), team: team_with_flow(flow, &roles), settings: Settings::default() };
        let by = roundtable::kernel::CommandSender::Participant {
            actor: person(OWNER),
            id: "c_1".parse().expect("an id"),
            granted_role: None,
            max_role: None,
        };
        let envelope = roundtable::kernel::Envelope { at: Default::default(), by, command };
        match decide(&State::new(session), &envelope) {
            Err(Rejection::Invalid(error)) => assert!(error.contains(text), "{flow}: {error}"),
            other => panic!("{flow}: {other:?}"),
        }
    }
}

#[test]
fn a_session_gets_the_default_limits_of_its_flow() {
    let named = |fields: serde_json::Value| match fields {
        serde_json::Value::Object(fields) => fields,
        other => panic!("{other} is no object"),
    };
    assert_eq!(Settings::of("review").max_messages_per_run, 20);
    assert_eq!(Settings::of("plan_solve").max_messages_per_run, 200);
    let some = Settings::of("brain").with(&named(serde_json::json!({ "max_parallel": 3 }))).expect("reads");
    assert_eq!((some.max_messages_per_run, some.max_parallel), (200, 3));
    let all = Settings::of("brain").with(&named(serde_json::json!({ "max_messages_per_run": 20 }))).expect("reads");
    assert_eq!(all.max_messages_per_run, 20);
    assert!(Settings::of("brain").with(&named(serde_json::json!({ "paralel": 3 }))).is_err());
}

#[test]
fn settings_that_are_not_named_keep_their_values() {
    let mut harness = KernelHarness::with(
        team(&[("G", AgentRole::Generator)]),
        Settings { max_waiting_messages: 7, ..Settings::default() },
    );
    harness.ok(OWNER, set(serde_json::json!({ "max_parallel": 3, "gate_seconds": 60 })));
    harness.ok(OWNER, set(serde_json::json!({ "gate_seconds": null })));
    let settings = &harness.state.view().settings;
    assert_eq!((settings.max_waiting_messages, settings.max_parallel, settings.gate_seconds), (7, 3, None));
    harness.ok(OWNER, set(serde_json::json!({ "knowledge": ["1"], "max_parallel": 3, "max_waiting_messages": 8 })));
    harness.ok(OWNER, set(serde_json::json!({ "knowledge": [] })));
    harness.ok(OWNER, Command::Set { title: Some("New".into()), settings: None });
    let changed = harness.log.iter().filter_map(|event| match &event.fact {
        Fact::SessionUpdated { changed, .. } => Some(changed.iter().map(|name| &**name).collect::<Vec<_>>()),
        _ => None,
    });
    let named = [
        vec!["max_parallel", "gate_seconds"],
        vec!["gate_seconds"],
        vec!["knowledge", "max_waiting_messages"],
        vec!["knowledge"],
        vec![],
    ];
    assert_eq!(changed.collect::<Vec<_>>(), named);
    for wrong in [serde_json::json!({ "paralel": 3 }), serde_json::json!({ "max_parallel": 0 })] {
        assert!(matches!(harness.submit(OWNER, set(wrong)), Err(Rejection::Invalid(_))));
    }
}

#[test]
fn a_quorum_cannot_exceed_the_participants_who_may_approve() {
    let rule = |n: u32| serde_json::json!({ "approval": { "kind": "at_least", "n": n } });
    // The creator of a session adds the other people later.
    let before = Settings { approval: Quorum::AtLeast { n: 3, role: None }, ..Settings::default() };
    let mut harness = KernelHarness::with(team(&[("G", AgentRole::Generator)]), before);
    harness.enter(2, Role::Reviewer);
    harness.enter(3, Role::Viewer);
    harness.enter(4, Role::Bot);
    harness
        .ok(OWNER, set(serde_json::json!({ "approval": { "kind": "at_least", "n": 3 }, "max_waiting_messages": 7 })));
    harness.ok(OWNER, set(rule(2)));
    let Err(Rejection::Invalid(text)) = harness.submit(OWNER, set(rule(3))) else { panic!("is refused") };
    assert_eq!(
        &*text,
        "approval: n is 3, and 2 participants here may approve; set at most 2, or invite more people first"
    );
    harness.ok(OWNER, Command::SetRole { participant: id(3), role: Role::Member });
    harness.ok(OWNER, set(rule(3)));
}

#[test]
fn the_choice_of_a_router_is_not_the_answer() {
    let roles = [
        ("Router", AgentRole::Router),
        ("Worker", AgentRole::Worker),
        ("Planner", AgentRole::Planner),
        ("Executor", AgentRole::Executor),
        ("Summarizer", AgentRole::Summarizer),
    ];
    let table: [(&str, &[&str]); 3] = [
        ("react", &["Worker"]),
        ("comprehensive", &["Worker", "Summarizer"]),
        ("plan_solve", &["Planner", "Summarizer"]),
    ];
    for (flow, writers) in table {
        let mut harness = KernelHarness::with(team_with_flow("router", &roles), Settings::default());
        harness.ok(OWNER, say("what is left to do?"));
        assert_eq!(harness.writing_agents(), ["Router"]);
        harness.finish(&format!(r#"{{"flow":"{flow}"}}"#));
        for writer in writers {
            assert_eq!(harness.writing_agents(), [*writer], "{flow}");
            harness.finish(&format!("words of {writer}"));
        }
        assert_eq!(harness.phase(), Phase::Completed, "{flow}");
        let answers = harness.log.iter().filter_map(|event| match &event.fact {
            Fact::RunFinished { final_message, .. } => {
                Some(harness.state.view().message((*final_message)?)?.text.to_string())
            }
            _ => None,
        });
        let last = writers.last().expect("somebody writes");
        assert_eq!(answers.collect::<Vec<_>>(), [format!("words of {last}")], "{flow}");
    }
}
