//! Comments on the content of a gate: threads bound to a revision, which can hold the gate and reach agents only if the
//! gate is not approved.

use roundtable::kernel::call::Risk;
use roundtable::kernel::gate::{Choice, CommentThread, Gate, Outcome};
use roundtable::kernel::*;
use serde_json::json;

use super::approval_rules::{outcome_of, run_until_gates_with_rules};
use super::call_gates::{gates, vote};
use super::harness::*;
use super::redaction::{remaining_places, rewrite};
use super::scripted_runner::ScriptedRunner;

fn comment(gate: &Gate, path: &str, line: Option<u32>, text: &str) -> Command {
    Command::Comment { gate: gate.id, rev: gate.rev, thread: None, path: path.into(), line, text: text.into() }
}

fn reply(gate: &Gate, thread: MessageId, text: &str) -> Command {
    let (gate, rev, thread) = (gate.id, gate.rev, Some(thread));
    Command::Comment { gate, rev, thread, path: "".into(), line: None, text: text.into() }
}

fn resolve(gate: &Gate, thread: MessageId, resolved: bool) -> Command {
    Command::ResolveComment { gate: gate.id, thread, resolved }
}

fn threads(runner: &ScriptedRunner) -> Vec<CommentThread> {
    gates(runner)[0].threads.clone()
}

fn comments_read_by_agents(runner: &ScriptedRunner) -> Vec<MessageId> {
    runner
        .harness
        .state
        .view()
        .model_messages
        .iter()
        .filter(|message| message.comment_on.is_some())
        .map(|message| message.id)
        .collect()
}

fn start_with_holding_comments() -> ScriptedRunner {
    run_until_gates_with_rules(json!([{ "quorum": { "kind": "any" }, "comments_hold": true }]), Risk::High)
}

/// A gate that a reviewer's comment holds.
fn start_with_comment(text: &str) -> (ScriptedRunner, Gate, MessageId) {
    let mut runner = start_with_holding_comments();
    let gate = gates(&runner)[0].clone();
    runner.harness.ok(2, comment(&gate, "/what", None, text));
    let thread = threads(&runner)[0].place.thread;
    (runner, gate, thread)
}

#[test]
fn an_open_comment_holds_the_gate_until_it_is_resolved() {
    let mut runner = start_with_holding_comments();
    let gate = gates(&runner)[0].clone();
    assert_eq!(
        runner.harness.ok(2, comment(&gate, "/what", Some(1), "why?")).last().expect("a fact"),
        "gate.commented"
    );
    let thread = threads(&runner)[0].place.thread;
    let place = threads(&runner)[0].place.clone();
    assert_eq!((&*place.path, place.line, &*place.quote, place.rev), ("/what", Some(1), "a", 1));
    runner.harness.ok(3, vote(&gate, Choice::Approve, None));
    assert_eq!(outcome_of(&runner, &gate), None, "a comment is open");
    runner.harness.ok(4, reply(&gate, thread, "because"));
    assert_eq!(threads(&runner)[0].comments.len(), 2);
    let names = runner.harness.ok(2, resolve(&gate, thread, true));
    assert_eq!(names[0], "gate.thread_changed");
    assert_eq!(outcome_of(&runner, &gate), Some(Outcome::Approved), "the votes suffice already");
    assert!(comments_read_by_agents(&runner).is_empty(), "an approval takes no comment to agents");
    let restored = runner.harness.state.snapshot().restore().expect("by this kernel");
    assert_eq!(restored, runner.harness.state);
}

#[test]
fn comments_hold_a_gate_only_under_a_rule_and_never_a_rejection() {
    let mut runner = run_until_gates_with_rules(json!([]), Risk::High);
    let gate = gates(&runner)[0].clone();
    runner.harness.ok(2, comment(&gate, "", None, "why?"));
    runner.harness.ok(3, vote(&gate, Choice::Approve, None));
    assert_eq!(outcome_of(&runner, &gate), Some(Outcome::Approved));
    let mut runner = start_with_holding_comments();
    let gate = gates(&runner)[0].clone();
    runner.harness.ok(2, comment(&gate, "/what", None, "rather b"));
    runner.harness.ok(2, comment(&gate, "/what", None, "never mind"));
    let [open, resolved] = &threads(&runner)[..] else { panic!("two threads") };
    runner.harness.ok(2, resolve(&gate, resolved.place.thread, true));
    runner.harness.ok(3, vote(&gate, Choice::Reject, None));
    assert_eq!(outcome_of(&runner, &gate), Some(Outcome::Rejected));
    assert_eq!(comments_read_by_agents(&runner), [open.place.thread], "agents read the open comments of a refusal");
}

#[test]
fn the_deadline_applies_despite_open_comments() {
    let rule = json!([{ "quorum": { "kind": "veto" }, "comments_hold": true, "deadline_seconds": 60 }]);
    let mut runner = run_until_gates_with_rules(rule, Risk::High);
    let gate = gates(&runner)[0].clone();
    runner.harness.ok(2, comment(&gate, "", None, "why?"));
    runner.harness.now += 60_000;
    runner.harness.submit_as_orchestrator(Command::DeadlineReached);
    assert_eq!(outcome_of(&runner, &gate), Some(Outcome::Approved));
}

#[test]
fn a_comment_is_bound_to_the_revision_that_its_author_saw() {
    let mut runner = start_with_holding_comments();
    let gate = gates(&runner)[0].clone();
    runner.harness.ok(2, comment(&gate, "/what", Some(1), "why?"));
    let thread = threads(&runner)[0].place.thread;
    runner.harness.ok(4, vote(&gate, Choice::Approve, Some(json!({ "what": "c" }))));
    let stale = runner.harness.submit(2, comment(&gate, "/what", Some(1), "again"));
    assert_eq!(stale, Err(Rejection::StaleRevision { given: 1, current: 2 }));
    let now = gates(&runner)[0].clone();
    assert_eq!(
        (now.rev, now.threads[0].place.rev, outcome_of(&runner, &gate)),
        (2, 1, None),
        "an outdated thread holds too"
    );
    runner.harness.ok(2, reply(&now, thread, "better"));
    assert_eq!(threads(&runner)[0].comments.len(), 2);
}

#[test]
fn a_thread_can_be_resolved_by_its_author_and_by_approvers() {
    let mut runner = run_until_gates_with_rules(
        json!([{ "quorum": { "kind": "any" }, "separate_duties": true, "comments_hold": true }]),
        Risk::High,
    );
    let gate = gates(&runner)[0].clone();
    runner.harness.ok(2, comment(&gate, "", None, "why?"));
    runner.harness.ok(OWNER, comment(&gate, "", None, "my own"));
    let [theirs, own] = &threads(&runner)[..] else { panic!("two threads") };
    let refused = runner.harness.submit(OWNER, resolve(&gate, theirs.place.thread, true));
    assert!(matches!(refused, Err(Rejection::Forbidden { .. })), "they started the run: {refused:?}");
    runner.harness.ok(OWNER, resolve(&gate, own.place.thread, true));
    runner.harness.ok(3, resolve(&gate, theirs.place.thread, true));
    assert!(runner.harness.ok(3, resolve(&gate, theirs.place.thread, true)).is_empty(), "it is resolved already");
    runner.harness.ok(2, resolve(&gate, theirs.place.thread, false));
    runner.harness.ok(3, vote(&gate, Choice::Approve, None));
    assert_eq!(outcome_of(&runner, &gate), None, "it is open again");
}

#[test]
fn a_comment_must_refer_to_existing_content_and_has_a_limit() {
    let mut runner = start_with_holding_comments();
    let gate = gates(&runner)[0].clone();
    let long = "é".repeat(2001);
    for (path, line, text) in [
        ("/who", None, "why?"),
        ("/what", Some(2), "why?"),
        ("/what", Some(0), "why?"),
        ("", Some(1), "why?"),
        ("/what", None, " "),
        ("/what", None, &*long),
    ] {
        let refused = runner.harness.submit(2, comment(&gate, path, line, text));
        assert!(matches!(refused, Err(Rejection::Invalid(_))), "{path} {line:?}: {refused:?}");
    }
    let unknown = MessageId(9999);
    assert_eq!(runner.harness.submit(2, reply(&gate, unknown, "so")), Err(Rejection::UnknownThread(unknown)));
    assert_eq!(runner.harness.submit(2, resolve(&gate, unknown, true)), Err(Rejection::UnknownThread(unknown)));
    for _ in 0..Gate::MAX_COMMENTS {
        runner.harness.ok(2, comment(&gate, "/what", None, "why?"));
    }
    let full = runner.harness.submit(2, comment(&gate, "/what", None, "why?"));
    assert_eq!(full, Err(Rejection::CommentsFull { limit: Gate::MAX_COMMENTS }));
    runner.harness.ok(3, vote(&gate, Choice::Reject, None));
    assert_eq!(comments_read_by_agents(&runner).len(), Gate::MAX_COMMENTS, "none was lost among newer messages");
}

#[test]
fn a_redaction_erases_a_comment_at_an_open_gate() {
    let (mut runner, _, message) = start_with_comment("hunter2");
    runner.harness.ok(OWNER, Command::Redact { target: RedactionTarget::Message(message), reason: None });
    let comment = &threads(&runner)[0].comments[0];
    assert!(comment.text.is_empty() && comment.redacted.is_some(), "at once");
    rewrite(&mut runner.harness);
    assert_eq!(remaining_places(&runner.harness, "hunter2"), Vec::<String>::new());
    assert_eq!(threads(&runner)[0].comments.len(), 1, "the thread stays");
}

#[test]
fn only_the_author_can_delete_a_comment_and_an_empty_thread_holds_nothing() {
    let (mut runner, gate, first) = start_with_comment("hunter2");
    runner.harness.ok(3, reply(&gate, first, "which?"));
    let second = threads(&runner)[0].comments[1].id;
    runner.harness.ok(3, vote(&gate, Choice::Approve, None));
    let delete = |comment| Command::DeleteComment { gate: gate.id, comment };
    assert_eq!(runner.harness.submit(OWNER, delete(first)), Err(Rejection::NotTheAuthor), "owners redact instead");
    let other = MessageId(1);
    assert_eq!(runner.harness.submit(2, delete(other)), Err(Rejection::UnknownMessage(other)));
    assert_eq!(runner.harness.ok(2, delete(first)), ["message.redacted"]);
    assert_eq!(threads(&runner)[0].comments[0].text.len(), 0, "at once");
    rewrite(&mut runner.harness);
    assert_eq!(remaining_places(&runner.harness, "hunter2"), Vec::<String>::new());
    assert!(runner.harness.ok(2, delete(first)).is_empty(), "it is gone");
    assert_eq!(outcome_of(&runner, &gate), None, "a reply is open");
    let ended = runner.harness.ok(3, delete(second));
    assert_eq!(ended[0], "message.redacted");
    assert_eq!(outcome_of(&runner, &gate), Some(Outcome::Approved));
    assert!(matches!(runner.harness.submit(2, delete(first)), Err(Rejection::AlreadyDecided { .. })));
}

#[test]
fn a_redacted_comment_holds_nothing() {
    let (mut runner, gate, message) = start_with_comment("hunter2");
    runner.harness.ok(3, vote(&gate, Choice::Approve, None));
    assert_eq!(outcome_of(&runner, &gate), None);
    runner.harness.ok(OWNER, Command::Redact { target: RedactionTarget::Message(message), reason: None });
    assert_eq!(outcome_of(&runner, &gate), Some(Outcome::Approved));
}

#[test]
fn resolving_threads_of_others_requires_the_right_to_approve() {
    let (mut runner, gate, thread) = start_with_comment("why?");
    runner.harness.ok(OWNER, set(json!({ "rights": [{ "role": "reviewer", "right": "approve", "access": "deny" }] })));
    let refused = runner.harness.submit(3, resolve(&gate, thread, true));
    assert!(matches!(refused, Err(Rejection::Forbidden { right: Right::Approve, .. })), "{refused:?}");
    runner.harness.ok(2, resolve(&gate, thread, true));
}
