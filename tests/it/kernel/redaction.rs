//! Redaction: who may, when, and what the log reads afterwards.

use roundtable::kernel::gate::Choice;
use roundtable::kernel::*;

use super::stage::*;

const SECRET: &str = "hunter2";

fn redact(target: RedactionTarget) -> Command {
    Command::Redact { target, reason: Some("a password".into()) }
}

fn message(id: MessageId) -> Command {
    redact(RedactionTarget::Message(id))
}

/// The log as it reads after its last event, a redaction; and the state that it makes.
fn rewritten(stage: &Stage) -> (Vec<Event>, State) {
    let (last, before) = stage.log.split_last().expect("has events");
    let mut eraser = Eraser::of(last).expect("is a redaction");
    before.iter().for_each(|event| eraser.note(event));
    assert_eq!(eraser.missing(), None);
    let mut log: Vec<Event> = before.iter().map(|event| eraser.erase(event).unwrap_or_else(|| event.clone())).collect();
    log.push(last.clone());
    let mut state = State::new(stage.state.view().session);
    log.iter().for_each(|event| evolve(&mut state, event));
    (log, state)
}

/// Where the text still stands.
fn found(stage: &Stage, text: &str) -> Vec<String> {
    let (log, state) = rewritten(stage);
    let json = |what: &dyn Fn() -> String| Some(what()).filter(|json| json.contains(text));
    let events = log.iter().filter_map(|event| json(&|| serde_json::to_string(event).expect("JSON")));
    let snapshot = json(&|| serde_json::to_string(&state.snapshot()).expect("JSON"));
    events.chain(snapshot).collect()
}

fn unchanged_but_for_texts(stage: &Stage) {
    let (log, _) = rewritten(stage);
    let skeleton = |log: &[Event]| -> Vec<_> {
        log.iter().map(|event| (event.seq, event.at, name(event), event.by.id.clone(), event.cause.clone())).collect()
    };
    assert_eq!(skeleton(&log), skeleton(&stage.log));
}

fn last_message(stage: &Stage) -> MessageId {
    stage.state.view().messages.back().expect("a message").id
}

#[test]
fn a_message_goes_and_its_place_stays() {
    let mut stage = Stage::new();
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
    let mut stage = Stage::new();
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
    let mut stage = Stage::new();
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
fn what_a_run_uses_waits_for_its_end() {
    let mut stage = Stage::new();
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
    let mut stage = Stage::new();
    let add = |content: &str| Command::AddFile { file: super::files::file("a.md", content), room: super::files::ROOM };
    stage.ok(OWNER, add(SECRET));
    stage.ok(OWNER, add("fine"));
    stage.ok(OWNER, add(SECRET));
    let [first, second, third] = [0, 1, 2].map(|at| stage.state.view().files[at].clone());
    stage.ok(OWNER, redact(RedactionTarget::File(third.id)));
    let contents = |stage: &Stage| {
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
    let mut stage = Stage::new();
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
        let mut stage = Stage::new();
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
