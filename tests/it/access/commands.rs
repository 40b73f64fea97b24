//! Every command × every kind of caller, over REST and over a socket. docs/protocol.md lists the right that each
//! command requires.

use std::collections::BTreeMap;

use reqwest::Method;
use roundtable::kernel::{Right, Settings};
use roundtable::protocol::CommandData;
use serde_json::{Value, json};

use super::callers::{AccessHarness, AccessOutcome, CallerKind};
use crate::process::viewer::{SocketViewer, ViewerState};
use crate::server::expect_first_revision;

/// Returns the right that each command requires, read from the table of commands in docs/protocol.md.
pub(super) fn documented_rights() -> BTreeMap<String, Option<Right>> {
    let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/protocol.md");
    let page = std::fs::read_to_string(page).expect("the page is there");
    let table = page.split("### Commands").nth(1).expect("has commands").split("###").next().unwrap_or_default();
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [_, name, _, right, ..] = cells[..] else { panic!("a row has four cells: {line}") };
        // The cell of a command that requires no right is empty.
        let right = (!right.is_empty()).then(|| serde_json::from_value(json!(right)).expect("a right"));
        (name.trim_matches('`').to_owned(), right)
    };
    // The first row contains the names of the columns.
    table.lines().filter(|line| line.starts_with("| `")).skip(1).map(row).collect()
}

/// Returns valid arguments for a command. The objects that they refer to need not exist.
pub(super) fn arguments(name: &str, harness: &AccessHarness) -> Value {
    let spare = harness.spare.participant.id;
    match name {
        "say" => json!({ "text": "@people hello" }),
        "withdraw" => json!({ "message": "m_1" }),
        "withdraw_command" => json!({ "gate": "g_1" }),
        "start" => json!({ "input": "hello" }),
        "vote" => json!({ "gate": "g_1", "choice": "approve" }),
        "vote_batch" => json!({ "votes": [{ "gate": "g_1", "rev": 1, "choice": "approve" }] }),
        "withdraw_vote" => json!({ "gate": "g_1" }),
        "delegate_votes" => json!({}),
        "comment" => json!({ "gate": "g_1", "text": "why?" }),
        "resolve_comment" => json!({ "gate": "g_1", "thread": "m_1", "resolved": true }),
        "delete_comment" => json!({ "gate": "g_1", "comment": "m_1" }),
        "propose_rule" => json!({ "suggestion": "0" }),
        "revoke_permission" => json!({ "permission": "a_1" }),
        "answer" => json!({ "gate": "g_1", "text": "yes" }),
        "pause" | "resume" | "interrupt" | "cancel" => json!({ "run": "r_1" }),
        "invite" | "set_role" => json!({ "participant": spare, "role": "viewer" }),
        "admit" | "refuse" => {
            json!({ "participant": harness.person(CallerKind::Knocking).expect("is there").participant.id })
        }
        "remove" => json!({ "participant": spare }),
        "leave" | "close" => json!({}),
        "set" => json!({ "title": "Another" }),
        "remove_file" => json!({ "name": "a.txt" }),
        "restore_file" => json!({ "file": "f_1" }),
        "redact" => json!({ "message": "m_1" }),
        other => panic!("say here what {other} takes, and in docs/protocol.md which right"),
    }
}

#[tokio::test]
async fn every_command_requires_its_documented_right() {
    check_all_commands(json!([])).await;
}

#[tokio::test]
async fn every_command_requires_the_right_that_session_rules_set() {
    let rule = |role, right, access| json!({ "role": role, "right": right, "access": access });
    check_all_commands(json!([
        rule("member", "say", "deny"),
        rule("member", "interrupt", "deny"),
        rule("member", "invite", "deny"),
        rule("reviewer", "interrupt", "allow"),
        rule("reviewer", "approve", "deny"),
        rule("reviewer", "answer", "deny"),
        rule("viewer", "steer", "allow"),
        rule("viewer", "say", "allow"),
        rule("bot", "approve", "allow"),
        rule("bot", "steer", "deny"),
    ]))
    .await;
}

/// Checks every command in sessions with these rules for rights.
async fn check_all_commands(rules: Value) {
    let settings = json!({ "rights": rules });
    let known: Settings = serde_json::from_value(settings.clone()).expect("settings");
    let harness = AccessHarness::start(false).await;
    let rights = documented_rights();
    let mut wrong = vec![];
    for name in CommandData::NAMES {
        let right = *rights.get(*name).unwrap_or_else(|| panic!("docs/protocol.md has no row for {name}"));
        let data = arguments(name, &harness);
        // One session per transport, because some commands end the session or the sender's membership.
        let (over_rest, over_socket) = (harness.add_session().await, harness.add_session().await);
        for session in [over_rest, over_socket] {
            harness.submit_as_owner(session, "set", json!({ "settings": settings })).await;
        }
        for kind in CallerKind::ALL {
            let expected = match AccessOutcome::in_session_with(&known, kind, right) {
                _ if kind.is_wrong_page(&Method::POST) => AccessOutcome::Forbidden,
                expected => expected,
            };
            let (outcome, answer) = harness.command(kind, over_rest, name, &data).await;
            if outcome != expected {
                wrong.push(format!("{name} over REST as {kind:?}: {outcome:?}, not {expected:?}: {answer}"));
            }
            let Some(token) = harness.token(kind) else { continue };
            let mut viewer = SocketViewer::connect(&harness.server.url, token).await;
            if !kind.is_known() {
                let first = viewer.next().await.expect("an answer");
                assert_eq!(first["code"], "unauthenticated", "{kind:?}: {first}");
                continue;
            }
            viewer.join(&over_socket.to_string(), 0).await;
            let mut frame = json!({ "type": "command", "id": "c_1", "session": over_socket, "do": name, "data": data });
            expect_first_revision(name, &mut frame);
            viewer.send(frame).await;
            let mut seen = ViewerState::default();
            let is_answer = |frame: &Value| frame["id"] == "c_1" || frame["code"] == "unknown_session";
            let answer = viewer.wait_for(&mut seen, is_answer).await.expect("an answer");
            let outcome = match answer["code"].as_str() {
                Some("unknown_session") => AccessOutcome::Hidden,
                Some("forbidden") => AccessOutcome::Forbidden,
                _ => AccessOutcome::Passes,
            };
            if outcome != expected {
                wrong.push(format!("{name} over a socket as {kind:?}: {outcome:?}, not {expected:?}: {answer}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
