//! The script: recognizes the agent, language, subject and feedback of a request, and chooses the text of the response.

mod en;
mod parse;
mod zh;

use serde::Deserialize;
use serde_json::Value;

use super::story::Story;
use super::task_context::{DemoTask, Finding, TaskContext};

pub(super) use parse::phrase;
use parse::{entries, is_chinese, parts, subject, text_of, tool_result};

/// Agent that the request is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ScriptRole {
    /// Author of test cases.
    Generator,
    /// Reviewer of test cases.
    Reviewer,
    /// Author of the final test cases.
    Optimizer,
    /// Any other agent.
    Someone,
}

/// Topic with its own section in the test cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Topic {
    Boundary,
    Performance,
    Security,
}

/// A request, as far as the script understands it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Scene {
    pub(super) part: ScriptRole,
    pub(super) chinese: bool,
    /// Subject of the conversation, taken from its first message.
    pub(super) subject: String,
    /// First message.
    pub(super) request: String,
    /// People's later messages, oldest first.
    pub(super) feedback: Vec<String>,
    /// Newest message, with all of its lines.
    pub(super) newest: String,
    /// The agent's task, plan and earlier results.
    pub(super) work: TaskContext,
    /// Results of tool calls, oldest first: tool name and text.
    pub(super) brought: Vec<(String, String)>,
}

impl Scene {
    /// Reads the scene from the messages of a request.
    pub(super) fn read(messages: &[Value]) -> Self {
        let of_role = |role: &str| messages.iter().filter(|m| m["role"] == role).map(text_of).collect::<Vec<_>>();
        let system = of_role("system").join("\n");
        let mut texts: Vec<String> = of_role("user").iter().flat_map(|text| entries(text)).collect();
        let request = if texts.is_empty() { String::new() } else { texts.remove(0) };
        let last = texts.last().unwrap_or(&request);
        let chinese = is_chinese(last) || (is_chinese(&request) && !last.chars().any(char::is_alphabetic));
        let given = of_role("user");
        let work = TaskContext::read(&given.iter().flat_map(|message| parts(message)).collect::<Vec<_>>());
        Self {
            part: role_of(&system),
            chinese,
            subject: subject(&request),
            request,
            feedback: texts,
            newest: given.last().and_then(|message| entries(message).pop()).unwrap_or_default(),
            work,
            brought: tool_results(messages),
        }
    }

    /// Returns whether this is the first text of the run, so that no earlier text has the label that marks it as
    /// scripted.
    fn is_first(&self) -> bool {
        let nothing_found = self.work.found.is_empty() && self.brought.is_empty();
        match &self.work.task {
            DemoTask::Summarize => false,
            // If steps have agents, no agent writes text before the first step.
            DemoTask::Step { number, .. } => {
                let has_agent = self.work.plan.first().is_some_and(|step| step.agent.is_some());
                *number == 1 && has_agent && nothing_found
            }
            DemoTask::Answer if self.part != ScriptRole::Someone => {
                !self.work.is_in_progress && self.brought.is_empty()
            }
            DemoTask::Answer | DemoTask::KeepPlan => nothing_found,
        }
    }

    /// Returns the variant of a text in the language of the request.
    pub(super) fn say(&self, chinese: impl Into<String>, english: impl Into<String>) -> String {
        if self.chinese { chinese.into() } else { english.into() }
    }

    /// Returns whether people's messages contain one of these phrases, ignoring case.
    pub(super) fn wants(&self, keywords: &[&str]) -> bool {
        let texts = std::iter::once(&self.request).chain(&self.feedback).map(|texts| texts.to_lowercase());
        texts.into_iter().any(|texts| keywords.iter().any(|word| texts.contains(word)))
    }

    /// Returns the story that the first message begins, if the message is the prompt starter of a story.
    pub(super) fn story(&self) -> Option<&'static Story> {
        Story::of(&self.request)
    }

    /// Returns the whole text of the response. The first text of a run has the label that marks it as scripted.
    pub(super) fn answer(&self) -> String {
        let message = if self.was_refused() {
            Some(self.refusal_answer())
        } else {
            self.story().and_then(|story| story.text(self))
        };
        self.labelled(message.unwrap_or_else(|| self.form()))
    }

    fn labelled(&self, text: String) -> String {
        match (self.is_first(), self.chinese) {
            (false, _) => text,
            (true, true) => format!("{}{text}", zh::LABEL),
            (true, false) => format!("{}{text}", en::LABEL),
        }
    }

    /// Returns whether the newest call of a story failed, for example because a person rejected it.
    fn was_refused(&self) -> bool {
        let newest = self.brought.last().and_then(|(_, results)| serde_json::from_str::<Value>(results).ok());
        self.story().is_some() && newest.is_some_and(|results| results["error"].is_string())
    }

    fn refusal_answer(&self) -> String {
        self.say(
            "这次调用没有成功，预设的脚本到此为止。真实模型会在这里换一种做法。",
            "This call was not made, and the script ends here. A real model would take another way now.",
        )
    }

    /// Returns the tool results verbatim.
    pub(super) fn found(&self) -> String {
        if self.chinese { zh::tool_results(self) } else { en::tool_results(self) }
    }

    /// Returns the text of the response if it does not come from a story.
    fn form(&self) -> String {
        match &self.work.task {
            DemoTask::Step { .. } if self.part == ScriptRole::Generator && self.brought.is_empty() => {}
            DemoTask::Step { number, action } if self.chinese => return zh::step(self, *number, action),
            DemoTask::Step { number, action } => return en::step(self, *number, action),
            DemoTask::Summarize if self.chinese => return zh::summary(self, &self.work.found),
            DemoTask::Summarize => return en::summary(self, &self.work.found),
            DemoTask::Answer | DemoTask::KeepPlan if self.brought.is_empty() => {}
            DemoTask::Answer | DemoTask::KeepPlan if self.chinese => return zh::tool_result_reply(self),
            DemoTask::Answer | DemoTask::KeepPlan => return en::tool_result_reply(self),
        }
        match (self.chinese, self.part) {
            (true, ScriptRole::Generator) => zh::cases(self),
            (true, ScriptRole::Reviewer) => zh::review(self),
            (true, ScriptRole::Optimizer) => zh::final_cases(self),
            (true, ScriptRole::Someone) => zh::fallback(self),
            (false, ScriptRole::Generator) => en::cases(self),
            (false, ScriptRole::Reviewer) => en::review(self),
            (false, ScriptRole::Optimizer) => en::final_cases(self),
            (false, ScriptRole::Someone) => en::fallback(self),
        }
    }

    /// Returns a summary in one sentence.
    pub(super) fn summary(&self) -> String {
        match self.chinese {
            true => format!("（演示模型的预设回答）关于「{}」。", self.subject),
            false => format!("(scripted answer of the demo model) About {}.", self.subject),
        }
    }

    /// Returns the text that precedes tool calls.
    pub(super) fn thought(&self, tools: &[&str]) -> String {
        if tools.iter().all(|tool| *tool == "plan") {
            return self.labelled(self.say("我来更新计划。", "I bring the plan up to date."));
        }
        let tools = tools.join(", ");
        self.labelled(self.say(format!("先使用 {tools}。"), format!("First I use {tools}.")))
    }

    /// Returns the number of the text's version, from 1. Each feedback message leads to a new version.
    pub(super) fn version(&self) -> usize {
        self.feedback.len() + 1
    }

    /// Returns the topics that people asked for, without duplicates.
    pub(super) fn topics(&self) -> Vec<Topic> {
        let text = self.feedback.join("\n").to_lowercase();
        let has = |needles: &[&str]| needles.iter().any(|needle| text.contains(needle));
        let mut topics = vec![];
        if has(&["边界", "临界", "boundary", "boundaries", "edge case", "limits"]) {
            topics.push(Topic::Boundary);
        }
        if has(&["性能", "并发", "压力", "performance", "concurren", "load test", "stress"]) {
            topics.push(Topic::Performance);
        }
        if has(&["安全", "注入", "越权", "security", "injection", "permission"]) {
            topics.push(Topic::Security);
        }
        topics
    }
}

/// Returns the results in the request's tool messages, each with the name of its tool.
fn tool_results(messages: &[Value]) -> Vec<(String, String)> {
    let calls = messages.iter().filter_map(|message| message["tool_calls"].as_array()).flatten();
    let calls: Vec<(&Value, &str)> =
        calls.filter_map(|call| Some((&call["id"], call["function"]["name"].as_str()?))).collect();
    let answers = messages.iter().filter(|message| message["role"] == "tool");
    answers
        .map(|answer| {
            let name = calls.iter().find(|(id, _)| **id == answer["tool_call_id"]).map_or("tool", |(_, name)| name);
            (name.to_owned(), tool_result(&text_of(answer)))
        })
        .collect()
}

/// Maximum number of bytes of a tool result that a text shows.
const MAX_BLOCK_BYTES: usize = 1_200;

/// Returns text as a Markdown code block. Long text is cut at the end of a line.
fn block(text: &str) -> String {
    let mut room = MAX_BLOCK_BYTES;
    let fits = |line: &&str| room.checked_sub(line.len() + 1).inspect(|left| room = *left).is_some();
    let short: Vec<&str> = text.trim_end().lines().take_while(fits).collect();
    let more = if short.len() < text.trim_end().lines().count() { "\n…" } else { "" };
    format!("````text\n{}{more}\n````\n", short.join("\n"))
}

/// Returns the findings as table rows.
fn list_findings(found: &[Finding]) -> String {
    let line = |found: &Finding| {
        let step = found.step.map_or_else(|| "–".to_owned(), |step| step.to_string());
        format!("| {step} | {} |\n", found.gist().unwrap_or_else(|| "…".into()).replace('|', "\\|"))
    };
    found.iter().map(line).collect()
}

/// Returns the role whose keyword comes first in the system prompt, because a prompt names its own agent before others.
fn role_of(system: &str) -> ScriptRole {
    let system = system.to_lowercase();
    let keywords: [(ScriptRole, &[&str]); 3] = [
        (ScriptRole::Generator, &["generator", "author", "writer", "生成", "编写"]),
        (ScriptRole::Reviewer, &["reviewer", "critic", "评审", "审查"]),
        (ScriptRole::Optimizer, &["optimizer", "optimiser", "editor", "优化"]),
    ];
    let first = |needles: &[&str]| needles.iter().filter_map(|needle| system.find(needle)).min();
    let parts = keywords.iter().filter_map(|(part, needles)| Some((first(needles)?, *part)));
    parts.min_by_key(|(at, _)| *at).map_or(ScriptRole::Someone, |(_, part)| part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::teams::builtin_teams;
    use serde_json::json;

    fn scene(system: &str, user: &str) -> Scene {
        Scene::read(&[json!({"role": "system", "content": system}), json!({"role": "user", "content": user})])
    }

    #[test]
    fn the_built_in_agents_play_their_parts() {
        for team in builtin_teams::all() {
            let system = |prompt: &str| format!("{prompt}\n\n{}", crate::agent::reading_guide(team.language));
            let parts: Vec<_> = team.agents.iter().map(|agent| role_of(&system(&agent.prompt))).collect();
            let expected: &[ScriptRole] = match &*team.flow {
                "review" => &[ScriptRole::Generator, ScriptRole::Reviewer, ScriptRole::Optimizer],
                "brain" => &[ScriptRole::Someone, ScriptRole::Someone, ScriptRole::Someone, ScriptRole::Generator],
                _ => &vec![ScriptRole::Someone; parts.len()],
            };
            assert_eq!(parts, expected, "{}", team.name);
        }
        assert_eq!(role_of("You are a pirate."), ScriptRole::Someone);
    }

    #[test]
    fn an_answer_is_about_the_subject_in_the_language_of_the_question() {
        let table = [
            ("生成支付接口的测试用例", "支付接口", true),
            ("Write test cases for the payment interface", "payment interface", false),
        ];
        for (question, subject, chinese) in table {
            for system in ["You are the generator", "You are the reviewer", "You are the optimizer", "You are a pirate"]
            {
                let scene = scene(system, question);
                assert_eq!((&*scene.subject, scene.chinese), (subject, chinese));
                let answer = scene.answer();
                assert!(answer.contains(subject), "{answer}");
                assert!(answer.contains(if chinese { "演示" } else { "scripted" }), "{answer}");
                assert_eq!(is_chinese(&answer), chinese);
                assert!((200..1_500).contains(&answer.len()), "{system}: {} bytes", answer.len());
            }
        }
    }

    #[test]
    fn long_words_are_quoted_by_no_script_and_followed_by_none() {
        let long = [
            "Please look at the following stack trace and make the cases far more detailed than they are now\n\
             at Checkout.pay (checkout.js:17)\nat Queue.next (queue.js:4), and keep the numbers",
            "请根据下面的完整错误堆栈把每一条用例都写得比现在详细得多并且保留原来的编号不要改动\n\
             at Checkout.pay (checkout.js:17)\nat Queue.next (queue.js:4)，并补充说明",
        ];
        let steps = ["", "[step number=2 part=action]\n| ", "[notice] Write the final answer from all results above"];
        for text in long {
            let quoted = text.replace('\n', "\n| ");
            for (system, step) in ["generator", "reviewer", "optimizer", "pirate"]
                .into_iter()
                .flat_map(|system| steps.map(|step| (system, step)))
            {
                let step = if step.ends_with("| ") { format!("{step}{quoted}") } else { step.to_owned() };
                let answer = scene(
                    system,
                    &format!(
                        "[message from=user id=u_1]\n| {quoted}\n\n[message from=agent id=G]\n| x\n\n\
                         [feedback from=user id=u_1]\n| {quoted}\n\n{step}"
                    ),
                )
                .answer();
                let letters: Vec<char> = text.chars().collect();
                let mut pieces = letters.windows(25).map(|piece| piece.iter().collect::<String>());
                assert_eq!(pieces.find(|piece| answer.contains(piece)), None, "{answer}");
                for claim in ["✅", "Followed", "is included", "is done", "已据此", "已纳入", "已完成", "已注意到"]
                {
                    assert!(!answer.contains(claim), "{claim}: {answer}");
                }
                assert!(answer.contains(if is_chinese(text) { "真实模型会" } else { "real model would" }), "{answer}");
                assert!(answer.len() < 1_500, "{} bytes: {answer}", answer.len());
            }
        }
    }

    #[test]
    fn feedback_is_answered() {
        let first = "对话历史：\n[message from=user id=u_1]\n| 生成支付接口的测试用例\n\n\
                     [message from=agent id=TestCase_Generator]\n| 第一版";
        let plain = scene("generator", first);
        assert_eq!((plain.version(), plain.topics()), (1, vec![]));
        let scene_with = |text: &str| scene("generator", &format!("{first}\n\n[feedback from=user id=u_1]\n| {text}"));
        for (text, heading, topic) in
            [("请添加边界测试用例", "### 边界", Topic::Boundary), ("请添加性能测试", "### 性能", Topic::Performance)]
        {
            let scene = scene_with(text);
            assert_eq!((scene.version(), scene.topics()), (2, vec![topic]));
            assert!(scene.answer().contains(heading));
            assert!(!plain.answer().contains(heading));
        }
        let other = scene_with("请用敬语");
        assert!(other.answer().contains("请用敬语"));
    }

    #[test]
    fn the_newest_words_choose_the_language() {
        let texts = "[message from=user id=u_1]\n| 生成支付接口的测试用例\n\n[feedback from=user id=u_1]\n| please answer in English";
        let scene = scene("generator", texts);
        assert!(!scene.chinese);
    }
}
