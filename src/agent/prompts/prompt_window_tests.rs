//! Prompts that do not fit into the context window of a model.

use super::*;

#[test]
fn a_task_on_a_small_window_keeps_the_question_and_the_newest_results() {
    let long = "x".repeat(1_000);
    let mut story = PromptFixture::new("investigator-en", "Investigator")
        .message(0, person("Ann", 1), "earlier words", |message| message.run = Some(RunId(0)))
        .person(1, "Why do logins fail?")
        .step(1, &long)
        .step(2, &long)
        .step(3, "the locks");
    story.running.task = Task::Decide;
    let system = PromptBuilder::new(&story.view, &story.running).system(&story.view.team.agents[0].prompt).len() as u64;
    let text = story.text_within(system + 1_900);
    let question = format!("Conversation so far:\n{}\n\n", ann("Why do logins fail?"));
    let begins = format!("{question}[notice] Earlier messages omitted: 2\n\n");
    let result = |step: u32| format!("[result step={step} from=agent id=TestCase_Generator]\n| ");
    assert!(text.starts_with(&format!("{begins}{}xxx", result(2))), "{text}");
    assert!(text.contains(&format!("x\n\n{}the locks\n\n", result(3))), "{text}");

    // A result that is too long for the window keeps both ends.
    let text = story.step(4, &long.repeat(2)).text_within(system + 1_900);
    assert!(text.starts_with(&format!("{question}[notice] Earlier messages omitted: 4\n\n")), "{text}");
    assert!(
        text.contains("[result step=4 ") && text.contains("x\n[… ") && text.contains(" bytes left out …]\n| x"),
        "{text}"
    );
}

#[test]
fn the_first_words_of_a_session_stay_before_a_long_text() {
    let long = "长".repeat(500);
    let story =
        first_round(REVIEWER).agent(11, GENERATOR, &long).round(|round| round.done_agents = vec![id(GENERATOR)]);
    let messages = turn_request(&story.view, &story.running).messages;
    let room = messages.iter().map(ModelMessage::bytes).sum::<u64>();
    let cut = fit(messages, room - 300, |text| text.len() as u64, |_| 0);
    assert!(cut.is_err(), "no turn is sent without its question");

    // This holds in later rounds too.
    let story = two_turns(GENERATOR).person(31, "短一点").round(|round| round.input = Some(MessageId(31)));
    let messages = turn_request(&story.view, &story.running).messages;
    let ModelMessage::Transcript(transcript) = &messages[1] else { panic!("a history") };
    assert_eq!(transcript.past.iter().filter(|entry| entry.at_cut == CutBehavior::Stays).count(), 1, "{transcript:?}");
    assert_eq!(transcript.past[0].at_cut, CutBehavior::Stays);
}
