use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::agent::prompts::envelope::ServerLine;
use crate::agent::{CutBehavior, PromptBlock, ToolCall, TranscriptEntry};
use crate::kernel::Language;

/// Counts one token per byte, so that the cost of a text is its length.
fn bytes(text: &str) -> u64 {
    text.len() as u64
}

/// Tokens of an image in these tests.
const IMAGE: u64 = 50;

/// Tokens of the note about omitted text. Room is reserved for the note before it is known whether it is needed.
const NOTE: u64 = 64;

fn cut(messages: Vec<ModelMessage>, room: u64) -> Result<Vec<ModelMessage>, ContextLimitError> {
    fit(messages, room, bytes, |_| IMAGE)
}

fn user(text: &str) -> ModelMessage {
    ModelMessage::User(plain(text))
}

/// Block without a header, so that its cost is the length of its text.
fn plain(text: &str) -> PromptBlock {
    PromptBlock::server(ServerLine::new(text.to_owned().leak()))
}

fn says(text: &str) -> ModelMessage {
    ModelMessage::Assistant { text: text.into(), tool_calls: vec![] }
}

/// A message with one call per id.
fn calls(ids: &str) -> ModelMessage {
    let call = |id: &str| ToolCall { id: id.into(), name: "t".into(), arguments: "{}".into() };
    ModelMessage::Assistant { text: "".into(), tool_calls: ids.split(' ').map(call).collect() }
}

fn result(id: &str, text: &str) -> ModelMessage {
    ModelMessage::Tool { call: id.into(), result: PromptBlock::returned(text) }
}

fn system() -> ModelMessage {
    ModelMessage::System("rules".into())
}

/// Quoted text after a header of three characters.
fn entry(text: &str, at_cut: CutBehavior) -> TranscriptEntry {
    TranscriptEntry::new(PromptBlock::quoted(ServerLine::new("[m]"), text), at_cut)
}

fn transcript(past: Vec<TranscriptEntry>, present: &str) -> ModelMessage {
    let present = vec![plain(present)];
    ModelMessage::Transcript(Transcript { language: Language::Zh, past, present, ..Transcript::default() })
}

/// Returns the transcript, with this number of images.
fn showing(message: ModelMessage, images: usize) -> ModelMessage {
    let ModelMessage::Transcript(transcript) = message else { panic!("no transcript") };
    let image = Image::new(b"GIF89a\x08\0\x08\0\0\0\0\0").expect("an image");
    ModelMessage::Transcript(Transcript { images: vec![image; images], ..transcript })
}

#[test]
fn messages_that_fit_are_unchanged() {
    let all = vec![system(), user("one"), says("two"), user("three")];
    assert_eq!(cut(all.clone(), 1_000), Ok(all));
}

#[test]
fn the_oldest_go_first_and_the_rest_begins_with_words_to_the_agent() {
    let all = vec![system(), user("1111111111"), says("2222222222"), user("3333333333"), says("4"), user("5")];
    // There is room for all but one message. The response to the dropped message is dropped too.
    let all_costs = 6 * MESSAGE_OVERHEAD_TOKENS + 5 + 32;
    let kept = cut(all.clone(), all_costs - 1).expect("fits");
    assert_eq!(kept, vec![system(), user("3333333333"), says("4"), user("5")]);
    let kept = cut(all, 4 * MESSAGE_OVERHEAD_TOKENS).expect("fits");
    assert_eq!(kept, vec![system(), user("5")]);
}

#[test]
fn a_tools_result_stays_with_its_call() {
    let long = "x".repeat(200);
    let all = vec![user("go"), calls("a"), result("a", &long), calls("b"), result("b", "short")];
    let kept = cut(all, 120).expect("fits");
    assert_eq!(kept, vec![user("go"), calls("b"), result("b", "short")]);
}

#[test]
fn words_after_a_result_stay_with_it_and_never_drive_out_the_task() {
    let long = "x".repeat(200);
    let all =
        vec![user("go"), calls("a"), result("a", &long), user("hurry"), calls("b"), result("b", "short"), user("now")];
    let kept = cut(all, 130).expect("fits");
    assert_eq!(kept, vec![user("go"), calls("b"), result("b", "short"), user("now")]);
}

#[test]
fn the_newest_words_alone_may_be_too_many() {
    let failed = cut(vec![system(), user(&"x".repeat(100))], 50);
    assert_eq!(failed, Err(ContextLimitError { own: false, needed: 2 * MESSAGE_OVERHEAD_TOKENS + 105, room: 50 }));
}

#[test]
fn the_agents_own_text_can_exceed_the_budget() {
    let call = ToolCall { id: "a".into(), name: "t".into(), arguments: "x".repeat(300).into() };
    let wrote = ModelMessage::Assistant { text: "".into(), tool_calls: vec![call] };
    let all = vec![user("go"), wrote, result("a", "short")];
    let failed = cut(all, 100).expect_err("has no room");
    assert!(failed.own && failed.needed > 300, "{failed:?}");
}

#[test]
fn a_history_loses_its_oldest_entries_and_says_so() {
    let past = vec![
        entry("first", CutBehavior::Begins),
        entry(&"a".repeat(300), CutBehavior::Follows),
        entry("alone", CutBehavior::Follows),
        entry("again", CutBehavior::Begins),
        entry("second", CutBehavior::Follows),
    ];
    let all = vec![system(), transcript(past, "now")];
    let kept = cut(all, 200).expect("fits");
    let ModelMessage::Transcript(cut) = &kept[1] else { panic!("the history stays") };
    let omitted = "[notice] 更早的消息已省略，条数：3";
    assert_eq!(cut.text(), format!("对话历史：\n{omitted}\n\n[m]\n| again\n\n[m]\n| second\n\nnow"));
    assert_eq!(kept[0], system());
}

#[test]
fn a_history_whose_present_is_too_long_is_refused() {
    let all = vec![transcript(vec![entry("用户: x", CutBehavior::Begins)], &"y".repeat(300))];
    assert!(cut(all, 200).is_err());
}

#[test]
fn images_stay_with_the_newest_words_and_take_the_room_of_older_ones() {
    let newest = showing(transcript(vec![], "now"), 1);
    let all = vec![user("old"), newest.clone()];
    let costs = 2 * MESSAGE_OVERHEAD_TOKENS + 6 + IMAGE;
    assert_eq!(cut(all.clone(), costs), Ok(all.clone()));
    assert_eq!(cut(all.clone(), costs - 1), Ok(vec![newest]));
    let (needed, room) = (MESSAGE_OVERHEAD_TOKENS + 3 + IMAGE, IMAGE);
    assert_eq!(cut(all, room), Err(ContextLimitError { own: false, needed, room }));
}

#[test]
fn the_omission_note_follows_the_kept_history() {
    let past = vec![
        entry("old", CutBehavior::Begins),
        entry("first", CutBehavior::Stays),
        entry(&"a".repeat(300), CutBehavior::Begins),
        entry("b", CutBehavior::Begins),
    ];
    let kept = cut(vec![transcript(past, "now")], 200).expect("fits");
    let ModelMessage::Transcript(cut) = &kept[0] else { panic!("the history stays") };
    let omitted = "[notice] 更早的消息已省略，条数：2";
    assert_eq!(cut.text(), format!("对话历史：\n[m]\n| first\n\n{omitted}\n\n[m]\n| b\n\nnow"));
}

#[test]
fn the_newest_results_are_cut_where_they_are_too_long_together() {
    let all = vec![
        user("go"),
        calls("old"),
        result("old", "gone"),
        calls("a b c"),
        result("a", &"a".repeat(48_000)),
        result("b", "short"),
        result("c", &"c".repeat(48_000)),
    ];
    let kept = cut(all.clone(), 10_000).expect("fits");
    assert!((9_000..=10_000).contains(&total(&kept)), "{}", total(&kept));
    assert_eq!(kept[..2], [user("go"), calls("a b c")]);
    assert_eq!(kept[3], result("b", "short"));
    for (kept, original) in kept[2..].iter().zip(&all[4..]) {
        assert!(same(kept, original), "{kept:?}");
    }
    assert!(cut(all, 150).is_err(), "there is no room even for the note about omitted text");
}

fn any_group() -> impl Strategy<Value = Vec<ModelMessage>> {
    let text = "[a-z]{0,40}";
    let id = "[a-z]{8}";
    let at_cut = prop_oneof![Just(CutBehavior::Stays), Just(CutBehavior::Begins), Just(CutBehavior::Follows)];
    prop_oneof![
        text.prop_map(|text| vec![user(&text)]),
        text.prop_map(|text| vec![says(&text)]),
        proptest::collection::vec((id, "[a-z]{0,200}"), 1..4).prop_map(|results| {
            let ids: Vec<&str> = results.iter().map(|(id, _)| &**id).collect();
            let turn = calls(&ids.join(" "));
            std::iter::once(turn).chain(results.iter().map(|(id, text)| result(id, text))).collect()
        }),
        (proptest::collection::vec((text, at_cut), 0..6), text, 0..3usize).prop_map(|(past, now, images)| {
            let past = past.iter().map(|(text, at_cut)| entry(text, *at_cut)).collect();
            vec![showing(transcript(past, &now), images)]
        }),
    ]
}

fn any_conversation() -> impl Strategy<Value = Vec<ModelMessage>> {
    (any::<bool>(), proptest::collection::vec(any_group(), 0..12)).prop_map(|(with_system, groups)| {
        let first = with_system.then(system);
        first.into_iter().chain([user("first")]).chain(groups.into_iter().flatten()).collect()
    })
}

fn total(messages: &[ModelMessage]) -> u64 {
    let cost = |message: &ModelMessage| match message {
        ModelMessage::System(text) => MESSAGE_OVERHEAD_TOKENS + bytes(text),
        ModelMessage::Tool { result, .. } => MESSAGE_OVERHEAD_TOKENS + bytes(result.text()),
        ModelMessage::User(block) => MESSAGE_OVERHEAD_TOKENS + bytes(block.text()),
        ModelMessage::Transcript(transcript) => {
            MESSAGE_OVERHEAD_TOKENS + bytes(&transcript.text()) + IMAGE * transcript.images.len() as u64
        }
        ModelMessage::Assistant { text, tool_calls } => {
            MESSAGE_OVERHEAD_TOKENS
                + bytes(text)
                + tool_calls.iter().map(|c| MESSAGE_OVERHEAD_TOKENS + bytes(&c.name) + bytes(&c.arguments)).sum::<u64>()
        }
    };
    messages.iter().map(cost).sum()
}

/// Returns whether a kept message matches the original. A transcript can lose part of its past, and a result can lose
/// its middle.
fn same(kept: &ModelMessage, original: &ModelMessage) -> bool {
    match (kept, original) {
        (ModelMessage::Transcript(kept), ModelMessage::Transcript(original)) => {
            (&kept.present, &kept.images) == (&original.present, &original.images) && is_of(kept, original)
        }
        (ModelMessage::Tool { call, result }, ModelMessage::Tool { call: original, result: whole }) => {
            call == original && reads(result.text(), whole.text())
        }
        _ => kept == original,
    }
}

/// Returns whether `text` is the whole text, or both ends of it around a note about the omitted middle.
fn reads(text: &str, whole: &str) -> bool {
    let ends =
        text.split_once("\n[… ").and_then(|(head, rest)| Some((head, rest.split_once(" bytes left out …]\n")?.1)));
    text == whole || ends.is_some_and(|(head, tail)| whole.starts_with(head) && whole.ends_with(tail))
}

/// Like [`reads`], but for quoted text: every line must stay quoted.
fn quotes(text: &str, whole: &str) -> bool {
    let unquoted = |text: &str| {
        let lines = text.strip_prefix("[m]\n").expect("its header stays").split('\n');
        let plain = lines.map(|line| line.strip_prefix("| ").or(line.strip_prefix('|')).unwrap_or(line));
        plain.collect::<Vec<_>>().join("\n")
    };
    let own = |line: &&str| !line.starts_with('|') && !line.starts_with("[… ");
    text.split('\n').filter(own).count() == 1 && reads(&unquoted(text), &unquoted(whole))
}

/// Returns whether a history contains the newest entries and the pinned entries of the original, and states the number
/// of omitted entries.
fn is_of(kept: &Transcript, original: &Transcript) -> bool {
    let stays = |history: &Transcript| -> Vec<TranscriptEntry> {
        history.past.iter().filter(|entry| entry.at_cut == CutBehavior::Stays).cloned().collect()
    };
    let (newest, all): (Vec<_>, Vec<_>) = (kept.loose().collect(), original.loose().collect());
    let Some(omitted) = all.len().checked_sub(newest.len()) else { return false };
    stays(kept) == stays(original)
        && newest.iter().zip(&all[omitted..]).all(|(kept, entry)| quotes(kept.block.text(), entry.block.text()))
        && kept.omitted == omitted
        && (omitted == 0 || kept.past.first().is_none_or(|first| first.at_cut != CutBehavior::Follows))
}

/// Returns the index of the request to the agent. A message after a tool result belongs to the result, so it is not the
/// request.
fn asks(messages: &[ModelMessage]) -> Option<usize> {
    let after_result = |at: usize| at > 0 && matches!(messages[at - 1], ModelMessage::Tool { .. });
    (0..messages.len()).rfind(|at| match messages[*at] {
        ModelMessage::User(_) => !after_result(*at),
        ModelMessage::Transcript(_) => true,
        _ => false,
    })
}

/// Returns the minimum number of tokens that must stay: even a long result keeps some of its text.
fn least(all: &[ModelMessage]) -> u64 {
    let request = asks(all).expect("there are words");
    let turn = all.iter().rposition(|message| matches!(message, ModelMessage::Assistant { .. })).unwrap_or(0);
    let must = |(at, message): (usize, &ModelMessage)| match message {
        ModelMessage::System(_) => Some(message.clone()),
        ModelMessage::Transcript(transcript) if at == request => Some(ModelMessage::Transcript(transcript.bare())),
        ModelMessage::Tool { call, result: all } if at > turn && turn > request => {
            Some(result(call, &all.text()[..all.text().len().min(60)]))
        }
        _ => (at == request || turn > request && at >= turn).then(|| message.clone()),
    };
    total(&all.iter().enumerate().filter_map(must).collect::<Vec<_>>())
}

proptest! {
    #[test]
    fn a_cut_conversation_keeps_its_laws(all in any_conversation(), room in 0..1_000u64) {
        let Ok(kept) = cut(all.clone(), room) else {
            prop_assert!(total(&all) + NOTE > room, "a conversation that fits is never rejected");
            prop_assert!(least(&all) > room, "a conversation that can be cut to fit is never rejected");
            return Ok(());
        };
        prop_assert!(total(&kept) <= room, "{} tokens in {room}", total(&kept));
        let systems = |messages: &[ModelMessage]| messages.iter().filter(|m| matches!(m, ModelMessage::System(_))).count();
        prop_assert_eq!(systems(&kept), systems(&all));

        let is_words = |m: &&ModelMessage| matches!(m, ModelMessage::User(_) | ModelMessage::Transcript(_));
        let request = |messages: &[ModelMessage]| asks(messages).map(|at| messages[at].clone()).expect("there are words");
        prop_assert!(same(&request(&kept), &request(&all)));
        prop_assert!(same(&kept[kept.len() - 1], &all[all.len() - 1]), "the newest of all is kept");
        let first = kept.iter().find(|m| !matches!(m, ModelMessage::System(_))).expect("not empty");
        prop_assert!(is_words(&first), "begins with words to the agent: {kept:?}");

        let mut from = 0;
        for message in &kept {
            let found = all[from..].iter().position(|original| same(message, original));
            prop_assert!(found.is_some(), "in the old order");
            from += found.unwrap_or_default() + 1;
        }
        for message in &kept {
            let ids = |m: &ModelMessage| -> Vec<Arc<str>> {
                match m {
                    ModelMessage::Assistant { tool_calls, .. } => tool_calls.iter().map(|call| call.id.clone()).collect(),
                    _ => vec![],
                }
            };
            if let ModelMessage::Tool { call, .. } = message {
                prop_assert!(kept.iter().any(|m| ids(m).contains(call)), "a result without its call");
            }
            for id in ids(message) {
                let answered = kept.iter().any(|m| matches!(m, ModelMessage::Tool { call, .. } if *call == id));
                prop_assert!(answered, "a call without its result");
            }
        }
    }
}
