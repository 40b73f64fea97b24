//! Every command × every role in sessions that are running, waiting at a gate, or closed, over REST and over a socket,
//! and with rights that the role must request.

use roundtable::kernel::{Right, Role, SessionId, Settings};
use roundtable::protocol::CommandData;
use serde_json::{Value, json};

use super::callers::{AccessHarness, AccessOutcome, CallerKind};
use super::commands::{arguments, documented_rights};
use crate::process::viewer::{SocketViewer, ViewerState, event};
use crate::server::expect_first_revision;

/// Callers in ascending order of their rights, because a command that passes can change the session.
const CALLERS: [CallerKind; 9] = [
    CallerKind::Stranger,
    CallerKind::OutsideMember,
    CallerKind::Inside(Role::Viewer),
    CallerKind::Inside(Role::Bot),
    CallerKind::Inside(Role::Reviewer),
    CallerKind::InsideGuest,
    CallerKind::Inside(Role::Member),
    CallerKind::Inside(Role::Owner),
    CallerKind::Admin,
];

const OWNER: CallerKind = CallerKind::Inside(Role::Owner);

/// Rights that can be requested from the owners.
const ASKABLE: [&str; 4] = ["say", "steer", "interrupt", "invite"];

/// State of a session when the commands arrive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SessionState {
    Idle,
    Running,
    Paused,
    AtGate,
    Closed,
}

/// Creates a session in this state. A run at a gate stays there; other runs stay in their state only if the server
/// holds the model's responses.
async fn session_in(harness: &AccessHarness, state: SessionState, settings: &Value) -> SessionId {
    let session = harness.add_small_session(settings.clone()).await;
    if state == SessionState::Closed {
        harness.submit_as_owner(session, "close", json!({})).await;
    } else if state != SessionState::Idle {
        harness.submit_as_owner(session, "say", json!({ "text": "write tests" })).await;
    }
    if state == SessionState::AtGate {
        let mut viewer = SocketViewer::connect(&harness.server.url, harness.token(OWNER).expect("a token")).await;
        viewer.join(&session.to_string(), 0).await;
        viewer.wait_for(&mut ViewerState::default(), event("gate.opened")).await.expect("a gate");
    }
    let view = harness.state(session).await;
    if state == SessionState::Paused {
        harness.submit_as_owner(session, "pause", json!({ "run": view["run"]["id"] })).await;
    }
    let phase = match state {
        SessionState::Idle | SessionState::Closed => Value::Null,
        SessionState::Running | SessionState::Paused => json!("executing"),
        SessionState::AtGate => json!("waiting"),
    };
    let is_right = view["run"]["phase"] == phase || (phase == "executing" && view["run"]["phase"] == "pending");
    assert!(is_right, "{state:?}: {view}");
    session
}

/// Returns the arguments of each variant of the command, with the ids of the session's run and gate, and the right that
/// the variant requires.
fn variants(name: &str, harness: &AccessHarness, view: &Value, right: Option<Right>) -> Vec<(Value, Option<Right>)> {
    let mut data = arguments(name, harness);
    for (field, id) in [("run", &view["run"]["id"]), ("gate", &view["gates"][0]["id"])] {
        if data.get(field).is_some() && id.is_string() {
            data[field] = id.clone();
        }
    }
    if name == "vote_batch" && view["gates"][0]["id"].is_string() {
        data["votes"][0]["gate"] = view["gates"][0]["id"].clone();
    }
    let to_agents = json!({ "text": "more of it" });
    let other = (name == "say").then_some((to_agents, Some(Right::Steer)));
    [(data, right)].into_iter().chain(other).collect()
}

/// Sends the command over REST and over a socket. Returns both outcomes and responses.
async fn send(
    harness: &AccessHarness,
    kind: CallerKind,
    session: SessionId,
    name: &str,
    data: &Value,
) -> Vec<(AccessOutcome, Value)> {
    let mut answers = vec![harness.command(kind, session, name, data).await];
    let Some(token) = harness.token(kind) else { return answers };
    let mut viewer = SocketViewer::connect(&harness.server.url, token).await;
    viewer.join(&session.to_string(), 0).await;
    let id = uuid::Uuid::now_v7().to_string();
    let mut frame = json!({ "type": "command", "id": id, "session": session, "do": name, "data": data });
    expect_first_revision(name, &mut frame);
    viewer.send(frame).await;
    let is_answer = |frame: &Value| frame["id"] == *id || frame["code"] == "unknown_session";
    let answer = viewer.wait_for(&mut ViewerState::default(), is_answer).await.expect("an answer");
    let outcome = match answer["code"].as_str() {
        Some("unknown_session") => AccessOutcome::Hidden,
        Some("forbidden") => AccessOutcome::Forbidden,
        _ => AccessOutcome::Passes,
    };
    answers.push((outcome, answer));
    answers
}

/// Returns the expected outcome for a caller at a feedback gate. Only participants with the `approve` right vote at the
/// gate, and only they can answer it.
fn at_gate(known: &Settings, kind: CallerKind, name: &str, right: Option<Right>) -> AccessOutcome {
    let votes = AccessOutcome::in_session_with(known, kind, Some(Right::Approve));
    match (name, right) {
        ("say", Some(Right::Steer)) if votes == AccessOutcome::Passes => {
            AccessOutcome::in_session_with(known, kind, Some(Right::Answer))
        }
        ("answer", _) if votes != AccessOutcome::Passes => votes,
        _ => AccessOutcome::in_session_with(known, kind, right),
    }
}

/// Checks every command in sessions in this state.
async fn check_all_commands(state: SessionState) {
    let harness = AccessHarness::start_with(false, matches!(state, SessionState::Running | SessionState::Paused)).await;
    let (rights, known, mut wrong) = (documented_rights(), Settings::default(), vec![]);
    for name in CommandData::NAMES {
        let session = session_in(&harness, state, &json!({})).await;
        let view = harness.state(session).await;
        let right = *rights.get(*name).expect("docs/protocol.md has a row");
        for (data, right) in variants(name, &harness, &view, right) {
            for kind in CALLERS {
                let expected = match state {
                    SessionState::AtGate => at_gate(&known, kind, name, right),
                    _ => AccessOutcome::in_session_with(&known, kind, right),
                };
                for (outcome, answer) in send(&harness, kind, session, name, &data).await {
                    // After `leave` over REST, the session is hidden from the socket.
                    let is_gone = *name == "leave" && outcome == AccessOutcome::Hidden && kind.role().is_some();
                    if outcome != expected && !is_gone {
                        wrong.push(format!("{name} as {kind:?}: {outcome:?}, not {expected:?}: {answer}"));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{state:?}:\n{}", wrong.join("\n"));
}

#[tokio::test]
async fn every_command_requires_its_right_while_a_run_works() {
    check_all_commands(SessionState::Running).await;
}

#[tokio::test]
async fn every_command_requires_its_right_while_a_run_is_paused() {
    check_all_commands(SessionState::Paused).await;
}

#[tokio::test]
async fn every_command_requires_its_right_while_a_run_waits_at_a_gate() {
    check_all_commands(SessionState::AtGate).await;
}

#[tokio::test]
async fn a_closed_session_accepts_only_redactions() {
    let harness = AccessHarness::start(false).await;
    let session = session_in(&harness, SessionState::Closed, &json!({})).await;
    let view = harness.state(session).await;
    let mut wrong = vec![];
    for name in CommandData::NAMES {
        for kind in CALLERS {
            let right = (*name == "redact").then_some(Right::Manage);
            let expected = AccessOutcome::in_session_with(&Settings::default(), kind, right);
            for (outcome, answer) in send(&harness, kind, session, name, &arguments(name, &harness)).await {
                let is_closed = answer["code"] == "session_closed";
                let should_be_closed = *name != "redact" && kind.role().is_some();
                if outcome != expected || is_closed != should_be_closed {
                    wrong.push(format!("{name} as {kind:?}: {outcome:?}, not {expected:?}: {answer}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // An administrator who looked at the session is listed in it; nothing else has changed.
    assert_eq!(harness.state(session).await["messages"], view["messages"]);
}

/// Returns the commands for which this caller has open requests.
fn requests_of(harness: &AccessHarness, kind: CallerKind, view: &Value) -> Vec<Value> {
    let id = json!(harness.person(kind).expect("is there").participant.id);
    let gates = view["gates"].as_array().into_iter().flatten();
    gates.filter(|gate| gate["command"]["by"]["id"] == id).map(|gate| gate["command"]["command"].clone()).collect()
}

#[tokio::test]
async fn a_right_that_must_be_asked_for_opens_a_request_and_does_nothing() {
    use SessionState::{Idle, Paused, Running};
    let harness = AccessHarness::start_with(false, true).await;
    let asking = [
        CallerKind::Inside(Role::Viewer),
        CallerKind::Inside(Role::Bot),
        CallerKind::Inside(Role::Reviewer),
        CallerKind::InsideGuest,
        CallerKind::Inside(Role::Member),
    ];
    let outsider = harness.person(CallerKind::OutsideMember).expect("is there").participant.id;
    let roles = ["viewer", "bot", "reviewer", "member"];
    let rules = roles
        .iter()
        .flat_map(|role| ASKABLE.iter().map(move |right| json!({ "role": role, "right": right, "access": "ask" })));
    let settings = json!({ "rights": rules.collect::<Vec<_>>() });
    for (state, name, data) in [
        (Idle, "say", json!({ "text": "@people hello" })),
        (Idle, "say", json!({ "text": "write tests" })),
        (Idle, "start", json!({ "input": "write tests" })),
        (Running, "say", json!({ "text": "@people hello" })),
        (Running, "say", json!({ "text": "shorter", "mode": "steer" })),
        (Running, "pause", json!({})),
        (Running, "interrupt", json!({})),
        (Running, "interrupt", json!({ "text": "rather so" })),
        (Running, "cancel", json!({})),
        (Paused, "resume", json!({})),
        (Running, "invite", json!({ "participant": outsider, "role": "viewer" })),
    ] {
        let session = session_in(&harness, state, &settings).await;
        let before = harness.state(session).await;
        let mut data = data;
        if !matches!(name, "say" | "start" | "invite") {
            data["run"] = before["run"]["id"].clone();
        }
        for kind in asking {
            let answers = send(&harness, kind, session, name, &data).await;
            assert!(answers[0].1["seq"].is_u64(), "{name} as {kind:?} over REST: {answers:?}");
            // The socket sends the same command, which has already been requested.
            assert_eq!(answers[1].1["code"], "already_requested", "{name} as {kind:?} over a socket: {answers:?}");
            let view = harness.state(session).await;
            let requests = requests_of(&harness, kind, &view);
            assert_eq!(requests.len(), 1, "{name} as {kind:?} in {state:?}: {view}");
            assert_eq!(requests[0]["do"], name, "{name} as {kind:?}: {requests:?}");
            for same in ["messages", "inbox"] {
                assert_eq!(view[same], before[same], "{name} as {kind:?} has changed {same}");
            }
            for same in ["id", "phase", "paused", "controls"] {
                assert_eq!(view["run"][same], before["run"][same], "{name} as {kind:?} has changed the run's {same}");
            }
        }
        // Commands of owners take effect immediately.
        let owners = send(&harness, OWNER, session, name, &data).await;
        assert!(owners[0].1["seq"].is_u64(), "{name} as the owner: {owners:?}");
        assert!(requests_of(&harness, OWNER, &harness.state(session).await).is_empty(), "{name}");
    }
    // Other commands that require these rights cannot be requested from the owners. Withdrawing one's own message
    // requires no right.
    let session = session_in(&harness, Running, &settings).await;
    for kind in asking {
        for name in ["remove_file", "restore_file"] {
            for (outcome, answer) in send(&harness, kind, session, name, &arguments(name, &harness)).await {
                assert_eq!(outcome, AccessOutcome::Forbidden, "{name} as {kind:?}: {answer}");
            }
        }
        for (outcome, answer) in send(&harness, kind, session, "withdraw", &arguments("withdraw", &harness)).await {
            assert_eq!(outcome, AccessOutcome::Passes, "{kind:?}: {answer}");
        }
        assert!(requests_of(&harness, kind, &harness.state(session).await).is_empty(), "{kind:?}");
    }
}
