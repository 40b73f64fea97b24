//! Redaction: who may redact, when, and what the log reads afterwards.

use roundtable::kernel::gate::{Choice, GateKind};
use roundtable::kernel::plan::Plan;
use roundtable::kernel::*;
use serde_json::json;
use serde_json::value::to_raw_value;

use super::flows::team_of;
use super::harness::*;
use super::play::{Play, PlayScript, puts, wanted, words};

const SECRET: &str = "hunter2";

fn redact(target: RedactionTarget) -> Command {
    Command::Redact { target, reason: Some("a password".into()) }
}

fn message(id: MessageId) -> Command {
    redact(RedactionTarget::Message(id))
}

/// The log as it reads after its last event, a redaction, and the state that results.
fn rewritten(stage: &KernelHarness) -> (Vec<Event>, State) {
    let (last, before) = stage.log.split_last().expect("has events");
    let mut eraser = Eraser::of(last).expect("is a redaction");
    before.iter().for_each(|event| eraser.note(event));
    let mut log: Vec<Event> = before.iter().map(|event| eraser.erase(event).unwrap_or_else(|| event.clone())).collect();
    log.push(last.clone());
    let mut state = State::new(stage.state.view().session);
    log.iter().for_each(|event| evolve(&mut state, event));
    (log, state)
}

/// Rewrites the log after its last event, a redaction, as the store does.
pub(super) fn rewrite(stage: &mut KernelHarness) {
    (stage.log, stage.state) = rewritten(stage);
}

/// Returns the places that still contain the text.
fn found(stage: &KernelHarness, text: &str) -> Vec<String> {
    let (log, state) = rewritten(stage);
    places(&log, &state, text)
}

/// The same for a log that has already been rewritten.
pub(super) fn leftovers(stage: &KernelHarness, text: &str) -> Vec<String> {
    places(&stage.log, &stage.state, text)
}

fn places(log: &[Event], state: &State, text: &str) -> Vec<String> {
    let json = |what: &dyn Fn() -> String| Some(what()).filter(|json| json.contains(text));
    let events = log.iter().filter_map(|event| json(&|| serde_json::to_string(event).expect("JSON")));
    let snapshot = json(&|| serde_json::to_string(&state.snapshot()).expect("JSON"));
    events.chain(snapshot).collect()
}

fn unchanged_but_for_texts(stage: &KernelHarness) {
    let (log, _) = rewritten(stage);
    let skeleton = |log: &[Event]| -> Vec<_> {
        log.iter().map(|event| (event.seq, event.at, name(event), event.by.id.clone(), event.cause.clone())).collect()
    };
    assert_eq!(skeleton(&log), skeleton(&stage.log));
}

fn last_message(stage: &KernelHarness) -> MessageId {
    stage.state.view().messages.back().expect("a message").id
}

#[test]
fn a_message_goes_and_its_place_stays() {
    let mut stage = KernelHarness::new();
    stage.ok(OWNER, Command::Set { title: Some(format!("{SECRET} is").into()), settings: None });
    stage.ok(OWNER, say(&format!("@people {SECRET} is @{SECRET}")));
    let id = last_message(&stage);
    assert_eq!(stage.ok(OWNER, message(id)), ["message.redacted"]);
    let shown = stage.state.view().message(id).expect("is there").clone();
    assert_eq!((&*shown.text, shown.redacted.as_ref().map(|mark| &*mark.by.name)), ("", Some("P1")));
    let (log, state) = rewritten(&stage);
    assert_eq!(state.view().message(id), Some(&shown));
    assert_eq!(log.iter().filter(|event| event.redacted.is_some()).count(), 2, "posted and routed");
    unchanged_but_for_texts(&stage);
    assert!(stage.ok(OWNER, message(id)).is_empty(), "it is redacted already");
}

#[test]
fn a_title_that_was_made_of_a_message_goes_with_it() {
    let mut stage = KernelHarness::new();
    let title = Some(format!("{SECRET} is ou…").into());
    stage.ok(OWNER, Command::Set { title, settings: None });
    stage.ok(
        OWNER,
        Command::Say {
            text: format!("{SECRET} is our password").into(),
            to: Some(vec![mention::Addressee::Target(Target::People)]),
            mode: Mode::Queue,
            files: vec![],
        },
    );
    stage.ok(OWNER, message(last_message(&stage)));
    assert_eq!(found(&stage, SECRET), Vec::<String>::new());
    assert_eq!(&*rewritten(&stage).1.view().title, REDACTED);
}

#[test]
fn owners_redact_and_nobody_else() {
    let mut stage = KernelHarness::new();
    stage.ok(OWNER, say("@people hello"));
    let id = last_message(&stage);
    for (who, role) in [(2, Role::Member), (3, Role::Reviewer), (4, Role::Viewer), (5, Role::Bot)] {
        stage.enter(who, role);
        assert!(matches!(stage.does(who, message(id)), Err(Rejection::Forbidden { .. })), "{role:?}");
    }
    assert_eq!(stage.does(6, message(id)), Err(Rejection::NotAMember));
    let unknown = MessageId(999);
    assert_eq!(stage.does(OWNER, message(unknown)), Err(Rejection::UnknownMessage(unknown)));
    stage.ok(OWNER, Command::Close { reason: SECRET.into() });
    assert_eq!(stage.ok(OWNER, message(id)), ["message.redacted"], "also in a closed session");
}

#[test]
fn content_that_a_run_uses_is_redacted_at_its_end() {
    let mut stage = KernelHarness::new();
    stage.ok(OWNER, say("@people before"));
    let aside = last_message(&stage);
    stage.reach_gate();
    let asked = stage.state.view().run.as_ref().expect("a run").input;
    let answer = last_message(&stage);
    for id in [asked, answer] {
        assert_eq!(stage.does(OWNER, message(id)), Err(Rejection::RunActive));
    }
    for target in [RedactionTarget::Session, RedactionTarget::Participant { participant: id(OWNER), content: true }] {
        assert_eq!(stage.does(OWNER, redact(target)), Err(Rejection::RunActive));
    }
    assert_eq!(stage.ok(OWNER, message(aside)), ["message.redacted"], "no model reads it");
    stage.vote(OWNER, Choice::Reject, Some(SECRET)).expect("votes");
    let comment = stage.state.view().message(last_message(&stage)).expect("is there").id;
    stage.finish("again");
    stage.finish("fine");
    stage.ok(OWNER, stage.cancel(Some("enough")));
    assert_eq!(stage.ok(OWNER, message(comment)), ["message.redacted"]);
    assert_eq!(found(&stage, SECRET), Vec::<String>::new(), "neither in the vote nor in the decision");
    unchanged_but_for_texts(&stage);
}

#[test]
fn a_version_of_a_file_goes_and_the_others_stay() {
    let mut stage = KernelHarness::new();
    let add = |content: &str| Command::AddFile { file: super::files::file("a.md", content), room: super::files::ROOM };
    stage.ok(OWNER, add(SECRET));
    stage.ok(OWNER, add("fine"));
    stage.ok(OWNER, add(SECRET));
    let [first, second, third] = [0, 1, 2].map(|at| stage.state.view().files[at].clone());
    stage.ok(OWNER, redact(RedactionTarget::File(third.id)));
    let contents = |stage: &KernelHarness| {
        let (last, before) = stage.log.split_last().expect("has events");
        let mut eraser = Eraser::of(last).expect("is a redaction");
        before.iter().for_each(|event| eraser.note(event));
        eraser.contents()
    };
    assert!(contents(&stage).is_empty(), "the first version has the same content");
    assert_eq!(stage.state.view().current_files().count(), 0, "older versions do not come back by themselves");
    stage.state = rewritten(&stage).1;
    stage.log = rewritten(&stage).0;
    stage.ok(OWNER, redact(RedactionTarget::File(first.id)));
    assert_eq!(contents(&stage), std::slice::from_ref(&first.digest));
    assert_eq!(found(&stage, &first.digest), Vec::<String>::new(), "a digest tells a short secret");
    let restore = |file| Command::RestoreFile { file, room: super::files::ROOM };
    assert_eq!(stage.does(OWNER, restore(first.id)), Err(Rejection::UnknownFile(first.id)));
    assert_eq!(stage.ok(OWNER, restore(second.id)), ["file.added"]);
}

#[test]
fn of_a_redacted_session_the_skeleton_is_left() {
    let mut stage = KernelHarness::new();
    stage.enter(2, Role::Member);
    stage.ok(2, say(&format!("write {SECRET}")));
    stage.finish(SECRET);
    stage.finish(SECRET);
    stage.vote(2, Choice::Reject, Some(SECRET)).expect("votes");
    stage.ok(OWNER, stage.cancel(Some(SECRET)));
    stage.stop(SECRET);
    stage.ok(OWNER, redact(RedactionTarget::Session));
    assert_eq!(found(&stage, SECRET), Vec::<String>::new());
    assert_eq!(found(&stage, "P2"), Vec::<String>::new(), "nor are names");
    unchanged_but_for_texts(&stage);
    assert!(rewritten(&stage).1.view().closed);
    assert_eq!(stage.does(OWNER, say("more")), Err(Rejection::SessionClosed));
    assert!(stage.ok(OWNER, redact(RedactionTarget::Session)).is_empty());
}

#[test]
fn a_person_loses_their_name_and_their_words_if_so_wanted() {
    for content in [false, true] {
        let mut stage = KernelHarness::new();
        stage.enter(2, Role::Member);
        stage.ok(2, say(&format!("@people {SECRET}")));
        stage.ok(OWNER, say("@people mine stays"));
        stage.ok(OWNER, redact(RedactionTarget::Participant { participant: id(2), content }));
        assert_eq!(found(&stage, "\"P2\""), Vec::<String>::new());
        assert_eq!(found(&stage, SECRET).is_empty(), content);
        let (_, state) = rewritten(&stage);
        let texts = state.view().messages.iter().filter(|message| message.text.contains("mine stays")).count();
        assert_eq!((texts, &*state.view().member(id(2)).expect("is there").name), (1, REDACTED));
        assert_eq!(state.view(), stage.state.view(), "who follows sees what the log makes");
        unchanged_but_for_texts(&stage);
    }
}

/// Plays to the end, with a second person who answers the questions.
fn played(
    flow: &str,
    roles: &[(&str, AgentRole)],
    script: PlayScript,
    act: impl Fn(&gate::Gate) -> Option<Command>,
) -> Play {
    let mut team = team_of(flow, roles);
    team.agents.iter_mut().for_each(|agent| agent.tools = vec!["*".into()]);
    let mut play = Play::new(team, script).asking();
    play.stage.enter(2, Role::Owner);
    play.begin("do it");
    while play.stage.state.view().active_run().is_some() {
        let gate = play.stage.state.view().gates.first().cloned();
        match gate.as_ref().and_then(&act) {
            Some(command) => drop(play.stage.ok(2, command)),
            None => assert!(play.step()),
        }
    }
    play
}

fn of_second(content: bool) -> Command {
    redact(RedactionTarget::Participant { participant: id(2), content })
}

/// The message that contains this text.
fn saying(stage: &KernelHarness, text: &str) -> MessageId {
    let said = stage.log.iter().find_map(|event| match &event.fact {
        Fact::MessagePosted { message, text: said, .. } if said.contains(text) => Some(*message),
        Fact::MessageCompleted { message, text: said, .. } if said.contains(text) => Some(*message),
        _ => None,
    });
    said.expect("was said")
}

fn vote(gate: &gate::Gate, choice: Choice, comment: Option<&str>, edit: Option<serde_json::Value>) -> Command {
    let edit = edit.map(|edit| to_raw_value(&edit).expect("JSON"));
    Command::Vote { gate: gate.id, rev: gate.rev, choice, comment: comment.map(Into::into), edit, standing: None }
}

#[test]
fn an_answer_goes_from_the_call_that_it_answered() {
    let script: PlayScript = |view, item| match item.turn {
        1 => (
            String::new(),
            vec![wanted("ask_people", json!({ "question": "Which?" })), wanted("put", json!({ "what": "a" }))],
        ),
        _ => words(&view.active_run().map_or(String::new(), |_| "done".into())),
    };
    let answers = |gate: &gate::Gate| match gate.kind {
        GateKind::Question => Some(Command::Answer { rev: None, gate: gate.id, text: SECRET.into() }),
        _ => Some(vote(gate, Choice::Reject, Some(&format!("no {SECRET} please")), None)),
    };
    for redaction in [None, Some(of_second(true))] {
        let mut play = played("react", &[("W", AgentRole::Worker)], script, answers);
        assert!(leftovers(&play.stage, SECRET).len() > 3, "in messages, in a vote, in a result and in an error");
        match redaction {
            Some(redaction) => drop(play.stage.ok(OWNER, redaction)),
            None => {
                for said in [SECRET.to_owned(), format!("no {SECRET} please")] {
                    let target = saying(&play.stage, &said);
                    play.stage.ok(OWNER, message(target));
                    rewrite(&mut play.stage);
                }
                play.stage.ok(OWNER, say("@people last"));
                let last = last_message(&play.stage);
                play.stage.ok(OWNER, message(last));
            }
        }
        assert_eq!(found(&play.stage, SECRET), Vec::<String>::new());
        unchanged_but_for_texts(&play.stage);
    }
}

#[test]
fn a_plan_goes_with_the_calls_that_are_its_items() {
    let script: PlayScript = |view, item| match item.task {
        Task::Plan => words(
            &json!({ "action": "continue", "next_steps": [
                { "action": "look", "tool_name": "put", "tool_params": { "what": SECRET } },
            ] })
            .to_string(),
        ),
        Task::Decide => words("{\"action\":\"synthesize\"}"),
        _ => words(&format!("{{\"root_cause\":\"{}\",\"suggestions\":[]}}", view.messages.len())),
    };
    let mut play = played("investigate", &[("P", AgentRole::Planner)], script, |_| None);
    let plan = saying(&play.stage, SECRET);
    play.stage.ok(OWNER, message(plan));
    assert_eq!(found(&play.stage, SECRET), Vec::<String>::new());
    assert_eq!(found(&play.stage, &call::digest(&json!({ "what": SECRET }).to_string())), Vec::<String>::new());
}

#[test]
fn a_plan_that_stands_in_for_one_goes_with_the_words_that_it_is_made_of() {
    let script: PlayScript = |_, item| match item.task {
        Task::Plan => words("no plan"),
        Task::Decide => words("{\"next_action\":\"end\",\"reason\":\"done\"}"),
        _ => words("did it"),
    };
    let roles = [("P", AgentRole::Planner), ("A", AgentRole::Executor)];
    let mut play = Play::new(team_of("brain", &roles), script);
    play.begin(&format!("find {SECRET}"));
    play.finish_run(None);
    assert!(play.stage.state.view().run.as_ref().and_then(|run| run.plan.as_ref()).is_some_and(|plan| plan.fallback));
    let input = saying(&play.stage, SECRET);
    play.stage.ok(OWNER, message(input));
    assert_eq!(found(&play.stage, SECRET), Vec::<String>::new());
}

#[test]
fn a_name_goes_from_the_near_misses_of_mentions() {
    let mut stage = KernelHarness::new();
    stage.enter(2, Role::Member);
    stage.ok(OWNER, say("@P2x look"));
    assert!(!leftovers(&stage, "\"nearest\":[\"P2\"").is_empty());
    stage.ok(OWNER, of_second(false));
    assert_eq!(found(&stage, "\"P2\""), Vec::<String>::new());
}

#[test]
fn names_of_files_and_tools_go_with_a_session_and_names_of_files_with_whoever_gave_them() {
    let add = |name: &str, content: &str| Command::AddFile {
        file: super::files::file(name, content),
        room: super::files::ROOM,
    };
    for (target, kept) in [
        (RedactionTarget::Session, None),
        (RedactionTarget::Participant { participant: id(2), content: true }, Some("ours.md")),
    ] {
        let script: PlayScript = |view, item| puts(view.active_run().expect("a run"), item, "a");
        let mut play = played("react", &[("W", AgentRole::Worker)], script, |_| None);
        let stage = &mut play.stage;
        stage.ok(2, add(&format!("{SECRET}.md"), "one"));
        stage.ok(OWNER, add(&format!("{SECRET}.md"), "two"));
        stage.ok(OWNER, add("ours.md", "three"));
        stage.ok(2, add("ours.md", "four"));
        stage.ok(OWNER, Command::RemoveFile { name: format!("{SECRET}.md").parse().expect("a name") });
        stage.ok(OWNER, redact(target));
        assert_eq!(found(stage, SECRET), Vec::<String>::new());
        assert_eq!(found(stage, "\"put\"").is_empty(), target == RedactionTarget::Session);
        assert_eq!(found(stage, "ours.md").is_empty(), kept.is_none());
        let (_, state) = rewritten(stage);
        let files = &state.view().files;
        assert_eq!((&files[0].name, files[0].removed), (&files[1].name, true), "they are still versions of one file");
        assert!(files[0].name != files[2].name && files[0].name.parse::<FileName>().is_ok());
    }
}

#[test]
fn everything_that_a_person_wrote_goes_with_them() {
    let script: PlayScript = |view, item| match (item.task, &view.active_run().expect("a run").plan) {
        (Task::Plan, _) => words("{\"steps\":[{\"agent\":\"A\",\"action\":\"look\"}]}"),
        (Task::Decide, _) => words("{\"next_action\":\"continue\",\"reason\":\"fine\"}"),
        _ => match puts(view.active_run().expect("a run"), item, "a") {
            (_, calls) if calls.is_empty() => words("done"),
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
    let mut play = played("brain", &roles, script, edits);
    let stage = &mut play.stage;
    stage.ok(OWNER, say("@people aside"));
    let aside = last_message(stage);
    let reason = Some(SECRET.into());
    stage.ok(2, Command::Redact { target: RedactionTarget::Message(aside), reason });
    stage.ok(2, Command::Set { title: Some(format!("All of {SECRET}").into()), settings: None });
    stage.ok(2, say("do it again"));
    stage.ok(2, stage.cancel(Some(SECRET)));
    stage.stop("");
    stage.ok(OWNER, of_second(true));
    assert_eq!(found(stage, SECRET), Vec::<String>::new());
    assert_eq!(found(stage, &call::digest(&json!({ "what": SECRET }).to_string())), Vec::<String>::new());
    let plan = rewritten(stage).0.into_iter().find_map(|event| match event.fact {
        Fact::GateRevised { plan: Some(plan), .. } => Some(plan),
        _ => None,
    });
    let Plan { items, .. } = plan.expect("was edited");
    assert_eq!(items.iter().map(|item| &*item.action).collect::<Vec<_>>(), ["look", REDACTED], "the planner's stays");
}

#[test]
fn redacting_the_creator_redacts_the_title() {
    let mut stage = KernelHarness::new();
    stage.enter(2, Role::Owner);
    stage.ok(2, redact(RedactionTarget::Participant { participant: id(OWNER), content: true }));
    assert_eq!(&*rewritten(&stage).1.view().title, REDACTED);
}

#[test]
fn a_title_that_is_made_of_a_message_later_goes_too() {
    let mut stage = KernelHarness::new();
    stage.ok(OWNER, say(&format!("@people {SECRET} is it")));
    let said = last_message(&stage);
    stage.ok(OWNER, Command::Set { title: Some(format!("@people {SECRET}…").into()), settings: None });
    stage.ok(OWNER, message(said));
    assert_eq!(found(&stage, SECRET), Vec::<String>::new());
}

#[test]
fn a_repeated_redaction_changes_nothing() {
    let mut stage = KernelHarness::new();
    stage.enter(2, Role::Owner);
    stage.ok(2, say("@people hello"));
    for (command, events) in [
        (of_second(false), 1),
        (of_second(false), 0),
        (of_second(true), 1),
        (of_second(false), 0),
        (of_second(true), 0),
    ] {
        assert_eq!(stage.ok(OWNER, command).len(), events);
    }
    let written = serde_json::to_string(&stage.state.snapshot()).expect("writes");
    stage.state = serde_json::from_str::<Snapshot>(&written).expect("reads").restore().expect("this version");
    assert!(stage.ok(OWNER, of_second(true)).is_empty(), "also after a restart");
    stage.ok(2, say("@people again"));
    assert_eq!(stage.ok(OWNER, of_second(true)).len(), 1, "they have said something since");
    stage.ok(OWNER, say("@people an old one"));
    let old = last_message(&stage);
    (0..2 * View::MESSAGES).for_each(|_| drop(stage.ok(OWNER, say("@people more"))));
    assert_eq!((stage.ok(OWNER, message(old)).len(), stage.ok(OWNER, message(old)).len()), (1, 0));
}

#[test]
fn a_redacted_name_comes_back_by_nothing_that_was_under_way() {
    let mut stage = KernelHarness::new();
    stage.enter(2, Role::Owner);
    stage.ok(OWNER, of_second(false));
    rewrite(&mut stage);
    assert!(stage.ok(2, Command::Rename { name: "Eve".into() }).is_empty());
    stage.ok(2, say("@people still here"));
    let written = serde_json::to_string(&stage.state.snapshot()).expect("writes");
    stage.state = serde_json::from_str::<Snapshot>(&written).expect("reads").restore().expect("this version");
    stage.ok(2, Command::Leave);
    // Outside the session, as an administrator who only reads, and back again: by themselves, by knocking, or by
    // invitation.
    stage.ok(2, Command::Knock { role: Role::Member });
    stage.ok(OWNER, Command::Admit { participant: id(2) });
    stage.ok(2, Command::Leave);
    stage.enter(2, Role::Member);
    stage.ok(2, Command::Leave);
    let (participant, kind) = (id(2), ActorKind::User);
    stage.ok(OWNER, Command::Invite { participant, kind, name: "P2".into(), role: Role::Member });
    stage.ok(2, Command::Rename { name: "Eve".into() });
    assert_eq!((leftovers(&stage, "\"P2\""), leftovers(&stage, "\"Eve\"")), (vec![], vec![]));
    assert_eq!(&*stage.state.view().member(id(2)).expect("is there").name, REDACTED);
}

#[test]
fn a_redaction_of_oneself_has_no_name() {
    let mut stage = KernelHarness::new();
    stage.enter(2, Role::Owner);
    stage.ok(2, say(&format!("@people {SECRET}")));
    stage.ok(2, of_second(true));
    assert_eq!(found(&stage, "\"P2\""), Vec::<String>::new());
}
