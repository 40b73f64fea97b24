//! Redaction: who may redact, when, and what the log contains afterwards.

use roundtable::kernel::gate::{Choice, GateKind};
use roundtable::kernel::plan::Plan;
use roundtable::kernel::*;
use serde_json::json;
use serde_json::value::to_raw_value;

use super::flows::team_of;
use super::harness::*;
use super::scripted_runner::{ModelScript, ScriptedRunner, put_once, text_response, tool_call};

const SECRET: &str = "hunter2";

fn redact(target: RedactionTarget) -> Command {
    Command::Redact { target, reason: Some("a password".into()) }
}

fn redact_message(id: MessageId) -> Command {
    redact(RedactionTarget::Message(id))
}

/// Returns the log as rewritten for its last event, which is a redaction, and the resulting state.
fn rewrite_log(harness: &KernelHarness) -> (Vec<Event>, State) {
    let (last, before) = harness.log.split_last().expect("has events");
    let mut eraser = Eraser::of(last).expect("is a redaction");
    before.iter().for_each(|event| eraser.note(event));
    let mut log: Vec<Event> = before.iter().map(|event| eraser.erase(event).unwrap_or_else(|| event.clone())).collect();
    log.push(last.clone());
    let mut state = State::new(harness.state.view().session);
    log.iter().for_each(|event| evolve(&mut state, event));
    (log, state)
}

/// Rewrites the log after its last event, which is a redaction, as the store does.
pub(super) fn rewrite(harness: &mut KernelHarness) {
    (harness.log, harness.state) = rewrite_log(harness);
}

/// Returns the places that still contain the text after the redaction.
fn places_after_redaction(harness: &KernelHarness, text: &str) -> Vec<String> {
    let (log, state) = rewrite_log(harness);
    places(&log, &state, text)
}

/// Returns the same for a log that has already been rewritten.
pub(super) fn remaining_places(harness: &KernelHarness, text: &str) -> Vec<String> {
    places(&harness.log, &harness.state, text)
}

fn places(log: &[Event], state: &State, text: &str) -> Vec<String> {
    let json = |what: &dyn Fn() -> String| Some(what()).filter(|json| json.contains(text));
    let events = log.iter().filter_map(|event| json(&|| serde_json::to_string(event).expect("JSON")));
    let snapshot = json(&|| serde_json::to_string(&state.snapshot()).expect("JSON"));
    events.chain(snapshot).collect()
}

fn assert_only_texts_changed(harness: &KernelHarness) {
    let (log, _) = rewrite_log(harness);
    let skeleton = |log: &[Event]| -> Vec<_> {
        log.iter().map(|event| (event.seq, event.at, name(event), event.by.id.clone(), event.cause.clone())).collect()
    };
    assert_eq!(skeleton(&log), skeleton(&harness.log));
}

fn last_message(harness: &KernelHarness) -> MessageId {
    harness.state.view().messages.back().expect("a message").id
}

#[test]
fn a_redacted_message_leaves_a_placeholder() {
    let mut harness = KernelHarness::new();
    harness.ok(OWNER, Command::Set { title: Some(format!("{SECRET} is").into()), settings: None });
    harness.ok(OWNER, say(&format!("@people {SECRET} is @{SECRET}")));
    let id = last_message(&harness);
    assert_eq!(harness.ok(OWNER, redact_message(id)), ["message.redacted"]);
    let message = harness.state.view().message(id).expect("is there").clone();
    assert_eq!((&*message.text, message.redacted.as_ref().map(|mark| &*mark.by.name)), ("", Some("P1")));
    let (log, state) = rewrite_log(&harness);
    assert_eq!(state.view().message(id), Some(&message));
    assert_eq!(log.iter().filter(|event| event.redacted.is_some()).count(), 2, "posted and routed");
    assert_only_texts_changed(&harness);
    assert!(harness.ok(OWNER, redact_message(id)).is_empty(), "it is redacted already");
}

#[test]
fn a_title_made_from_a_message_is_redacted_with_it() {
    let mut harness = KernelHarness::new();
    let title = Some(format!("{SECRET} is ou…").into());
    harness.ok(OWNER, Command::Set { title, settings: None });
    harness.ok(
        OWNER,
        Command::Say {
            text: format!("{SECRET} is our password").into(),
            to: Some(vec![mention::Addressee::Target(Target::People)]),
            mode: Mode::Queue,
            files: vec![],
        },
    );
    harness.ok(OWNER, redact_message(last_message(&harness)));
    assert_eq!(places_after_redaction(&harness, SECRET), Vec::<String>::new());
    assert_eq!(&*rewrite_log(&harness).1.view().title, REDACTED);
}

#[test]
fn only_owners_can_redact() {
    let mut harness = KernelHarness::new();
    harness.ok(OWNER, say("@people hello"));
    let id = last_message(&harness);
    for (who, role) in [(2, Role::Member), (3, Role::Reviewer), (4, Role::Viewer), (5, Role::Bot)] {
        harness.enter(who, role);
        assert!(matches!(harness.submit(who, redact_message(id)), Err(Rejection::Forbidden { .. })), "{role:?}");
    }
    assert_eq!(harness.submit(6, redact_message(id)), Err(Rejection::NotAMember));
    let unknown = MessageId(999);
    assert_eq!(harness.submit(OWNER, redact_message(unknown)), Err(Rejection::UnknownMessage(unknown)));
    harness.ok(OWNER, Command::Close { reason: SECRET.into() });
    assert_eq!(harness.ok(OWNER, redact_message(id)), ["message.redacted"], "also in a closed session");
}

#[test]
fn content_that_a_run_uses_is_redacted_at_its_end() {
    let mut harness = KernelHarness::new();
    harness.ok(OWNER, say("@people before"));
    let aside = last_message(&harness);
    harness.reach_gate();
    let input = harness.state.view().run.as_ref().expect("a run").input;
    let answer = last_message(&harness);
    for id in [input, answer] {
        assert_eq!(harness.submit(OWNER, redact_message(id)), Err(Rejection::RunActive));
    }
    for target in [RedactionTarget::Session, RedactionTarget::Participant { participant: id(OWNER), content: true }] {
        assert_eq!(harness.submit(OWNER, redact(target)), Err(Rejection::RunActive));
    }
    assert_eq!(harness.ok(OWNER, redact_message(aside)), ["message.redacted"], "no model reads it");
    harness.vote(OWNER, Choice::Reject, Some(SECRET)).expect("votes");
    let comment = harness.state.view().message(last_message(&harness)).expect("is there").id;
    harness.finish("again");
    harness.finish("fine");
    harness.ok(OWNER, harness.cancel(Some("enough")));
    assert_eq!(harness.ok(OWNER, redact_message(comment)), ["message.redacted"]);
    assert_eq!(
        places_after_redaction(&harness, SECRET),
        Vec::<String>::new(),
        "neither in the vote nor in the decision"
    );
    assert_only_texts_changed(&harness);
}

#[test]
fn redacting_a_version_of_a_file_keeps_the_others() {
    let mut harness = KernelHarness::new();
    let add = |content: &str| Command::AddFile {
        file: super::files::file("a.md", content),
        limits: super::files::FILE_LIMITS,
    };
    harness.ok(OWNER, add(SECRET));
    harness.ok(OWNER, add("fine"));
    harness.ok(OWNER, add(SECRET));
    let [first, second, third] = [0, 1, 2].map(|at| harness.state.view().files[at].clone());
    harness.ok(OWNER, redact(RedactionTarget::File(third.id)));
    let contents = |harness: &KernelHarness| {
        let (last, before) = harness.log.split_last().expect("has events");
        let mut eraser = Eraser::of(last).expect("is a redaction");
        before.iter().for_each(|event| eraser.note(event));
        eraser.contents()
    };
    assert!(contents(&harness).is_empty(), "the first version has the same content");
    assert_eq!(harness.state.view().current_files().count(), 0, "older versions do not come back by themselves");
    harness.state = rewrite_log(&harness).1;
    harness.log = rewrite_log(&harness).0;
    harness.ok(OWNER, redact(RedactionTarget::File(first.id)));
    assert_eq!(contents(&harness), std::slice::from_ref(&first.digest));
    assert_eq!(places_after_redaction(&harness, &first.digest), Vec::<String>::new(), "a digest tells a short secret");
    let restore = |file| Command::RestoreFile { file, limits: super::files::FILE_LIMITS };
    assert_eq!(harness.submit(OWNER, restore(first.id)), Err(Rejection::UnknownFile(first.id)));
    assert_eq!(harness.ok(OWNER, restore(second.id)), ["file.added"]);
}

#[test]
fn a_redacted_session_keeps_only_its_skeleton() {
    let mut harness = KernelHarness::new();
    harness.enter(2, Role::Member);
    harness.ok(2, say(&format!("write {SECRET}")));
    harness.finish(SECRET);
    harness.finish(SECRET);
    harness.vote(2, Choice::Reject, Some(SECRET)).expect("votes");
    harness.ok(OWNER, harness.cancel(Some(SECRET)));
    harness.stop(SECRET);
    harness.ok(OWNER, redact(RedactionTarget::Session));
    assert_eq!(places_after_redaction(&harness, SECRET), Vec::<String>::new());
    assert_eq!(places_after_redaction(&harness, "P2"), Vec::<String>::new(), "nor are names");
    assert_only_texts_changed(&harness);
    assert!(rewrite_log(&harness).1.view().closed);
    assert_eq!(harness.submit(OWNER, say("more")), Err(Rejection::SessionClosed));
    assert!(harness.ok(OWNER, redact(RedactionTarget::Session)).is_empty());
}

#[test]
fn redacting_a_person_erases_the_name_and_optionally_the_messages() {
    for content in [false, true] {
        let mut harness = KernelHarness::new();
        harness.enter(2, Role::Member);
        harness.ok(2, say(&format!("@people {SECRET}")));
        harness.ok(OWNER, say("@people mine stays"));
        harness.ok(OWNER, redact(RedactionTarget::Participant { participant: id(2), content }));
        assert_eq!(places_after_redaction(&harness, "\"P2\""), Vec::<String>::new());
        assert_eq!(places_after_redaction(&harness, SECRET).is_empty(), content);
        let (_, state) = rewrite_log(&harness);
        let texts = state.view().messages.iter().filter(|message| message.text.contains("mine stays")).count();
        assert_eq!((texts, &*state.view().member(id(2)).expect("is there").name), (1, REDACTED));
        assert_eq!(state.view(), harness.state.view(), "who follows sees what the log makes");
        assert_only_texts_changed(&harness);
    }
}

/// Runs to the end, with a second person who answers the questions.
fn run_to_end(
    flow: &str,
    roles: &[(&str, AgentRole)],
    script: ModelScript,
    act: impl Fn(&gate::Gate) -> Option<Command>,
) -> ScriptedRunner {
    let mut team = team_of(flow, roles);
    team.agents.iter_mut().for_each(|agent| agent.tools = vec!["*".into()]);
    let mut runner = ScriptedRunner::new(team, script).ask_before_calls();
    runner.harness.enter(2, Role::Owner);
    runner.begin("do it");
    while runner.harness.state.view().active_run().is_some() {
        let gate = runner.harness.state.view().gates.first().cloned();
        match gate.as_ref().and_then(&act) {
            Some(command) => drop(runner.harness.ok(2, command)),
            None => assert!(runner.step()),
        }
    }
    runner
}

fn redact_second_person(content: bool) -> Command {
    redact(RedactionTarget::Participant { participant: id(2), content })
}

/// Returns the message that contains this text.
fn message_with_text(harness: &KernelHarness, text: &str) -> MessageId {
    let posted = harness.log.iter().find_map(|event| match &event.fact {
        Fact::MessagePosted { message, text: posted, .. } if posted.contains(text) => Some(*message),
        Fact::MessageCompleted { message, text: posted, .. } if posted.contains(text) => Some(*message),
        _ => None,
    });
    posted.expect("was said")
}

fn vote(gate: &gate::Gate, choice: Choice, comment: Option<&str>, edit: Option<serde_json::Value>) -> Command {
    let edit = edit.map(|edit| to_raw_value(&edit).expect("JSON"));
    Command::Vote { gate: gate.id, rev: gate.rev, choice, comment: comment.map(Into::into), edit, standing: None }
}

#[test]
fn redacting_an_answer_erases_it_from_its_call() {
    let script: ModelScript = |view, running| match running.turn {
        1 => (
            String::new(),
            vec![tool_call("ask_people", json!({ "question": "Which?" })), tool_call("put", json!({ "what": "a" }))],
        ),
        _ => text_response(&view.active_run().map_or(String::new(), |_| "done".into())),
    };
    let answers = |gate: &gate::Gate| match gate.kind {
        GateKind::Question => Some(Command::Answer { rev: None, gate: gate.id, text: SECRET.into() }),
        _ => Some(vote(gate, Choice::Reject, Some(&format!("no {SECRET} please")), None)),
    };
    for redaction in [None, Some(redact_second_person(true))] {
        let mut runner = run_to_end("react", &[("W", AgentRole::Worker)], script, answers);
        assert!(
            remaining_places(&runner.harness, SECRET).len() > 3,
            "in messages, in a vote, in a result and in an error"
        );
        match redaction {
            Some(redaction) => drop(runner.harness.ok(OWNER, redaction)),
            None => {
                for comment in [SECRET.to_owned(), format!("no {SECRET} please")] {
                    let target = message_with_text(&runner.harness, &comment);
                    runner.harness.ok(OWNER, redact_message(target));
                    rewrite(&mut runner.harness);
                }
                runner.harness.ok(OWNER, say("@people last"));
                let last = last_message(&runner.harness);
                runner.harness.ok(OWNER, redact_message(last));
            }
        }
        assert_eq!(places_after_redaction(&runner.harness, SECRET), Vec::<String>::new());
        assert_only_texts_changed(&runner.harness);
    }
}

#[test]
fn a_plan_goes_with_the_calls_that_are_its_items() {
    let script: ModelScript = |view, running| match running.task {
        Task::Plan => text_response(
            &json!({ "action": "continue", "next_steps": [
                { "action": "look", "tool_name": "put", "tool_params": { "what": SECRET } },
            ] })
            .to_string(),
        ),
        Task::Decide => text_response("{\"action\":\"synthesize\"}"),
        _ => text_response(&format!("{{\"root_cause\":\"{}\",\"suggestions\":[]}}", view.messages.len())),
    };
    let mut runner = run_to_end("investigate", &[("P", AgentRole::Planner)], script, |_| None);
    let plan = message_with_text(&runner.harness, SECRET);
    runner.harness.ok(OWNER, redact_message(plan));
    assert_eq!(places_after_redaction(&runner.harness, SECRET), Vec::<String>::new());
    assert_eq!(
        places_after_redaction(&runner.harness, &call::digest(&json!({ "what": SECRET }).to_string())),
        Vec::<String>::new()
    );
}

#[test]
fn a_fallback_plan_is_redacted_with_the_message_that_it_quotes() {
    let script: ModelScript = |_, running| match running.task {
        Task::Plan => text_response("no plan"),
        Task::Decide => text_response("{\"next_action\":\"end\",\"reason\":\"done\"}"),
        _ => text_response("did it"),
    };
    let roles = [("P", AgentRole::Planner), ("A", AgentRole::Executor)];
    let mut runner = ScriptedRunner::new(team_of("brain", &roles), script);
    runner.begin(&format!("find {SECRET}"));
    runner.finish_run(None);
    assert!(
        runner.harness.state.view().run.as_ref().and_then(|run| run.plan.as_ref()).is_some_and(|plan| plan.fallback)
    );
    let input = message_with_text(&runner.harness, SECRET);
    runner.harness.ok(OWNER, redact_message(input));
    assert_eq!(places_after_redaction(&runner.harness, SECRET), Vec::<String>::new());
}

#[test]
fn a_redacted_name_is_erased_from_suggestions_for_mentions() {
    let mut harness = KernelHarness::new();
    harness.enter(2, Role::Member);
    harness.ok(OWNER, say("@P2x look"));
    assert!(!remaining_places(&harness, "\"nearest\":[\"P2\"").is_empty());
    harness.ok(OWNER, redact_second_person(false));
    assert_eq!(places_after_redaction(&harness, "\"P2\""), Vec::<String>::new());
}

#[test]
fn file_and_tool_names_are_redacted_with_the_session_or_their_author() {
    let add = |name: &str, content: &str| Command::AddFile {
        file: super::files::file(name, content),
        limits: super::files::FILE_LIMITS,
    };
    for (target, kept) in [
        (RedactionTarget::Session, None),
        (RedactionTarget::Participant { participant: id(2), content: true }, Some("ours.md")),
    ] {
        let script: ModelScript = |view, running| put_once(view.active_run().expect("a run"), running, "a");
        let mut runner = run_to_end("react", &[("W", AgentRole::Worker)], script, |_| None);
        let harness = &mut runner.harness;
        harness.ok(2, add(&format!("{SECRET}.md"), "one"));
        harness.ok(OWNER, add(&format!("{SECRET}.md"), "two"));
        harness.ok(OWNER, add("ours.md", "three"));
        harness.ok(2, add("ours.md", "four"));
        harness.ok(OWNER, Command::RemoveFile { name: format!("{SECRET}.md").parse().expect("a name") });
        harness.ok(OWNER, redact(target));
        assert_eq!(places_after_redaction(harness, SECRET), Vec::<String>::new());
        assert_eq!(places_after_redaction(harness, "\"put\"").is_empty(), target == RedactionTarget::Session);
        assert_eq!(places_after_redaction(harness, "ours.md").is_empty(), kept.is_none());
        let (_, state) = rewrite_log(harness);
        let files = &state.view().files;
        assert_eq!((&files[0].name, files[0].removed), (&files[1].name, true), "they are still versions of one file");
        assert!(files[0].name != files[2].name && files[0].name.parse::<FileName>().is_ok());
    }
}

#[test]
fn redacting_a_person_erases_everything_that_they_wrote() {
    let script: ModelScript = |view, running| match (running.task, &view.active_run().expect("a run").plan) {
        (Task::Plan, _) => text_response("{\"steps\":[{\"agent\":\"A\",\"action\":\"look\"}]}"),
        (Task::Decide, _) => text_response("{\"next_action\":\"continue\",\"reason\":\"fine\"}"),
        _ => match put_once(view.active_run().expect("a run"), running, "a") {
            (_, calls) if calls.is_empty() => text_response("done"),
            calls => calls,
        },
    };
    let edits = |gate: &gate::Gate| match gate.kind {
        GateKind::Plan => {
            let items = ["look", SECRET].map(|action| json!({ "agent": "A", "action": action, "reason": SECRET }));
            Some(vote(gate, Choice::Approve, None, Some(json!({ "title": SECRET, "items": items }))))
        }
        _ => Some(vote(gate, Choice::Approve, None, Some(json!({ "what": SECRET })))),
    };
    let roles = [("P", AgentRole::Planner), ("A", AgentRole::Executor)];
    let mut runner = run_to_end("brain", &roles, script, edits);
    let harness = &mut runner.harness;
    harness.ok(OWNER, say("@people aside"));
    let aside = last_message(harness);
    let reason = Some(SECRET.into());
    harness.ok(2, Command::Redact { target: RedactionTarget::Message(aside), reason });
    harness.ok(2, Command::Set { title: Some(format!("All of {SECRET}").into()), settings: None });
    harness.ok(2, say("do it again"));
    harness.ok(2, harness.cancel(Some(SECRET)));
    harness.stop("");
    harness.ok(OWNER, redact_second_person(true));
    assert_eq!(places_after_redaction(harness, SECRET), Vec::<String>::new());
    assert_eq!(
        places_after_redaction(harness, &call::digest(&json!({ "what": SECRET }).to_string())),
        Vec::<String>::new()
    );
    let plan = rewrite_log(harness).0.into_iter().find_map(|event| match event.fact {
        Fact::GateRevised { plan: Some(plan), .. } => Some(plan),
        _ => None,
    });
    let Plan { items, .. } = plan.expect("was edited");
    assert_eq!(items.iter().map(|item| &*item.action).collect::<Vec<_>>(), ["look", REDACTED], "the planner's stays");
}

#[test]
fn redacting_the_creator_redacts_the_title() {
    let mut harness = KernelHarness::new();
    harness.enter(2, Role::Owner);
    harness.ok(2, redact(RedactionTarget::Participant { participant: id(OWNER), content: true }));
    assert_eq!(&*rewrite_log(&harness).1.view().title, REDACTED);
}

#[test]
fn a_title_made_from_a_redacted_message_is_erased_too() {
    let mut harness = KernelHarness::new();
    harness.ok(OWNER, say(&format!("@people {SECRET} is it")));
    let original = last_message(&harness);
    harness.ok(OWNER, Command::Set { title: Some(format!("@people {SECRET}…").into()), settings: None });
    harness.ok(OWNER, redact_message(original));
    assert_eq!(places_after_redaction(&harness, SECRET), Vec::<String>::new());
}

#[test]
fn a_repeated_redaction_changes_nothing() {
    let mut harness = KernelHarness::new();
    harness.enter(2, Role::Owner);
    harness.ok(2, say("@people hello"));
    for (command, events) in [
        (redact_second_person(false), 1),
        (redact_second_person(false), 0),
        (redact_second_person(true), 1),
        (redact_second_person(false), 0),
        (redact_second_person(true), 0),
    ] {
        assert_eq!(harness.ok(OWNER, command).len(), events);
    }
    let written = serde_json::to_string(&harness.state.snapshot()).expect("writes");
    harness.state = serde_json::from_str::<Snapshot>(&written).expect("reads").restore().expect("this version");
    assert!(harness.ok(OWNER, redact_second_person(true)).is_empty(), "also after a restart");
    harness.ok(2, say("@people again"));
    assert_eq!(harness.ok(OWNER, redact_second_person(true)).len(), 1, "they have said something since");
    harness.ok(OWNER, say("@people an old one"));
    let old = last_message(&harness);
    (0..2 * View::MESSAGES).for_each(|_| drop(harness.ok(OWNER, say("@people more"))));
    assert_eq!((harness.ok(OWNER, redact_message(old)).len(), harness.ok(OWNER, redact_message(old)).len()), (1, 0));
}

#[test]
fn pending_work_does_not_restore_a_redacted_name() {
    let mut harness = KernelHarness::new();
    harness.enter(2, Role::Owner);
    harness.ok(OWNER, redact_second_person(false));
    rewrite(&mut harness);
    assert!(harness.ok(2, Command::Rename { name: "Eve".into() }).is_empty());
    harness.ok(2, say("@people still here"));
    let written = serde_json::to_string(&harness.state.snapshot()).expect("writes");
    harness.state = serde_json::from_str::<Snapshot>(&written).expect("reads").restore().expect("this version");
    harness.ok(2, Command::Leave);
    // After leaving, the participant is outside the session, like an administrator who only reads. They come back by
    // knocking, on their own, and by invitation.
    harness.ok(2, Command::Knock { role: Role::Member });
    harness.ok(OWNER, Command::Admit { participant: id(2) });
    harness.ok(2, Command::Leave);
    harness.enter(2, Role::Member);
    harness.ok(2, Command::Leave);
    let (participant, kind) = (id(2), ActorKind::User);
    harness.ok(OWNER, Command::Invite { participant, kind, name: "P2".into(), role: Role::Member, guest: false });
    harness.ok(2, Command::Rename { name: "Eve".into() });
    assert_eq!((remaining_places(&harness, "\"P2\""), remaining_places(&harness, "\"Eve\"")), (vec![], vec![]));
    assert_eq!(&*harness.state.view().member(id(2)).expect("is there").name, REDACTED);
}

#[test]
fn a_redaction_of_oneself_shows_no_name() {
    let mut harness = KernelHarness::new();
    harness.enter(2, Role::Owner);
    harness.ok(2, say(&format!("@people {SECRET}")));
    harness.ok(2, redact_second_person(true));
    assert_eq!(places_after_redaction(&harness, "\"P2\""), Vec::<String>::new());
}
