//! A flow requires a team that it can work with, and assigns work by the roles of its agents.

use roundtable::kernel::gate::Quorum;
use roundtable::kernel::{AgentRole, Command, Fact, Phase, Rejection, Role, SessionId, Settings, State, Team, decide};
use uuid::Uuid;

use super::harness::{KernelHarness, OWNER, id, person, say, set, team};

fn of(flow: &str, roles: &[(&str, AgentRole)]) -> Team {
    Team { flow: flow.into(), ..team(roles) }
}

#[test]
fn a_team_that_its_flow_cannot_work_with_is_refused_in_words() {
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
    for (flow, roles, words) in table {
        let session = SessionId(Uuid::from_u128(9));
        let command = Command::Create { title: "t".into(), team: of(flow, &roles), settings: Settings::default() };
        let by = roundtable::kernel::CommandSender::Participant {
            actor: person(OWNER),
            id: "c_1".parse().expect("an id"),
            granted_role: None,
            max_role: None,
        };
        let envelope = roundtable::kernel::Envelope { at: Default::default(), by, command };
        match decide(&State::new(session), &envelope) {
            Err(Rejection::Invalid(said)) => assert!(said.contains(words), "{flow}: {said}"),
            other => panic!("{flow}: {other:?}"),
        }
    }
}

#[test]
fn a_session_is_bound_by_what_its_flow_usually_needs() {
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
fn settings_that_nobody_names_stay_as_they_are() {
    let mut stage = KernelHarness::with(
        team(&[("G", AgentRole::Generator)]),
        Settings { max_waiting_messages: 7, ..Settings::default() },
    );
    stage.ok(OWNER, set(serde_json::json!({ "max_parallel": 3, "gate_seconds": 60 })));
    stage.ok(OWNER, set(serde_json::json!({ "gate_seconds": null })));
    let settings = &stage.state.view().settings;
    assert_eq!((settings.max_waiting_messages, settings.max_parallel, settings.gate_seconds), (7, 3, None));
    stage.ok(OWNER, set(serde_json::json!({ "knowledge": ["1"], "max_parallel": 3, "max_waiting_messages": 8 })));
    stage.ok(OWNER, set(serde_json::json!({ "knowledge": [] })));
    stage.ok(OWNER, Command::Set { title: Some("New".into()), settings: None });
    let changed = stage.log.iter().filter_map(|event| match &event.fact {
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
        assert!(matches!(stage.does(OWNER, set(wrong)), Err(Rejection::Invalid(_))));
    }
}

#[test]
fn no_more_approvals_are_asked_for_than_people_may_give() {
    let rule = |n: u32| serde_json::json!({ "approval": { "kind": "at_least", "n": n } });
    // The creator of a session adds the other people later.
    let before = Settings { approval: Quorum::AtLeast { n: 3, role: None }, ..Settings::default() };
    let mut stage = KernelHarness::with(team(&[("G", AgentRole::Generator)]), before);
    stage.enter(2, Role::Reviewer);
    stage.enter(3, Role::Viewer);
    stage.enter(4, Role::Bot);
    stage.ok(OWNER, set(serde_json::json!({ "approval": { "kind": "at_least", "n": 3 }, "max_waiting_messages": 7 })));
    stage.ok(OWNER, set(rule(2)));
    let Err(Rejection::Invalid(words)) = stage.does(OWNER, set(rule(3))) else { panic!("is refused") };
    assert_eq!(&*words, "n is 3, and 2 participants here may approve; set at most 2, or invite more people first");
    stage.ok(OWNER, Command::SetRole { participant: id(3), role: Role::Member });
    stage.ok(OWNER, set(rule(3)));
}

#[test]
fn a_routers_choice_is_not_the_answer() {
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
        let mut stage = KernelHarness::with(of("router", &roles), Settings::default());
        stage.ok(OWNER, say("what is left to do?"));
        assert_eq!(stage.writing(), ["Router"]);
        stage.finish(&format!(r#"{{"flow":"{flow}"}}"#));
        for writer in writers {
            assert_eq!(stage.writing(), [*writer], "{flow}");
            stage.finish(&format!("words of {writer}"));
        }
        assert_eq!(stage.phase(), Phase::Completed, "{flow}");
        let answers = stage.log.iter().filter_map(|event| match &event.fact {
            Fact::RunFinished { final_message, .. } => {
                Some(stage.state.view().message((*final_message)?)?.text.to_string())
            }
            _ => None,
        });
        let last = writers.last().expect("somebody writes");
        assert_eq!(answers.collect::<Vec<_>>(), [format!("words of {last}")], "{flow}");
    }
}
