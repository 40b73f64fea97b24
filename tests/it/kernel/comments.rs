//! Comments on the content of a gate: threads bound to a revision, which can hold the gate and reach agents only if the
//! gate is not approved.

use roundtable::kernel::call::Risk;
use roundtable::kernel::gate::{Choice, CommentThread, Gate, Outcome};
use roundtable::kernel::*;
use serde_json::json;

use super::approval_rules::{asked, decided};
use super::call_gates::{gates, vote};
use super::harness::*;
use super::play::Play;
use super::redaction::{leftovers, rewrite};

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

fn threads(play: &Play) -> Vec<CommentThread> {
    gates(play)[0].threads.clone()
}

fn heard(play: &Play) -> Vec<MessageId> {
    play.stage.state.view().heard.iter().filter(|message| message.comment_on.is_some()).map(|said| said.id).collect()
}

fn held() -> Play {
    asked(json!([{ "quorum": { "kind": "any" }, "comments_hold": true }]), Risk::High)
}

/// A gate that a reviewer's comment holds.
fn commented(text: &str) -> (Play, Gate, MessageId) {
    let mut play = held();
    let gate = gates(&play)[0].clone();
    play.stage.ok(2, comment(&gate, "/what", None, text));
    let thread = threads(&play)[0].place.thread;
    (play, gate, thread)
}

#[test]
fn an_open_comment_holds_the_gate_until_it_is_resolved() {
    let mut play = held();
    let gate = gates(&play)[0].clone();
    assert_eq!(play.stage.ok(2, comment(&gate, "/what", Some(1), "why?")).last().expect("a fact"), "gate.commented");
    let thread = threads(&play)[0].place.thread;
    let place = threads(&play)[0].place.clone();
    assert_eq!((&*place.path, place.line, &*place.quote, place.rev), ("/what", Some(1), "a", 1));
    play.stage.ok(3, vote(&gate, Choice::Approve, None));
    assert_eq!(decided(&play, &gate), None, "a comment is open");
    play.stage.ok(4, reply(&gate, thread, "because"));
    assert_eq!(threads(&play)[0].comments.len(), 2);
    let names = play.stage.ok(2, resolve(&gate, thread, true));
    assert_eq!(names[0], "gate.thread_changed");
    assert_eq!(decided(&play, &gate), Some(Outcome::Approved), "the votes suffice already");
    assert!(heard(&play).is_empty(), "an approval takes no comment to agents");
    let restored = play.stage.state.snapshot().restore().expect("by this kernel");
    assert_eq!(restored, play.stage.state);
}

#[test]
fn comments_hold_nothing_where_no_rule_says_so_and_never_a_refusal() {
    let mut play = asked(json!([]), Risk::High);
    let gate = gates(&play)[0].clone();
    play.stage.ok(2, comment(&gate, "", None, "why?"));
    play.stage.ok(3, vote(&gate, Choice::Approve, None));
    assert_eq!(decided(&play, &gate), Some(Outcome::Approved));
    let mut play = held();
    let gate = gates(&play)[0].clone();
    play.stage.ok(2, comment(&gate, "/what", None, "rather b"));
    play.stage.ok(2, comment(&gate, "/what", None, "never mind"));
    let [open, resolved] = &threads(&play)[..] else { panic!("two threads") };
    play.stage.ok(2, resolve(&gate, resolved.place.thread, true));
    play.stage.ok(3, vote(&gate, Choice::Reject, None));
    assert_eq!(decided(&play, &gate), Some(Outcome::Rejected));
    assert_eq!(heard(&play), [open.place.thread], "agents read the open comments of a refusal");
}

#[test]
fn the_deadline_decides_as_the_rule_says_with_open_comments_too() {
    let rule = json!([{ "quorum": { "kind": "veto" }, "comments_hold": true, "deadline_seconds": 60 }]);
    let mut play = asked(rule, Risk::High);
    let gate = gates(&play)[0].clone();
    play.stage.ok(2, comment(&gate, "", None, "why?"));
    play.stage.now += 60_000;
    play.stage.shell(Command::DeadlineReached);
    assert_eq!(decided(&play, &gate), Some(Outcome::Approved));
}

#[test]
fn a_comment_is_bound_to_the_revision_that_its_author_saw() {
    let mut play = held();
    let gate = gates(&play)[0].clone();
    play.stage.ok(2, comment(&gate, "/what", Some(1), "why?"));
    let thread = threads(&play)[0].place.thread;
    play.stage.ok(4, vote(&gate, Choice::Approve, Some(json!({ "what": "c" }))));
    let stale = play.stage.does(2, comment(&gate, "/what", Some(1), "again"));
    assert_eq!(stale, Err(Rejection::StaleRevision { given: 1, current: 2 }));
    let now = gates(&play)[0].clone();
    assert_eq!(
        (now.rev, now.threads[0].place.rev, decided(&play, &gate)),
        (2, 1, None),
        "an outdated thread holds too"
    );
    play.stage.ok(2, reply(&now, thread, "better"));
    assert_eq!(threads(&play)[0].comments.len(), 2);
}

#[test]
fn a_thread_is_resolved_by_who_began_it_and_by_who_may_approve() {
    let mut play =
        asked(json!([{ "quorum": { "kind": "any" }, "separate_duties": true, "comments_hold": true }]), Risk::High);
    let gate = gates(&play)[0].clone();
    play.stage.ok(2, comment(&gate, "", None, "why?"));
    play.stage.ok(OWNER, comment(&gate, "", None, "my own"));
    let [theirs, own] = &threads(&play)[..] else { panic!("two threads") };
    let refused = play.stage.does(OWNER, resolve(&gate, theirs.place.thread, true));
    assert!(matches!(refused, Err(Rejection::Forbidden { .. })), "they started the run: {refused:?}");
    play.stage.ok(OWNER, resolve(&gate, own.place.thread, true));
    play.stage.ok(3, resolve(&gate, theirs.place.thread, true));
    assert!(play.stage.ok(3, resolve(&gate, theirs.place.thread, true)).is_empty(), "it is resolved already");
    play.stage.ok(2, resolve(&gate, theirs.place.thread, false));
    play.stage.ok(3, vote(&gate, Choice::Approve, None));
    assert_eq!(decided(&play, &gate), None, "it is open again");
}

#[test]
fn a_comment_names_what_is_there_and_has_a_limit() {
    let mut play = held();
    let gate = gates(&play)[0].clone();
    let long = "é".repeat(2001);
    for (path, line, text) in [
        ("/who", None, "why?"),
        ("/what", Some(2), "why?"),
        ("/what", Some(0), "why?"),
        ("", Some(1), "why?"),
        ("/what", None, " "),
        ("/what", None, &*long),
    ] {
        let refused = play.stage.does(2, comment(&gate, path, line, text));
        assert!(matches!(refused, Err(Rejection::Invalid(_))), "{path} {line:?}: {refused:?}");
    }
    let unknown = MessageId(9999);
    assert_eq!(play.stage.does(2, reply(&gate, unknown, "so")), Err(Rejection::UnknownThread(unknown)));
    assert_eq!(play.stage.does(2, resolve(&gate, unknown, true)), Err(Rejection::UnknownThread(unknown)));
    for _ in 0..Gate::MAX_COMMENTS {
        play.stage.ok(2, comment(&gate, "/what", None, "why?"));
    }
    let full = play.stage.does(2, comment(&gate, "/what", None, "why?"));
    assert_eq!(full, Err(Rejection::CommentsFull { limit: Gate::MAX_COMMENTS }));
    play.stage.ok(3, vote(&gate, Choice::Reject, None));
    assert_eq!(heard(&play).len(), Gate::MAX_COMMENTS, "none was lost among newer messages");
}

#[test]
fn a_redaction_erases_a_comment_at_an_open_gate() {
    let (mut play, _, message) = commented("hunter2");
    play.stage.ok(OWNER, Command::Redact { target: RedactionTarget::Message(message), reason: None });
    let comment = &threads(&play)[0].comments[0];
    assert!(comment.text.is_empty() && comment.redacted.is_some(), "at once");
    rewrite(&mut play.stage);
    assert_eq!(leftovers(&play.stage, "hunter2"), Vec::<String>::new());
    assert_eq!(threads(&play)[0].comments.len(), 1, "the thread stays");
}

#[test]
fn only_its_author_deletes_a_comment_and_an_empty_thread_holds_nothing() {
    let (mut play, gate, first) = commented("hunter2");
    play.stage.ok(3, reply(&gate, first, "which?"));
    let second = threads(&play)[0].comments[1].id;
    play.stage.ok(3, vote(&gate, Choice::Approve, None));
    let delete = |comment| Command::DeleteComment { gate: gate.id, comment };
    assert_eq!(play.stage.does(OWNER, delete(first)), Err(Rejection::NotTheAuthor), "owners redact instead");
    let other = MessageId(1);
    assert_eq!(play.stage.does(2, delete(other)), Err(Rejection::UnknownMessage(other)));
    assert_eq!(play.stage.ok(2, delete(first)), ["message.redacted"]);
    assert_eq!(threads(&play)[0].comments[0].text.len(), 0, "at once");
    rewrite(&mut play.stage);
    assert_eq!(leftovers(&play.stage, "hunter2"), Vec::<String>::new());
    assert!(play.stage.ok(2, delete(first)).is_empty(), "it is gone");
    assert_eq!(decided(&play, &gate), None, "a reply is open");
    let ended = play.stage.ok(3, delete(second));
    assert_eq!(ended[0], "message.redacted");
    assert_eq!(decided(&play, &gate), Some(Outcome::Approved));
    assert!(matches!(play.stage.does(2, delete(first)), Err(Rejection::AlreadyDecided { .. })));
}

#[test]
fn a_comment_that_nobody_can_read_any_more_holds_nothing() {
    let (mut play, gate, message) = commented("hunter2");
    play.stage.ok(3, vote(&gate, Choice::Approve, None));
    assert_eq!(decided(&play, &gate), None);
    play.stage.ok(OWNER, Command::Redact { target: RedactionTarget::Message(message), reason: None });
    assert_eq!(decided(&play, &gate), Some(Outcome::Approved));
}

#[test]
fn whoever_may_no_longer_approve_resolves_no_thread_of_others() {
    let (mut play, gate, thread) = commented("why?");
    play.stage.ok(OWNER, set(json!({ "rights": [{ "role": "reviewer", "right": "approve", "access": "deny" }] })));
    let refused = play.stage.does(3, resolve(&gate, thread, true));
    assert!(matches!(refused, Err(Rejection::Forbidden { right: Right::Approve, .. })), "{refused:?}");
    play.stage.ok(2, resolve(&gate, thread, true));
}
