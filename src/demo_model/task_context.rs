//! Reads an agent's task, its plan and the results of other agents from the agent's prompt.

use serde_json::Value;

use super::prompt_parser::{PromptPart, QuotedBlock};

/// Maximum width of a quoted sentence, in characters; non-ASCII characters count double.
const MAX_SENTENCE_CHARS: usize = 120;

/// Task of the agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum DemoTask {
    /// Reply to a message.
    Answer,
    /// Maintain the plan with the plan tool.
    KeepPlan,
    /// Execute one step of the plan.
    Step {
        /// Number of the step, from 1.
        number: usize,
        /// Description of the step.
        action: String,
    },
    /// Write the final summary of the results.
    Summarize,
}

/// A step of the plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DemoPlanItem {
    pub(super) number: usize,
    /// Mark of the step's state: the character in `[ ]`, `[→]`, `[✓]`, `[!]` or `[–]`.
    pub(super) mark: char,
    pub(super) agent: Option<String>,
    /// True if the step has a note about its result.
    pub(super) noted: bool,
}

impl DemoPlanItem {
    pub(super) fn is_open(&self) -> bool {
        matches!(self.mark, ' ' | '→')
    }
}

/// A result of an agent or a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Finding {
    /// Number of the step that it belongs to; `None` for a reply to a message.
    pub(super) step: Option<usize>,
    /// Tool that returned the result; `None` for an agent's text.
    pub(super) tool: Option<String>,
    pub(super) text: String,
}

impl Finding {
    /// Returns the first sentence. Returns `None` if there is no sentence, or if it is too long, because a truncated
    /// sentence would look like a bug.
    pub(super) fn gist(&self) -> Option<String> {
        let says = |line: &&str| !line.is_empty() && !line.starts_with(['>', '#', '|', '`']);
        let line = self.text.lines().map(str::trim).find(says)?;
        let ends = line.char_indices().find_map(|(at, letter)| {
            let end = at + letter.len_utf8();
            let is_end = "。！？".contains(letter) || (".!?".contains(letter) && line[end..].starts_with(' '));
            is_end.then_some(end)
        });
        let sentence = &line[..ends.unwrap_or(line.len())];
        let width: usize = sentence.chars().map(|letter| if letter.is_ascii() { 1 } else { 2 }).sum();
        (width <= MAX_SENTENCE_CHARS).then(|| sentence.to_owned())
    }
}

/// Contents of an agent's prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TaskContext {
    pub(super) task: DemoTask,
    pub(super) plan: Vec<DemoPlanItem>,
    pub(super) found: Vec<Finding>,
    /// True if the prompt contains text from an agent.
    pub(super) is_in_progress: bool,
}

impl TaskContext {
    /// Reads the parts of an agent's prompt.
    pub(super) fn read(parts: &[PromptPart]) -> Self {
        let mut work = Self { task: DemoTask::Answer, plan: vec![], found: vec![], is_in_progress: false };
        for part in parts {
            match part {
                PromptPart::Line(line) => {
                    work.plan.extend(parse_plan_item(line));
                    work.task = parse_task(line).unwrap_or(work.task);
                }
                PromptPart::Block(block) if block.kind == "step" && block.field("part") == Some("action") => {
                    let number = block.field("number").and_then(|number| number.parse().ok()).unwrap_or(0);
                    work.task = DemoTask::Step { number, action: block.text() };
                }
                PromptPart::Block(block) => {
                    if block.is_by_people() {
                        work.found.retain(|found| found.step.is_some());
                    }
                    work.is_in_progress |= block.field("from") == Some("agent");
                    work.found.extend(parse_finding(block));
                }
            }
        }
        work
    }

    /// Returns the first open step of the plan; `None` if all steps are closed.
    pub(super) fn next(&self) -> Option<&DemoPlanItem> {
        self.plan.iter().find(|step| step.is_open())
    }

    /// Returns whether a step has more than one result.
    pub(super) fn has_repeated_step(&self) -> bool {
        let mut steps: Vec<_> = self.found.iter().filter_map(|found| found.step).collect();
        let all = steps.len();
        steps.sort_unstable();
        steps.dedup();
        steps.len() < all
    }
}

fn parse_task(line: &str) -> Option<DemoTask> {
    let line = line.strip_prefix("[notice] ")?;
    let begins = |heads: [&str; 2]| heads.iter().any(|head| line.starts_with(head));
    if begins(["Maintain the plan with the plan tool", "请用 plan 工具维护计划"]) {
        return Some(DemoTask::KeepPlan);
    }
    begins(["Write the final answer from all results", "请根据以上全部结果"]).then_some(DemoTask::Summarize)
}

/// Parses a line of a plan, such as `2. [✓] "Look it up" agent=knowledge note="good"`.
fn parse_plan_item(line: &str) -> Option<DemoPlanItem> {
    let (number, rest) = line.split_once(". [")?;
    let mut letters = rest.chars();
    let mark = letters.next()?;
    let rest = letters.as_str().strip_prefix("] ")?;
    let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
    values.next()?.ok().filter(Value::is_string)?;
    let fields = &rest[values.byte_offset()..];
    let agent = fields.strip_prefix(" agent=").map(|agent| agent.split(' ').next().unwrap_or_default().to_owned());
    Some(DemoPlanItem { number: number.parse().ok()?, mark, agent, noted: fields.contains(" note=") })
}

/// Returns the finding that a block contains: the result of a step, or an agent's text; `None` if the block contains
/// neither.
fn parse_finding(block: &QuotedBlock) -> Option<Finding> {
    let text = block.text();
    let step = block.field("step").and_then(|step| step.parse().ok());
    let is_result = matches!(&*block.kind, "result" | "answer") && step.is_some();
    let is_answer = block.kind == "message" && block.field("from") == Some("agent");
    let by_tool = || block.field("name").filter(|_| block.field("from") == Some("tool"));
    let tool = block.field("tool").or_else(by_tool).map(str::to_owned);
    (is_result || is_answer).then_some(Finding { step, tool, text })
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIVEN: &str = "Conversation so far:\n[message from=user id=u_1]\n| look into it\n\n\
        [result step=1 from=agent id=knowledge]\n| > 🎭 **Demo**\n|\n| All is well.\n\n\
        [result step=2 for=b from=tool name=\"read\" arguments={}]\n| second\n\n\
        [plan title=\"It\"]\n1. [✓] \"Look\" agent=knowledge note=\"good\"\n2. [✓] \"Think<sep>Guess\" agent=b\n\
        3. [ ] \"Write\" agent=testcase\n\n[notice] Do step 3, quoted below.\n\n\
        [step number=3 part=action]\n| Write\n\n[step number=3 part=reason]\n| because";

    fn read(text: &str) -> TaskContext {
        TaskContext::read(&super::super::prompt_parser::parse(text).expect("reads"))
    }

    #[test]
    fn a_task_is_read_with_plan_and_results() {
        let work = read(GIVEN);
        assert_eq!(work.task, DemoTask::Step { number: 3, action: "Write".into() });
        let plan: Vec<_> =
            work.plan.iter().map(|step| (step.number, step.mark, step.agent.as_deref(), step.noted)).collect();
        let expected =
            [(1, '✓', Some("knowledge"), true), (2, '✓', Some("b"), false), (3, ' ', Some("testcase"), false)];
        assert_eq!(plan, expected);
        assert_eq!(work.next().map(|step| step.number), Some(3));
        let found: Vec<_> = work.found.iter().map(|found| (found.step, found.gist(), found.tool.as_deref())).collect();
        let gist = |text: &str| Some(text.to_owned());
        assert_eq!(found, [(Some(1), gist("All is well."), None), (Some(2), gist("second"), Some("read"))]);
        assert!(!work.has_repeated_step());
    }

    #[test]
    fn a_gist_is_a_whole_sentence_or_nothing() {
        let gist = |text: &str| Finding { step: None, tool: None, text: text.into() }.gist();
        assert_eq!(gist("## Head\n\nThe cache is v1.2 old. Renew it.").as_deref(), Some("The cache is v1.2 old."));
        assert_eq!(gist("缓存已过期。请更新").as_deref(), Some("缓存已过期。"));
        assert_eq!(gist(&"word ".repeat(30)), None);
        assert_eq!(gist("> only\n# heads"), None);
    }

    #[test]
    fn tasks_are_told_apart_in_both_languages() {
        let table = [
            ("hello", DemoTask::Answer),
            ("[notice] Maintain the plan with the plan tool: create it", DemoTask::KeepPlan),
            ("[message from=user id=u_1]\n| Maintain the plan with the plan tool: create it", DemoTask::Answer),
            ("[notice] 请用 plan 工具维护计划：没有计划时创建", DemoTask::KeepPlan),
            ("[notice] 请根据以上全部结果，给出最终答案。", DemoTask::Summarize),
            ("[step number=2 part=action]\n| 检索", DemoTask::Step { number: 2, action: "检索".into() }),
        ];
        for (text, task) in table {
            assert_eq!(read(text).task, task, "{text}");
        }
    }

    #[test]
    fn agents_that_answer_words_are_heard_by_who_sums_up() {
        let text = "[message from=user id=u_1]\n| why?\n\n[message from=agent id=Researcher]\n| > 🎭 scripted\n|\n| Because.\n\n\
                    [notice] Write the final answer from all results above.";
        let work = read(text);
        assert_eq!((work.task, work.found[0].gist()), (DemoTask::Summarize, Some("Because.".into())));
    }
}
