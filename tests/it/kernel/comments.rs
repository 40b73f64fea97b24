//! Comments on the content of a gate: threads bound to a revision, which can hold the gate and reach agents only if the
//! gate is not approved.

use roundtable::kernel::call::Risk;
use roundtable::kernel::gate::{Choice, CommentFile, CommentTarget, CommentThread, FileLine, Gate, Outcome};
use roundtable::kernel::*;
use serde_json::json;

use super::approval_rules::{outcome_of, run_until_gates_with_rules};
use super::call_gates::{gates, vote};
use super::files::{FILE_LIMITS, add, file as file_of};
use super::harness::*;
use super::redaction::{remaining_places, rewrite};
use super::scripted_runner::ScriptedRunner;

fn comment(gate: &Gate, path: &str, line: Option<u32>, text: &str) -> Command {
    let target = CommentTarget::Subject { path: path.into(), line };
    Command::Comment { gate: gate.id, rev: gate.rev, target, text: text.into() }
}

fn reply(gate: &Gate, thread: MessageId, text: &str) -> Command {
    Command::Comment { gate: gate.id, rev: gate.rev, target: CommentTarget::Thread(thread), text: text.into() }
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

/// Returns a runner at a gate that a reviewer's comment holds, with the gate and the thread.
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

fn comment_on_file(gate: &Gate, file: FileId, line: Option<(u32, Option<&str>)>) -> Command {
    let line = line.map(|(number, text)| FileLine { number, text: text.map(Into::into) });
    let target = CommentTarget::File { file, line };
    Command::Comment { gate: gate.id, rev: gate.rev, target, text: "why?".into() }
}

/// Returns a runner at a gate, with the gate and a file with this name that participant 2 added.
fn start_with_file(name: &str) -> (ScriptedRunner, Gate, FileId) {
    let mut runner = start_with_holding_comments();
    let gate = gates(&runner)[0].clone();
    runner.harness.ok(2, add(name, "one"));
    let file = runner.harness.state.view().files[0].id;
    (runner, gate, file)
}

#[test]
fn a_comment_on_a_line_of_a_file_quotes_it_and_holds_the_gate() {
    let (mut runner, gate, file) = start_with_file("report.md");
    let long = "é".repeat(300);
    runner.harness.ok(3, comment_on_file(&gate, file, Some((7, Some(&long)))));
    runner.harness.ok(3, comment_on_file(&gate, file, None));
    let places: Vec<_> = threads(&runner).into_iter().map(|thread| thread.place).collect();
    let named = Some(CommentFile { id: file, name: "report.md".into(), version: 1 });
    assert_eq!((&places[0].file, places[0].line, &*places[0].quote), (&named, Some(7), &*"é".repeat(200)));
    assert_eq!((&places[1].file, places[1].line, &*places[1].quote), (&named, None, ""));
    runner.harness.ok(3, vote(&gate, Choice::Approve, None));
    assert_eq!(outcome_of(&runner, &gate), None, "comments are open");
    runner.harness.ok(3, vote(&gate, Choice::Reject, None));
    assert_eq!(comments_read_by_agents(&runner).len(), 2);
}

#[test]
fn a_comment_on_a_file_must_name_the_newest_version_and_an_existing_line() {
    let (mut runner, gate, file) = start_with_file("report.md");
    let refused = runner.harness.submit(3, comment_on_file(&gate, file, Some((9, None))));
    assert!(matches!(refused, Err(Rejection::Invalid(_))), "it has no such line: {refused:?}");
    let unknown = FileId(9999);
    assert_eq!(
        runner.harness.submit(3, comment_on_file(&gate, unknown, Some((1, None)))),
        Err(Rejection::UnknownFile(unknown)),
        "not the line is missing, but the file"
    );
    runner.harness.ok(3, comment_on_file(&gate, file, Some((1, Some("one")))));
    runner.harness.ok(2, add("report.md", "two"));
    let newest = runner.harness.state.view().files[1].id;
    assert_eq!(
        runner.harness.submit(3, comment_on_file(&gate, file, Some((1, Some("one"))))),
        Err(Rejection::OldFileVersion { file: newest, newest: 2 })
    );
    assert_eq!(threads(&runner).len(), 1, "the thread about the earlier version stays");
    let image = NewFile { media_type: "image/png".into(), ..file_of("a.png", "x") };
    runner.harness.ok(2, Command::AddFile { file: image, limits: FILE_LIMITS });
    let image = runner.harness.state.view().files[2].id;
    let refused = runner.harness.submit(3, comment_on_file(&gate, image, Some((1, None))));
    assert!(matches!(refused, Err(Rejection::Invalid(_))), "an image has no lines: {refused:?}");
    runner.harness.ok(3, comment_on_file(&gate, image, None));
    runner.harness.ok(2, Command::RemoveFile { name: "a.png".parse().expect("a name") });
    let removed = runner.harness.submit(3, comment_on_file(&gate, image, None));
    assert_eq!(removed, Err(Rejection::UnknownFile(image)));
}

#[test]
fn the_redaction_of_a_file_or_its_author_erases_what_comments_quote() {
    for name in ["report.md", "hunter2.md", "session.md"] {
        let (mut runner, gate, file) = start_with_file(name);
        runner.harness.ok(3, comment_on_file(&gate, file, Some((1, Some("hunter2")))));
        runner.harness.ok(3, vote(&gate, Choice::Reject, None));
        assert!(!comments_read_by_agents(&runner).is_empty());
        let cancel = runner.harness.cancel(None);
        runner.harness.ok(OWNER, cancel);
        let target = match name {
            "report.md" => RedactionTarget::File(file),
            "session.md" => RedactionTarget::Session,
            _ => RedactionTarget::Participant { participant: id(2), content: true },
        };
        runner.harness.ok(OWNER, Command::Redact { target, reason: None });
        let view = runner.harness.state.view();
        let quotes = view.messages.iter().chain(&view.model_messages).filter_map(|message| message.comment_on.as_ref());
        let quotes: Vec<_> = quotes.chain(view.decided[0].threads.iter().map(|thread| &thread.place)).collect();
        assert_eq!(quotes.len(), 3, "{quotes:?}");
        assert!(
            quotes.iter().all(|place| place.quote.is_empty()),
            "at once, before agents read the comment: {quotes:?}"
        );
        rewrite(&mut runner.harness);
        assert_eq!(remaining_places(&runner.harness, "hunter2"), Vec::<String>::new());
        let stays = target != RedactionTarget::Session;
        assert_eq!(!remaining_places(&runner.harness, "why?").is_empty(), stays, "the comment stays");
    }
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
