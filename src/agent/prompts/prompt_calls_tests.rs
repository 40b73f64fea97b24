//! Prompts after tool calls: the agent's own text and calls, messages that people sent in the meantime, and results of
//! other agents' tools.

use super::*;
use crate::kernel::call::{Call, CallState, ToolRound};
use crate::kernel::kernel_tools::PLAN_TOOL;
use crate::kernel::{CallAnswer, CallId, CallRule, File, FileId, call};

/// Returns a finished call with its output.
fn called(id: u64, tool: &str, output: &str) -> Call {
    Call {
        id: CallId(id),
        name: tool.into(),
        arguments: "{}".into(),
        rev: 1,
        state: CallState::Completed,
        idempotent: true,
        risk: call::Risk::Low,
        sources: Default::default(),
        result_sources: Default::default(),
        standing: None,
        attempt: 1,
        gate: None,
        started_at: None,
        ended_at: Some(Timestamp::default()),
        output: Some(output.into()),
        error: None,
    }
}

/// Returns the tool round of the story's running message with this call.
fn round(story: &PromptFixture, message: u64, call: Call) -> ToolRound {
    ToolRound {
        message: Some(MessageId(message)),
        assignment: story.running.assignment(),
        step: StepId(900),
        turn: 1,
        calls: vec![call],
        expected: 1,
        closed: false,
    }
}

/// Returns the messages that follow the task itself.
fn read(story: &PromptFixture) -> Vec<String> {
    let messages = turn_request(&story.view, &story.running).messages;
    let render = |message: &ModelMessage| match message {
        ModelMessage::Assistant { text, .. } => text.to_string(),
        ModelMessage::Tool { result, .. } => result.text().to_owned(),
        ModelMessage::User(block) => format!("> {}", block.text()),
        other => panic!("{other:?}"),
    };
    messages[2..].iter().map(render).collect()
}

#[test]
fn words_stand_where_they_were_heard_among_calls_and_results() {
    let own = |message: &mut Message| (message.step, message.calls) = (Some(StepId(900)), 1);
    let mut story = first_round(GENERATOR)
        .message(21, actor(GENERATOR), "先看", own)
        .person(25, "看退款")
        .person(26, "快一点")
        .message(31, actor(GENERATOR), "再看", own)
        .person(35, "够了");
    let tool_rounds = [round(&story, 21, called(22, "read", "甲")), round(&story, 31, called(32, "read", "乙"))];
    story.view.run.as_mut().expect("a run").tool_rounds.extend(tool_rounds);
    let feedback = |text: &str| says("feedback", "Ann", 1, "", text);
    let both = format!("> {}\n{}", feedback("看退款"), feedback("快一点"));
    assert_eq!(read(&story), ["先看", "甲", &both, "再看", "乙", &format!("> {}", feedback("够了"))]);
}

#[test]
fn words_that_waited_in_a_step_that_was_stopped_follow_it() {
    let of = |step: u64| move |message: &mut Message| (message.step, message.calls) = (Some(StepId(step)), 1);
    let mut story = first_round(GENERATOR)
        .message(21, actor(GENERATOR), "先看", of(20))
        .person(25, "看退款")
        .message(31, actor(GENERATOR), "再看", of(20))
        .message(41, actor(GENERATOR), "看完", of(900))
        .person(45, "够了");
    let call = |story: &PromptFixture, message, step| ToolRound {
        step: StepId(step),
        ..round(story, message, called(message + 1, "read", "甲"))
    };
    let tool_rounds = [call(&story, 21, 20), call(&story, 31, 20), call(&story, 41, 900)];
    story.view.run.as_mut().expect("a run").tool_rounds.extend(tool_rounds);
    let feedback = |text: &str| format!("> {}", says("feedback", "Ann", 1, "", text));
    assert_eq!(read(&story), ["先看", "甲", "再看", "甲", &feedback("看退款"), "看完", "甲", &feedback("够了")]);
}

#[test]
fn an_answer_to_the_agents_own_question_is_read_once_and_by_others_as_words() {
    let question =
        Call { arguments: r#"{"question":"哪种货币？"}"#.into(), ..called(22, ASK_PEOPLE_TOOL, "人民币") };
    let mut story = first_round(GENERATOR)
        .message(21, actor(GENERATOR), "我先问一下", |message| {
            (message.step, message.calls) = (Some(StepId(900)), 1)
        })
        .person(31, "人民币")
        .person(41, "快一点");
    let round = round(&story, 21, question);
    story.view.run.as_mut().expect("a run").tool_rounds.push(round);
    story.view.call_memory.end(
        CallId(22),
        CallAnswer { by: person("Ann", 1), message: MessageId(31), text: "人民币".into(), refusal: None },
    );
    let read = |story: &PromptFixture| {
        let body = turn_request(&story.view, &story.running).body("m", "max_tokens").to_string();
        ["人民币", "快一点", "我先问一下"].map(|feedback| body.matches(feedback).count())
    };
    assert_eq!(read(&story), [1; 3]);
    story.running = RunningMessage { agent: id(REVIEWER), step: StepId(901), ..story.running };
    assert_eq!(read(&story), [1; 3]);

    // The same text that is posted at another time is a different message.
    story.running = RunningMessage { agent: id(GENERATOR), step: StepId(900), ..story.running };
    let again = story.message(51, person("Ann", 1), "人民币", |message| message.at = Timestamp::from_millis(9));
    assert_eq!(read(&again), [2, 1, 1]);
}

#[test]
fn later_tasks_read_earlier_tool_results_and_files() {
    let mut story = PromptFixture::new("solver-en", "Summarizer").person(1, "How many users?").step(1, "42");
    let executor = Assignment { agent: id(GENERATOR), task: Task::Execute { number: 1, part: 0 } };
    let run = story.view.run.as_mut().expect("a run");
    run.flow = "plan_solve".into();
    let put_away = |call: Call| Call { output: None, ..call };
    let calls = vec![put_away(called(22, "python", "")), put_away(called(23, PLAN_TOOL, ""))];
    run.tool_rounds.push(ToolRound {
        message: Some(MessageId(21)),
        assignment: executor,
        step: StepId(101),
        turn: 1,
        calls,
        expected: 2,
        closed: true,
    });
    // After the end of the step, the state that is folded from the log contains the output in this form.
    story.view.call_memory.record_output(CallId(22), &"x".repeat(20_000).into());
    story.view.files.push(Arc::new(File {
        id: FileId(24),
        name: "users.csv".into(),
        version: 1,
        media_type: "text/csv".into(),
        bytes: 9,
        digest: "0".into(),
        at: Timestamp::default(),
        by: actor(GENERATOR),
        call: Some(CallId(22)),
        removed: false,
        redacted: None,
    }));
    let expected = "[result step=1 for=TestCase_Generator from=tool name=\"python\" arguments={}]\n| xxx";
    for (task, reads) in [(Task::Summarize, true), (Task::Execute { number: 2, part: 0 }, true), (Task::Plan, false)] {
        story.running.task = task;
        let text = story.text();
        assert_eq!(text.contains(expected), reads, "{task:?}: {text}");
        assert_eq!(text.contains("- name=\"users.csv\""), reads, "{task:?}: {text}");
        assert!(text.contains("| 42") && !text.contains("kept") && text.len() < 12_000, "{task:?}: {text}");
    }
}

#[test]
fn a_file_that_the_rules_ask_about_is_in_no_list() {
    let mut story = PromptFixture::new("assistant-en", "Assistant").person(1, "Sum?");
    let file = |id: u64, name: &str| File {
        id: FileId(id),
        name: name.into(),
        version: 1,
        media_type: "text/csv".into(),
        bytes: 9,
        digest: "0".into(),
        at: Timestamp::default(),
        by: person("Ann", 1),
        call: None,
        removed: false,
        redacted: None,
    };
    story.view.files = vec![Arc::new(file(11, "salaries.csv")), Arc::new(file(12, "users.csv"))];
    let team = Arc::make_mut(&mut story.view.team);
    let pattern = Some("*\"name\":\"salaries*".into());
    for agent in &mut team.agents {
        agent.permissions = vec![CallRule {
            tool: "file_read".into(),
            arguments: pattern.clone(),
            permission: call::Permission::Ask,
            risk: None,
        }];
    }
    let text = story.text();
    let listed =
        "[files]\n- name=\"users.csv\" version=1 bytes=9 type=\"text/csv\"\n[files that the rules leave out: 1]";
    assert!(text.contains(listed) && !text.contains("salaries"), "{text}");
}

#[test]
fn earlier_turns_of_an_assistant_are_messages_of_their_own() {
    let earlier = |message: &mut Message| message.run = Some(RunId(0));
    let question = |number: u64, text: &str| (number, person("Ann", 1), text.to_owned());
    let answered = |number: u64, text: &str| (number, actor("Assistant"), text.to_owned());
    let feedback = [
        question(1, "2+2?"),
        answered(11, "4"),
        question(21, "And 3+3?"),
        question(22, "Quick"),
        answered(31, "6 <|im_end|>"),
    ];
    let mut story =
        feedback.into_iter().fold(PromptFixture::new("assistant-en", "Assistant"), |story, (number, by, text)| {
            story.message(number, by, &text, earlier)
        });
    story = story.person(41, "Sum?").round(|round| round.input = Some(MessageId(41)));
    let run = story.view.run.as_mut().expect("a run");
    (run.flow, run.input) = ("react".into(), MessageId(41));
    let roles = |story: &PromptFixture| {
        let body = turn_request(&story.view, &story.running).body("m", "max_tokens");
        let turns = body["messages"].as_array().expect("messages").iter().skip(1);
        turns
            .map(|turn| format!("{}: {}", turn["role"], turn["content"].as_str().unwrap_or_default()))
            .collect::<Vec<_>>()
    };
    let user = |text: String| format!("\"user\": {text}");
    let both = format!("{}\n\n{}", ann("And 3+3?"), ann("Quick"));
    let own = |text: &str| format!("\"assistant\": {text}");
    let turns = [
        user(format!("Conversation so far:\n{}", ann("2+2?"))),
        own("4"),
        user(both),
        own("6 < |im_end|>"),
        user(format!("[files: none]\n\n{}", ann("Sum?"))),
    ];
    assert_eq!(roles(&story), turns);

    // An interrupted text is marked as incomplete, which an assistant message cannot express.
    story.view.model_messages.make_contiguous()[4] =
        Arc::new(Message { aborted: Some(AbortReason::Interrupted), ..Message::clone(&story.view.model_messages[4]) });
    assert!(roles(&story)[2].contains("incomplete=interrupted"), "{:?}", roles(&story));

    // A flow that works in rounds sends all entries in one message.
    story.view.run.as_mut().expect("a run").flow = "review".into();
    assert_eq!(roles(&story).len(), 1);
}

#[test]
fn results_from_outside_are_marked() {
    use crate::kernel::call::CallSourceKind::{Code, Knowledge, Tool, Web};
    let cases: [(Vec<call::CallSourceKind>, u32, &str); 5] = [
        (vec![Web, Tool], 1, "[result source=web source=tool]\n| 甲\n| [notice] push"),
        (vec![Knowledge], 1, "[result source=knowledge]\n| 甲\n| [notice] push"),
        // A code base is read line by line; only what looks like a header is quoted.
        (vec![Code], 1, "[result]\n| 甲\n| [notice] push"),
        (vec![], 1, "[result]\n| 甲\n| [notice] push"),
        // The kernel itself gave the result of the call.
        (vec![Web, Tool], 0, "[result]\n| 甲\n| [notice] push"),
    ];
    for (kinds, attempt, expected) in cases {
        let mut story = first_round(GENERATOR)
            .message(21, actor(GENERATOR), "先看", |message| (message.step, message.calls) = (Some(StepId(900)), 1));
        let result_sources = kinds.into_iter().collect();
        let call = Call { result_sources, attempt, ..called(22, "read", "甲\n[notice] push") };
        let failed = Call { output: None, error: Some(failure()), ..call.clone() };
        let outside = expected.contains("source=");
        let round = ToolRound { calls: vec![call, failed], expected: 2, ..round(&story, 21, called(23, "read", "")) };
        story.view.run.as_mut().expect("a run").tool_rounds.push(round);
        let read = read(&story);
        assert_eq!(read[1], expected);
        assert_eq!(read[2].starts_with("[result source="), outside, "{}", read[2]);
    }
}

fn failure() -> crate::kernel::AttemptError {
    crate::kernel::AttemptError { code: "tool_failed".into(), message: "push".into() }
}
