use std::sync::Arc;

use super::*;
use crate::agent::fit;
use crate::kernel::gate::{CommentFile, CommentPlace};
use crate::kernel::{
    AbortReason, Actor, AgentId, Assignment, FileId, GateId, MessageId, Mode, ParticipantId, Phase, QueuedMessage,
    Role, Round, RunId, SessionId, State, StepId, Task, TaskResult, Team, Timestamp,
};

const GENERATOR: &str = "TestCase_Generator";
const REVIEWER: &str = "TestCase_Reviewer";
const OPTIMIZER: &str = "TestCase_Optimizer";

/// A session in the middle of run 1, built message by message.
struct PromptFixture {
    view: View,
    running: RunningMessage,
}

impl PromptFixture {
    fn new(team: &str, agent: &str) -> Self {
        let mut view = State::new(SessionId(uuid::Uuid::from_u128(1))).view().clone();
        view.team = crate::agent::teams::builtin_teams::get(team).expect("a built-in team");
        let agent: AgentId = agent.parse().expect("an id");
        let running = RunningMessage {
            message: MessageId(900),
            step: StepId(900),
            agent,
            task: Task::Reply,
            turn: 1,
            attempt: 1,
            failures: 0,
            started_at: Timestamp::default(),
            bound: None,
            retry_at: None,
            held: None,
            recovered: false,
        };
        let run = Run::new(RunId(1), "review".into(), MessageId(1), vec![]);
        let step = Some(running.step);
        view.run = Some(Run { phase: Phase::Executing, step, running: vec![running.clone()], ..run });
        Self { view, running }
    }

    fn message(mut self, id: u64, by: Actor, text: &str, change: impl FnOnce(&mut Message)) -> Self {
        let mut message = Message {
            id: MessageId(id),
            at: Timestamp::default(),
            by,
            text: text.into(),
            files: vec![],
            relays: None,
            request: None,
            to: vec![],
            unresolved: vec![],
            run: Some(RunId(1)),
            step: None,
            task: Task::Reply,
            comment_on: None,
            calls: 0,
            aborted: None,
            truncated: false,
            redacted: None,
        };
        change(&mut message);
        self.view.model_messages.push_back(Arc::new(message));
        self
    }

    fn person(self, id: u64, text: &str) -> Self {
        self.message(id, person("Ann", 1), text, |_| {})
    }

    fn agent(self, id: u64, agent: &str, text: &str) -> Self {
        self.message(id, actor(agent), text, |message| message.step = Some(StepId(id - 1)))
    }

    fn round(mut self, change: impl FnOnce(&mut Round)) -> Self {
        change(&mut self.view.run.as_mut().expect("a run").round);
        self
    }

    /// Completes the plan item with this number and this text.
    fn step(mut self, number: u32, text: &str) -> Self {
        let id = MessageId(100 + u64::from(number));
        let assignment = Assignment { agent: self::id(GENERATOR), task: Task::Execute { number, part: 0 } };
        let done = TaskResult {
            assignment,
            step: StepId(id.0),
            message: Some(id),
            call: None,
            out_of_turns: false,
            text: None,
            failure: None,
        };
        self.view.run.as_mut().expect("a run").task_results.push(done);
        self.message(id.0, actor(GENERATOR), text, |message| message.step = Some(StepId(id.0)))
    }

    fn text(&self) -> String {
        self.text_within(u64::MAX)
    }

    /// Returns the transcript, cut for a model with room for `room` bytes.
    fn text_within(&self, room: u64) -> String {
        let messages = turn_request(&self.view, &self.running).messages;
        let kept = fit(messages, room, |text| text.len() as u64, |_| 0).expect("fits");
        match kept.as_slice() {
            [ModelMessage::System(_), ModelMessage::Transcript(transcript)] => transcript.text(),
            other => panic!("expected a system prompt and one message, got {other:?}"),
        }
    }
}

fn actor(agent: &str) -> Actor {
    Actor { kind: ActorKind::Agent, id: agent.into(), name: agent.into(), guest: false, role: None }
}

fn person(name: &str, number: u128) -> Actor {
    let by = Actor::participant(ParticipantId(uuid::Uuid::from_u128(number)), ActorKind::User, name);
    Actor { role: Some(Role::Owner), ..by }
}

/// Returns the entry of a person's message.
fn says(kind: &str, name: &str, number: u32, rest: &str, text: &str) -> String {
    format!("[{kind} from=user id=u_{number:032x} role=owner name=\"{name}\"{rest}]\n| {text}")
}

fn ann(text: &str) -> String {
    says("message", "Ann", 1, "", text)
}

fn agents(agent: &str, text: &str) -> String {
    format!("[message from=agent id={agent}]\n| {text}")
}

/// Returns the first message and the texts of two agents.
fn before() -> String {
    let (generated, reviewed) = (agents(GENERATOR, "[用例]"), agents(REVIEWER, "[意见]"));
    format!("对话历史：\n{}\n\n{generated}\n\n{reviewed}", ann("生成支付接口的测试用例"))
}

fn id(agent: &str) -> AgentId {
    agent.parse().expect("an id")
}

fn first_round(agent: &str) -> PromptFixture {
    PromptFixture::new("testcase-zh", agent).person(1, "生成支付接口的测试用例")
}

fn two_turns(agent: &str) -> PromptFixture {
    first_round(agent).agent(11, GENERATOR, "[用例]").agent(21, REVIEWER, "[意见]")
}

#[test]
fn the_first_turn_is_the_users_text_alone() {
    let story = first_round(GENERATOR);
    assert_eq!(story.text(), format!("对话历史：\n{}", ann("生成支付接口的测试用例")));
    let request = turn_request(&story.view, &story.running);
    let ModelMessage::System(system) = &request.messages[0] else { panic!("a system prompt") };
    let prompt = story.view.team.agents[0].prompt.trim_end();
    assert_eq!(**system, format!("{prompt}\n\n{}", PromptTexts::of(story.view.team.language).reading));
    assert_eq!(request.model, None);
}

#[test]
fn the_reviewer_reads_the_generator() {
    let story =
        first_round(REVIEWER).agent(11, GENERATOR, "[用例]").round(|round| round.done_agents = vec![id(GENERATOR)]);
    let (question, generated) = (ann("生成支付接口的测试用例"), agents(GENERATOR, "[用例]"));
    assert_eq!(
        story.text(),
        format!("对话历史：\n{question}\n\n{generated}\n\n[notice] 现在轮到 TestCase_Reviewer，请完成你的工作。")
    );
}

#[test]
fn a_comment_on_what_was_not_approved_names_its_author_and_its_line() {
    let place = CommentPlace {
        gate: GateId(25),
        thread: MessageId(26),
        rev: 1,
        file: None,
        path: "/items/0/action".into(),
        line: Some(2),
        quote: "写用例".into(),
    };
    let comment = |message: &mut Message, run: Option<RunId>| {
        (message.comment_on, message.to, message.run) = (Some(Arc::new(place.clone())), vec![Target::People], run);
    };
    let file = CommentFile { id: FileId(9), name: "报告.md".into(), version: 2 };
    let in_file = CommentPlace { file: Some(file), path: "".into(), ..place.clone() };
    let text = two_turns(GENERATOR)
        .message(26, person("Bob", 2), "太少", |message| comment(message, Some(RunId(1))))
        .message(28, person("Bob", 2), "写错了", |message| {
            comment(message, Some(RunId(1)));
            message.comment_on = Some(Arc::new(in_file));
        })
        .message(27, person("Bob", 2), "已解决", |message| comment(message, None))
        .message(31, person("Ann", 1), "请修改", |_| {})
        .round(|round| round.input = Some(MessageId(31)))
        .text();
    let rest = " comment_on=\"/items/0/action\" line=2 quote=\"写用例\"";
    assert!(text.contains(&says("message", "Bob", 2, rest, "太少")), "{text}");
    let rest = " comment_on_file=\"报告.md\" version=2 line=2 quote=\"写用例\"";
    assert!(text.contains(&says("message", "Bob", 2, rest, "写错了")), "{text}");
    assert!(!text.contains("已解决"), "agents read no comment before its gate is rejected: {text}");
}

#[test]
fn feedback_is_written_as_the_document_writes_it() {
    let table: [(&str, Vec<Target>, &str); 3] = [
        ("请添加边界测试用例", vec![], ""),
        ("@TestCase_Generator 请添加性能测试", vec![Target::Agent(id(GENERATOR))], " to=@TestCase_Generator"),
        ("@all 重新生成", vec![Target::All], " to=@all"),
    ];
    for (text, to, rest) in table {
        let story = two_turns(GENERATOR)
            .message(31, person("Ann", 1), text, |message| message.to = to)
            .round(|round| round.input = Some(MessageId(31)));
        assert_eq!(story.text(), format!("{}\n\n{}", before(), says("feedback", "Ann", 1, rest, text)));
    }
}

#[test]
fn after_feedback_the_reviewer_reads_the_new_version_after_it() {
    let story = two_turns(REVIEWER)
        .person(31, "请添加边界测试用例")
        .agent(41, GENERATOR, "[新用例]")
        .round(|round| (round.input, round.done_agents) = (Some(MessageId(31)), vec![id(GENERATOR)]));
    let (feedback, generated) = (says("feedback", "Ann", 1, "", "请添加边界测试用例"), agents(GENERATOR, "[新用例]"));
    let ending = "[notice] 现在轮到 TestCase_Reviewer，请完成你的工作。";
    assert_eq!(story.text(), format!("{}\n\n{feedback}\n\n{generated}\n\n{ending}", before()));
}

#[test]
fn the_optimizer_is_told_of_the_approval() {
    let ending =
        "[notice] 用户已同意以上方案。请作为测试用例优化器，结合生成器和评审员的意见，给出最终优化的测试用例。";
    let by_vote = two_turns(OPTIMIZER).round(|round| (round.approved, round.input) = (true, None));
    let by_text = two_turns(OPTIMIZER)
        .person(31, "同意")
        .round(|round| (round.approved, round.input) = (true, Some(MessageId(31))));
    for story in [by_vote, by_text] {
        assert_eq!(story.text(), format!("{}\n\n{ending}", before()));
    }
    let with_words = two_turns(OPTIMIZER)
        .person(31, "同意，请精简")
        .round(|round| (round.approved, round.input) = (true, Some(MessageId(31))));
    assert!(
        with_words
            .text()
            .ends_with(&format!("[意见]\n\n{}\n\n{ending}", says("feedback", "Ann", 1, "", "同意，请精简")))
    );
}

#[test]
fn an_english_team_reads_english() {
    let story = PromptFixture::new("testcase-en", REVIEWER)
        .person(1, "Write test cases")
        .agent(11, GENERATOR, "[cases]")
        .round(|round| round.done_agents = vec![id(GENERATOR)]);
    let (question, generated) = (ann("Write test cases"), agents(GENERATOR, "[cases]"));
    let ending = "[notice] It is your turn now, TestCase_Reviewer: do your part.";
    assert_eq!(story.text(), format!("Conversation so far:\n{question}\n\n{generated}\n\n{ending}"));
}

#[test]
fn a_team_of_ones_own_is_told_of_the_approval_in_general_words() {
    let mut story = two_turns(OPTIMIZER).round(|round| (round.approved, round.input) = (true, None));
    let mut team = Team::clone(&story.view.team);
    team.agents[2].id = id("Editor");
    story.view.team = Arc::new(team);
    story.running.agent = id("Editor");
    assert!(story.text().ends_with("[notice] 用户已同意以上方案。请结合以上各方的意见，给出最终答案。"));
}

#[test]
fn conversation_beside_the_run_goes_to_no_model() {
    let story = two_turns(GENERATOR)
        .message(31, person("Ann", 1), "SECRET beside the run", |message| message.run = None)
        .message(32, person("Ann", 1), "SECRET to people", |message| message.to = vec![Target::People])
        .message(33, Actor::system(), "SECRET of the system", |_| {})
        .person(34, "SECRET that waits")
        .person(35, "now");
    let mut story = story.round(|round| round.input = Some(MessageId(35)));
    story.view.inbox.push(QueuedMessage { message: MessageId(34), mode: Mode::Queue, to: vec![] });
    assert!(!story.text().contains("SECRET"), "{}", story.text());
    assert!(story.text().ends_with(&says("feedback", "Ann", 1, "", "now")));
}

#[test]
fn agents_side_by_side_do_not_read_each_other() {
    let story = first_round(REVIEWER)
        .agent(11, GENERATOR, "[用例]")
        .message(901, actor("Security_Tester"), "BESIDE", |message| message.step = Some(StepId(900)))
        .round(|round| round.done_agents = vec![id(GENERATOR), id("Security_Tester")]);
    assert!(story.text().contains("[用例]"));
    assert!(!story.text().contains("BESIDE"));
}

#[test]
fn a_steer_comes_after_what_the_agent_wrote_before_it() {
    // The steer was posted while the agent was writing: it precedes the text among the messages, but not in the prompt.
    let story = first_round(GENERATOR).person(905, "只写三条").message(901, actor(GENERATOR), "[用例]", |message| {
        message.step = Some(StepId(900));
    });
    let (question, generated) = (ann("生成支付接口的测试用例"), agents(GENERATOR, "[用例]"));
    let feedback = says("feedback", "Ann", 1, "", "只写三条");
    assert_eq!(story.text(), format!("对话历史：\n{question}\n\n{generated}\n\n{feedback}"));
}

#[test]
fn an_interrupted_text_is_marked() {
    let story = first_round(GENERATOR)
        .message(11, actor(GENERATOR), "一半", |message| message.aborted = Some(AbortReason::Interrupted))
        .message(12, actor(REVIEWER), "", |message| message.aborted = Some(AbortReason::Interrupted))
        .person(21, "短一些")
        .round(|round| round.input = Some(MessageId(21)));
    let (question, feedback) = (ann("生成支付接口的测试用例"), says("feedback", "Ann", 1, "", "短一些"));
    let half = "[message from=agent id=TestCase_Generator incomplete=interrupted]\n| 一半";
    assert_eq!(story.text(), format!("对话历史：\n{question}\n\n{half}\n\n{feedback}"));
}

#[test]
fn several_people_are_told_apart() {
    let story = two_turns(GENERATOR)
        .message(31, person("Bo", 2), "短一些", |_| {})
        .round(|round| round.input = Some(MessageId(31)));
    assert_eq!(story.text(), format!("{}\n\n{}", before(), says("feedback", "Bo", 2, "", "短一些")));
}

#[test]
fn bots_and_guests_are_shown_as_what_they_are() {
    let bot = Actor { kind: ActorKind::Bot, role: Some(Role::Bot), ..person("ci", 3) };
    let guest = Actor { guest: true, role: Some(Role::Reviewer), ..person("operator", 4) };
    let story = two_turns(GENERATOR).message(31, bot, "red", |_| {}).message(32, guest, "approved", |_| {});
    let text = story.round(|round| round.input = Some(MessageId(31))).text();
    assert!(text.contains(&format!("[feedback from=bot id=u_{:032x} role=bot name=\"ci\"]\n| red", 3)), "{text}");
    let named = format!("[feedback from=user id=u_{:032x} role=reviewer guest=true name=\"operator\"]", 4);
    assert!(text.contains(&named), "{text}");
}

#[test]
fn a_second_run_begins_with_its_own_words_after_the_history() {
    let mut story = two_turns(GENERATOR)
        .message(31, person("Ann", 1), "再写退款接口", |message| message.run = Some(RunId(2)))
        .round(|round| round.input = Some(MessageId(31)));
    let run = story.view.run.as_mut().expect("a run");
    (run.id, run.input) = (RunId(2), MessageId(31));
    assert_eq!(story.text(), format!("{}\n\n{}", before(), ann("再写退款接口")));
}

#[test]
fn words_that_waited_stand_after_what_was_written_meanwhile() {
    // The message was posted while the generator was writing, and is first read in the reviewer's step.
    let story = first_round(REVIEWER)
        .person(15, "只看安全")
        .agent(11, GENERATOR, "[用例]")
        .round(|round| round.done_agents = vec![id(GENERATOR)]);
    let feedback = says("feedback", "Ann", 1, "", "只看安全");
    assert!(story.text().ends_with(&format!("| [用例]\n\n{feedback}")), "{}", story.text());

    // The message is taken from the inbox after the reviewer, as the input of a separate round.
    let story = two_turns(GENERATOR).person(15, "只看安全").round(|round| round.input = Some(MessageId(15)));
    assert!(story.text().ends_with(&format!("| [意见]\n\n{feedback}")), "{}", story.text());
}

#[path = "prompt_authors_tests.rs"]
mod authors;
#[path = "prompt_calls_tests.rs"]
mod calls;
#[path = "prompt_monitors_tests.rs"]
mod monitors;
#[path = "prompt_window_tests.rs"]
mod window;
