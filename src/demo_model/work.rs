//! Reads what an agent of a flow is given beside people's words: its task, the plan, and what the others have found.

/// What is to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Task {
    /// Answer the words.
    Answer,
    /// Keep the plan with the tool for it.
    KeepPlan,
    /// Do a step.
    Step {
        /// Its number.
        number: usize,
        /// What it is.
        action: String,
    },
    /// Make the final answer of what was found.
    Summarize,
}

/// A step of the plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) number: usize,
    /// `[ ]`, `[→]`, `[✓]`, `[!]`, `[–]`.
    pub(super) mark: char,
    pub(super) agent: Option<String>,
    /// Somebody has written down what came of it.
    pub(super) noted: bool,
}

impl Step {
    pub(super) fn is_open(&self) -> bool {
        matches!(self.mark, ' ' | '→')
    }
}

/// What somebody has found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    /// For which step; none: for the words.
    pub(super) step: Option<usize>,
    pub(super) text: String,
}

impl Found {
    /// Its first words that say something.
    pub(super) fn gist(&self) -> String {
        let says = |line: &&str| !line.is_empty() && !line.starts_with(['>', '#', '|', '`']);
        let line = self.text.lines().map(str::trim).find(says).unwrap_or_default();
        line.chars().take(160).collect()
    }
}

/// Everything that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Work {
    pub(super) task: Task,
    pub(super) plan: Vec<Step>,
    pub(super) found: Vec<Found>,
}

impl Work {
    /// Read the words that an agent was given.
    pub(super) fn read(text: &str) -> Self {
        let mut work = Self { task: Task::Answer, plan: vec![], found: vec![] };
        let mut open = None::<Found>;
        for line in text.lines() {
            if let Some(found) = found(line) {
                work.found.extend(open.replace(found));
            } else if ends_result(line) {
                work.found.extend(open.take());
            } else if let Some(found) = &mut open {
                found.text.push('\n');
                found.text.push_str(line);
                continue;
            }
            work.plan.extend(planned(line));
            if let Some(task) = task(line) {
                work.task = task;
            }
        }
        work.found.extend(open);
        work
    }

    /// The first step that is not done.
    pub(super) fn next(&self) -> Option<&Step> {
        self.plan.iter().find(|step| step.is_open())
    }

    /// Whether some step was done more than once.
    pub(super) fn has_repeated(&self) -> bool {
        let mut steps: Vec<_> = self.found.iter().filter_map(|found| found.step).collect();
        let all = steps.len();
        steps.sort_unstable();
        steps.dedup();
        steps.len() < all
    }
}

fn after<'a>(line: &'a str, heads: &[&str]) -> Option<&'a str> {
    heads.iter().find_map(|head| line.strip_prefix(head))
}

fn task(line: &str) -> Option<Task> {
    if after(line, &["Keep the plan with the tool plan", "请用 plan 工具维护计划"]).is_some() {
        return Some(Task::KeepPlan);
    }
    if after(line, &["Write the final answer, from everything", "请根据以上全部结果"]).is_some() {
        return Some(Task::Summarize);
    }
    let (number, action) = after(line, &["Do step ", "请完成步骤 "])?.split_once([':', '：'])?;
    Some(Task::Step { number: number.trim().parse().ok()?, action: action.trim().to_owned() })
}

/// "2. [✓] Look it up (knowledge) – found two".
fn planned(line: &str) -> Option<Step> {
    let (number, rest) = line.split_once(". [")?;
    let mut letters = rest.chars();
    let mark = letters.next()?;
    let (action, noted) = match letters.as_str().strip_prefix("] ")?.split_once(" – ") {
        Some((action, _)) => (action, true),
        None => (letters.as_str().strip_prefix("] ")?, false),
    };
    let agent = action.strip_suffix(')').and_then(|action| action.rsplit_once(" (")).map(|(_, agent)| agent.to_owned());
    Some(Step { number: number.parse().ok()?, mark, agent, noted })
}

/// "Result of step 2 (knowledge): …", or an agent's words: "Researcher: …".
fn found(line: &str) -> Option<Found> {
    if let Some(rest) = after(line, &["Result of step ", "步骤结果 "]) {
        let (number, text) = rest.split_once(" (")?;
        let (_, text) = text.split_once("): ")?;
        return Some(Found { step: Some(number.parse().ok()?), text: text.to_owned() });
    }
    let (who, text) = line.split_once(": ")?;
    let is_name = who.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-".contains(letter));
    let is_person = who.starts_with("User") || who.is_empty();
    (is_name && !is_person && text.starts_with("> 🎭")).then(|| Found { step: None, text: text.to_owned() })
}

/// What cannot be part of a result any more.
fn ends_result(line: &str) -> bool {
    let heads = ["The plan: ", "当前计划：", "User: ", "User feedback", "用户: ", "用户反馈"];
    after(line, &heads).is_some() || task(line).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIVEN: &str = "Conversation so far:\nUser: look into it\n\nResult of step 1 (knowledge): > 🎭 **Demo**\n\n\
        All is well.\n\nResult of step 2 (b): second\n\nThe plan: It\n1. [✓] Look (knowledge) – good\n\
        2. [✓] Think<sep>Guess (b)\n3. [ ] Write (testcase)\n\nDo step 3: Write\nWhy: because";

    #[test]
    fn a_task_is_read_with_plan_and_results() {
        let work = Work::read(GIVEN);
        assert_eq!(work.task, Task::Step { number: 3, action: "Write".into() });
        let plan: Vec<_> =
            work.plan.iter().map(|step| (step.number, step.mark, step.agent.as_deref(), step.noted)).collect();
        let wanted = [(1, '✓', Some("knowledge"), true), (2, '✓', Some("b"), false), (3, ' ', Some("testcase"), false)];
        assert_eq!(plan, wanted);
        assert_eq!(work.next().map(|step| step.number), Some(3));
        let found: Vec<_> = work.found.iter().map(|found| (found.step, found.gist())).collect();
        assert_eq!(found, [(Some(1), "All is well.".into()), (Some(2), "second".to_owned())]);
        assert!(!work.has_repeated());
    }

    #[test]
    fn tasks_are_told_apart_in_both_languages() {
        let table = [
            ("hello", Task::Answer),
            ("Keep the plan with the tool plan: create it", Task::KeepPlan),
            ("请用 plan 工具维护计划：没有计划时创建", Task::KeepPlan),
            ("请根据以上全部结果，给出最终答案。", Task::Summarize),
            ("请完成步骤 2：检索", Task::Step { number: 2, action: "检索".into() }),
        ];
        for (text, task) in table {
            assert_eq!(Work::read(text).task, task, "{text}");
        }
    }

    #[test]
    fn agents_that_answer_words_are_heard_by_who_sums_up() {
        let text = "Conversation so far:\nUser: why?\n\nResearcher: > 🎭 scripted\n\nBecause.\n\nWrite the final answer, from everything that was found above.";
        let work = Work::read(text);
        assert_eq!((work.task, work.found[0].gist()), (Task::Summarize, "Because.".into()));
    }
}
