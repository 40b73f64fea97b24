//! Authored answers to the prompt starters of the built-in teams, so that a demo without a model shows work worth looking at.

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::Value;

use super::calls::{Offered, Wanted};
use super::script::{Part, Scene};
use super::work::Task;

/// A story: what the agents of a team say after one prompt starter.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Story {
    /// The words that it begins with.
    starter: String,
    /// Title of a session, and its plan.
    #[serde(default)]
    pub(super) title: String,
    /// How long a plan takes.
    #[serde(default)]
    pub(super) time: String,
    /// What may go wrong with a plan.
    #[serde(default)]
    pub(super) risks: Vec<String>,
    /// The flow that a router chooses.
    pub(super) flow: Option<String>,
    /// The steps of its plan.
    #[serde(default)]
    pub(super) steps: Vec<Step>,
    /// What an investigation asks people once.
    pub(super) question: Option<Question>,
    /// What an investigation finds.
    pub(super) findings: Option<Value>,
    #[serde(default)]
    says: Vec<Line>,
}

/// A step of a plan.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Step {
    pub(super) action: String,
    pub(super) agent: Option<String>,
    #[serde(default)]
    pub(super) reason: String,
    /// The tool that does it, in an investigation.
    pub(super) tool: Option<String>,
    #[serde(default)]
    pub(super) arguments: Value,
}

impl Step {
    /// Whether the tool that does it can be called.
    pub(super) fn is_offered(&self, tools: &[Offered]) -> bool {
        tools.iter().any(|(name, _)| Some(*name) == self.tool.as_deref())
    }
}

/// A question to people.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Question {
    pub(super) prompt: String,
    pub(super) context: String,
}

/// One answer. Of lines for the same task each is said after the call of the one before has brought its result.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    /// Whose it is, in a team that reviews.
    part: Option<Part>,
    /// From which version on.
    #[serde(default)]
    round: usize,
    /// The step that it is the result of.
    action: Option<String>,
    /// It is the answer that sums up.
    #[serde(default)]
    sum: bool,
    text: String,
    call: Option<Call>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Call {
    tool: String,
    arguments: Value,
}

macro_rules! stories {
    ($($name:literal),*) => {
        [$(($name, include_str!(concat!("stories/", $name, ".toml")))),*]
    };
}

/// The texts, by the names of the teams that they are for.
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
    // A test reads every one of them.
    LazyLock::new(|| TEXTS.iter().filter_map(|(_, text)| toml::from_str(text).ok()).collect());

/// Title of a session that begins a story.
pub(crate) fn title_of(words: &str) -> Option<&'static str> {
    Story::of(words).map(|story| story.title.as_str()).filter(|title| !title.is_empty())
}

impl Story {
    /// The story that these words begin, whatever their case, spaces and punctuation.
    pub(super) fn of(words: &str) -> Option<&'static Self> {
        STORIES.iter().find(|story| letters(&story.starter).eq(letters(words)))
    }

    /// What is said next; none where the story does not go so far.
    pub(super) fn text(&self, scene: &Scene) -> Option<String> {
        let line = self.line(scene)?;
        Some(filled(line.text.trim(), scene) + "\n")
    }

    /// The call that goes with it, where its tool is offered.
    pub(super) fn call(&self, scene: &Scene, is_offered: impl Fn(&str) -> bool) -> Option<Wanted> {
        let Call { tool, arguments } = self.line(scene)?.call.as_ref().filter(|call| is_offered(&call.tool))?;
        Some(Wanted { name: tool.clone(), arguments: filled_in(arguments, scene).to_string() })
    }

    fn line(&self, scene: &Scene) -> Option<&Line> {
        let fits = |line: &&Line| match &scene.work.task {
            Task::Step { action, .. } => line.action.as_ref() == Some(action),
            Task::Summarize => line.sum,
            Task::Answer => {
                let part = line.part.is_none_or(|part| part == scene.part);
                part && line.action.is_none() && !line.sum && line.round <= scene.version()
            }
            Task::KeepPlan => false,
        };
        let fitting: Vec<&Line> = self.says.iter().filter(fits).collect();
        let newest = fitting.iter().map(|line| line.round).max()?;
        let lines: Vec<&Line> = fitting.into_iter().filter(|line| line.round == newest).collect();
        lines.get(scene.brought.len().min(lines.len() - 1)).copied()
    }
}

fn letters(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase)
}

fn filled_in(value: &Value, scene: &Scene) -> Value {
    match value {
        Value::String(text) => filled(text, scene).into(),
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| (name.clone(), filled_in(value, scene)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
        other => other.clone(),
    }
}

/// The text with what tools have said: `{{found}}` for all of it, `{{years|3}}` for a field of an answer, or else 3.
fn filled(text: &str, scene: &Scene) -> String {
    let answers = scene.brought.iter().filter_map(|(_, said)| serde_json::from_str::<Value>(said).ok());
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
    use crate::agent::builtin_teams;

    #[test]
    fn every_starter_of_a_built_in_team_begins_a_story() {
        for (name, text) in TEXTS {
            let story: Story = toml::from_str(text).unwrap_or_else(|error| panic!("{name}: {error}"));
            let team = builtin_teams::all().iter().find(|team| &*team.name == name).expect("a team");
            assert!(team.starters.iter().any(|starter| **starter == *story.starter), "{name} does not offer its story");
        }
        for team in builtin_teams::all() {
            assert!(!team.starters.is_empty(), "{}", team.name);
            for starter in &team.starters {
                assert!(Story::of(starter).is_some(), "{}: {starter}", team.name);
                let typed = format!(" {} !", starter.trim_end_matches(['.', '。', '?', '？']).to_uppercase());
                assert!(Story::of(&typed).is_some(), "{}: {typed}", team.name);
                assert!(Story::of(&format!("{starter} now")).is_none());
            }
        }
    }
}
