//! Prewritten responses to the prompt starters of the built-in teams, so that a demo without a model shows realistic
//! work.

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::Value;

use super::script::{Scene, ScriptRole};
use super::task_context::DemoTask;
use super::tool_calls::{DemoCall, OfferedTool};

/// A story: the responses of a team's agents to one prompt starter.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Story {
    /// Prompt starter that selects the story.
    starter: String,
    /// Title of the session and of its plan.
    #[serde(default)]
    pub(super) title: String,
    /// Estimated time that the plan states.
    #[serde(default)]
    pub(super) time: String,
    /// Risks that the plan states.
    #[serde(default)]
    pub(super) risks: Vec<String>,
    /// Flow that the router chooses; if absent, the length of the request decides.
    pub(super) flow: Option<String>,
    /// Steps of the plan.
    #[serde(default)]
    pub(super) steps: Vec<StoryPlanItem>,
    /// Question that an investigation asks people once, if any.
    pub(super) question: Option<StoryQuestion>,
    /// Findings of an investigation, if the story is one.
    pub(super) findings: Option<Value>,
    /// Responses of the agents.
    #[serde(default)]
    says: Vec<StoryLine>,
}

/// A step in a plan.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StoryPlanItem {
    /// Description of the step.
    pub(super) action: String,
    /// Id of the step's agent.
    pub(super) agent: Option<String>,
    /// Reason for the step.
    #[serde(default)]
    pub(super) reason: String,
    /// Tool of the step, in an investigation.
    pub(super) tool: Option<String>,
    /// Arguments of the tool.
    #[serde(default)]
    pub(super) arguments: Value,
}

impl StoryPlanItem {
    /// Returns whether the request offers the step's tool.
    pub(super) fn is_offered(&self, tools: &[OfferedTool]) -> bool {
        tools.iter().any(|(name, _)| Some(*name) == self.tool.as_deref())
    }
}

/// A question for people.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StoryQuestion {
    /// Text of the question.
    pub(super) prompt: String,
    /// Reason for the question.
    pub(super) context: String,
}

/// One response of an agent. If a task has several lines, each line is used after the result of the previous line's
/// call.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoryLine {
    /// Agent of the line, in a team with the `review` flow. If absent, the line fits every agent.
    part: Option<ScriptRole>,
    /// First version of the text for which the line is used.
    #[serde(default)]
    round: usize,
    /// Action of the plan's step whose result is this line.
    action: Option<String>,
    /// True if the line is the final summary.
    #[serde(default)]
    sum: bool,
    /// Text of the response, with placeholders for tool results.
    text: String,
    /// Tool call of the response, if any.
    call: Option<StoryCall>,
}

/// A tool call of a response.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoryCall {
    /// Name of the tool.
    tool: String,
    /// Arguments, with placeholders for tool results.
    arguments: Value,
}

macro_rules! stories {
    ($($name:literal),*) => {
        [$(($name, include_str!(concat!("stories/", $name, ".toml")))),*]
    };
}

/// Story files with their team names.
const TEXTS: [(&str, &str); 14] = stories![
    "assistant-en",
    "assistant-zh",
    "brain-en",
    "brain-zh",
    "comprehensive-en",
    "comprehensive-zh",
    "investigator-en",
    "investigator-zh",
    "solver-en",
    "solver-zh",
    "testcase-en",
    "testcase-zh",
    "workflow-en",
    "workflow-zh"
];

static STORIES: LazyLock<Vec<Story>> =
    // A test parses every file, so no file is skipped here.
    LazyLock::new(|| TEXTS.iter().filter_map(|(_, text)| toml::from_str(text).ok()).collect());

/// Returns the title of a session whose first message begins a story.
pub(crate) fn title_of(text: &str) -> Option<&'static str> {
    Story::of(text).map(|story| story.title.as_str()).filter(|title| !title.is_empty())
}

impl Story {
    /// Returns the story that this message begins. Case, spaces and punctuation are ignored.
    pub(super) fn of(text: &str) -> Option<&'static Self> {
        STORIES.iter().find(|story| letters(&story.starter).eq(letters(text)))
    }

    /// Returns the next text of the story; `None` if no line fits the scene.
    pub(super) fn text(&self, scene: &Scene) -> Option<String> {
        let line = self.line(scene)?;
        Some(fill_text(line.text.trim(), scene) + "\n")
    }

    /// Returns the call of the next line, if the request offers its tool.
    pub(super) fn call(&self, scene: &Scene, is_offered: impl Fn(&str) -> bool) -> Option<DemoCall> {
        let StoryCall { tool, arguments } = self.line(scene)?.call.as_ref().filter(|call| is_offered(&call.tool))?;
        Some(DemoCall { name: tool.clone(), arguments: fill_value(arguments, scene).to_string() })
    }

    fn line(&self, scene: &Scene) -> Option<&StoryLine> {
        let fits = |line: &&StoryLine| match &scene.work.task {
            DemoTask::Step { action, .. } => line.action.as_ref() == Some(action),
            DemoTask::Summarize => line.sum,
            DemoTask::Answer => {
                let part = line.part.is_none_or(|part| part == scene.part);
                part && line.action.is_none() && !line.sum && line.round <= scene.version()
            }
            DemoTask::KeepPlan => false,
        };
        let fitting: Vec<&StoryLine> = self.says.iter().filter(fits).collect();
        let newest = fitting.iter().map(|line| line.round).max()?;
        let lines: Vec<&StoryLine> = fitting.into_iter().filter(|line| line.round == newest).collect();
        lines.get(scene.brought.len().min(lines.len() - 1)).copied()
    }
}

fn letters(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase)
}

fn fill_value(value: &Value, scene: &Scene) -> Value {
    match value {
        Value::String(text) => fill_text(text, scene).into(),
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| (name.clone(), fill_value(value, scene)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
        other => other.clone(),
    }
}

/// Fills tool results into the text: `{{found}}` stands for all results, and `{{years|3}}` for the `years` field of a
/// JSON result, or 3 if no result has this field.
fn fill_text(text: &str, scene: &Scene) -> String {
    let answers = scene.brought.iter().filter_map(|(_, results)| serde_json::from_str::<Value>(results).ok());
    let answers: Vec<Value> = answers.collect();
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, from)) = rest.split_once("{{") {
        let Some((name, after)) = from.split_once("}}") else { break };
        filled.push_str(before);
        match name.split_once('|') {
            Some((name, otherwise)) => {
                let value =
                    answers.iter().map(|answer| &answer[name]).find(|value| value.is_u64() || value.is_boolean());
                filled.push_str(&value.map_or_else(|| otherwise.to_owned(), Value::to_string));
            }
            None => filled.push_str(&scene.found()),
        }
        rest = after;
    }
    filled + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::teams::builtin_teams;

    #[test]
    fn every_starter_of_a_built_in_team_begins_a_story() {
        for (name, text) in TEXTS {
            let story: Story = toml::from_str(text).unwrap_or_else(|error| panic!("{name}: {error}"));
            let team = builtin_teams::all().iter().find(|team| &*team.name == name).expect("a team");
            assert!(team.starters.iter().any(|starter| **starter == *story.starter), "{name} does not offer its story");
        }
        for team in builtin_teams::all() {
            // Agents of a topology write different texts for the same task, and a story cannot distinguish these
            // agents.
            assert_eq!(team.starters.is_empty(), &*team.flow == "topology", "{}", team.name);
            for starter in &team.starters {
                assert!(Story::of(starter).is_some(), "{}: {starter}", team.name);
                let typed = format!(" {} !", starter.trim_end_matches(['.', '。', '?', '？']).to_uppercase());
                assert!(Story::of(&typed).is_some(), "{}: {typed}", team.name);
                assert!(Story::of(&format!("{starter} now")).is_none());
            }
        }
    }
}
