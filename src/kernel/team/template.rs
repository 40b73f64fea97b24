//! Prompt templates: text with variables in braces, such as `Check {node.host} for: {task}`. The values of the
//! variables are in `flow::topology::template_values`, and the placeholders of system prompts, such as `{{date}}`, in
//! `agent::prompts::placeholders`.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use super::super::first_chars;

/// Maximum number of characters in a variable's key.
const MAX_KEY_CHARS: usize = 64;
/// Maximum number of characters in a variable that an error message shows.
const MAX_SHOWN_CHARS: usize = 40;

/// A parsed prompt template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    parts: Vec<TemplatePart>,
}

/// Part of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
enum TemplatePart {
    /// Literal text.
    Text(String),
    /// Variable that is replaced by a value.
    Variable(TemplateVariable),
}

/// Variable of a template.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TemplateVariable {
    /// `{task}`: the task of the execution.
    Task,
    /// `{context.KEY}`: a value of the execution's context.
    Context(Arc<str>),
    /// `{node.KEY}`: an attribute of the agent's node.
    Node(Arc<str>),
    /// `{upstream.NODE}`: the result of another node.
    Upstream(Arc<str>),
}

/// Error in the text of a template.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}, at character {position}")]
pub struct TemplateError {
    /// Position of the character in the text, from 1.
    pub position: usize,
    /// Reason and remedy.
    pub message: String,
    /// True if the braces are valid, but the variable in them does not exist.
    pub is_unknown_variable: bool,
}

/// Reason why a template cannot be rendered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RenderError {
    /// A variable has no value.
    #[error("the variable {{{0}}} has no value")]
    Unknown(TemplateVariable),
    /// The rendered text is too long.
    #[error("the result is longer than {} bytes; shorten the values", Template::MAX_RENDERED_BYTES)]
    TooLong,
}

impl fmt::Display for TemplateVariable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Task => f.write_str("task"),
            Self::Context(key) => write!(f, "context.{key}"),
            Self::Node(key) => write!(f, "node.{key}"),
            Self::Upstream(node) => write!(f, "upstream.{node}"),
        }
    }
}

impl FromStr for TemplateVariable {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        if text == "task" {
            return Ok(Self::Task);
        }
        let (scope, key) = text.split_once('.').filter(|(_, key)| is_key(key)).ok_or(())?;
        match scope {
            "context" => Ok(Self::Context(key.into())),
            "node" => Ok(Self::Node(key.into())),
            "upstream" => Ok(Self::Upstream(key.into())),
            _ => Err(()),
        }
    }
}

/// Returns whether the text can be the key of a variable: 1 to 64 letters, digits, `_`, `-` or `.`.
fn is_key(text: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    (1..=MAX_KEY_CHARS).contains(&text.chars().take(MAX_KEY_CHARS + 1).count()) && text.chars().all(is_plain)
}

impl Template {
    /// Maximum number of bytes in the text of a template.
    pub const MAX_BYTES: usize = 64 << 10;
    /// Maximum number of variables in a template, each counted as often as it occurs.
    pub const MAX_VARIABLES: usize = 100;
    /// Maximum number of bytes in the rendered text.
    pub const MAX_RENDERED_BYTES: usize = 1 << 20;
    /// Maximum number of errors that a parse reports.
    const MAX_ERRORS: usize = 10;

    /// Parses a template.
    ///
    /// # Errors
    /// Returns up to ten errors, each with its position.
    pub fn parse(text: &str) -> Result<Self, Vec<TemplateError>> {
        let (template, errors) = Self::read(text);
        if errors.is_empty() { Ok(template) } else { Err(errors) }
    }

    /// Parses a template as far as possible. Returns the parts that can be read, and up to ten errors.
    pub fn read(text: &str) -> (Self, Vec<TemplateError>) {
        let error = |position: usize, message: String| TemplateError { position, message, is_unknown_variable: false };
        if text.len() > Self::MAX_BYTES {
            let message = format!("the template is longer than {} bytes; shorten it", Self::MAX_BYTES);
            return (Self { parts: vec![] }, vec![error(1, message)]);
        }
        let (mut parts, mut plain, mut errors, mut variables) = (vec![], String::new(), vec![], 0);
        let mut letters = text.char_indices().zip(1..).peekable();
        while let Some(((at, letter), position)) = letters.next() {
            if errors.len() == Self::MAX_ERRORS {
                break;
            }
            if !matches!(letter, '{' | '}') {
                plain.push(letter);
                continue;
            }
            if letters.next_if(|((_, next), _)| *next == letter).is_some() {
                plain.push(letter);
                continue;
            }
            if letter == '}' {
                errors.push(error(position, "a closing brace without an opening one; write }} for a brace".into()));
                continue;
            }
            let rest = &text[at + 1..];
            let Some(length) = rest.find(['{', '}']).filter(|length| rest[*length..].starts_with('}')) else {
                errors.push(error(position, "an opening brace without a closing one; write {{ for a brace".into()));
                continue;
            };
            let name = &rest[..length];
            // Skip the name and the closing brace.
            for _ in 0..=name.chars().count() {
                letters.next();
            }
            variables += 1;
            if variables > Self::MAX_VARIABLES {
                let reason = format!("more than {} variables; remove some", Self::MAX_VARIABLES);
                errors.push(error(position, reason));
                break;
            }
            match name.parse() {
                Ok(variable) => {
                    if !plain.is_empty() {
                        parts.push(TemplatePart::Text(std::mem::take(&mut plain)));
                    }
                    parts.push(TemplatePart::Variable(variable));
                }
                Err(()) => errors.push(TemplateError {
                    position,
                    message: format!(
                        "unknown variable '{}'; use task, context.KEY, node.KEY or upstream.NODE, and {{{{ for a brace",
                        first_chars(name, MAX_SHOWN_CHARS)
                    ),
                    is_unknown_variable: true,
                }),
            }
        }
        if !plain.is_empty() {
            parts.push(TemplatePart::Text(plain));
        }
        (Self { parts }, errors)
    }

    /// Returns the variables in the order of the text.
    pub fn variables(&self) -> impl Iterator<Item = &TemplateVariable> {
        self.parts.iter().filter_map(|part| match part {
            TemplatePart::Variable(variable) => Some(variable),
            TemplatePart::Text(_) => None,
        })
    }

    /// Returns the number of bytes in the rendered text, given the length of each value.
    pub fn rendered_bytes(&self, bytes: impl Fn(&TemplateVariable) -> usize) -> usize {
        let of_part = |part: &TemplatePart| match part {
            TemplatePart::Text(plain) => plain.len(),
            TemplatePart::Variable(variable) => bytes(variable),
        };
        self.parts.iter().map(of_part).fold(0, usize::saturating_add)
    }

    /// Returns the rendered text, with the values that `lookup` returns for the variables. Braces in values have no
    /// meaning.
    ///
    /// # Errors
    /// Returns an error if a variable has no value, or the rendered text is too long.
    pub fn render<'a>(
        &self,
        lookup: impl Fn(&TemplateVariable) -> Option<Cow<'a, str>>,
    ) -> Result<String, RenderError> {
        let mut text = String::new();
        for part in &self.parts {
            let value = match part {
                TemplatePart::Text(plain) => Cow::Borrowed(plain.as_str()),
                TemplatePart::Variable(variable) => {
                    lookup(variable).ok_or_else(|| RenderError::Unknown(variable.clone()))?
                }
            };
            if text.len() + value.len() > Self::MAX_RENDERED_BYTES {
                return Err(RenderError::TooLong);
            }
            text.push_str(&value);
        }
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered(text: &str) -> String {
        let template = Template::parse(text).expect("parses");
        template.render(|variable| Some(format!("<{variable}>").into())).expect("renders")
    }

    fn faults(text: &str) -> Vec<(usize, bool)> {
        let errors = Template::parse(text).expect_err("is wrong");
        errors.iter().map(|error| (error.position, error.is_unknown_variable)).collect()
    }

    #[test]
    fn variables_are_replaced_and_double_braces_are_braces() {
        assert_eq!(rendered("检查 {node.host}：{task}"), "检查 <node.host>：<task>");
        assert_eq!(rendered("{{\"a\": {{}}, \"b\": {context.k_1}}}"), "{\"a\": {}, \"b\": <context.k_1>}");
        assert_eq!(
            rendered("{upstream.db-service}{context.a.b}{context.键}"),
            "<upstream.db-service><context.a.b><context.键>"
        );
        assert_eq!(rendered("{{{task}}}"), "{<task>}");
        assert_eq!(rendered(""), "");
        let template = Template::parse("{task} {node.a} {task}").expect("parses");
        let names: Vec<String> = template.variables().map(ToString::to_string).collect();
        assert_eq!(names, ["task", "node.a", "task"]);
    }

    #[test]
    fn every_error_has_its_position() {
        assert_eq!(faults("锁{"), [(2, false)]);
        assert_eq!(faults("a } {x} {node.} {task"), [(3, false), (5, true), (9, true), (17, false)]);
        assert_eq!(faults("{ {task} "), [(1, false)]);
        for unknown in ["{}", "{Task}", "{ task }", "{task.x}", "{context}", "{secret.key}", "{context.a b}"] {
            assert_eq!(faults(unknown), [(1, true)], "{unknown}");
        }
        let message = Template::parse("{\"a\":1}").expect_err("is wrong")[0].to_string();
        assert!(message.starts_with("unknown variable '\"a\":1'; use task,") && message.ends_with("at character 1"));
    }

    #[test]
    fn a_value_is_no_template() {
        let template = Template::parse("{task}").expect("parses");
        assert_eq!(template.render(|_| Some("{context.key} {{".into())), Ok("{context.key} {{".to_owned()));
    }

    #[test]
    fn bombs_are_errors() {
        assert_eq!(faults(&"{task}".repeat(Template::MAX_VARIABLES + 1)).len(), 1);
        assert_eq!(faults(&"{".repeat(Template::MAX_BYTES + 1)), [(1, false)]);
        assert_eq!(faults(&"{x}".repeat(1_000)).len(), Template::MAX_ERRORS);
        assert_eq!(faults(&format!("{{{}}}", "x".repeat(60_000))), [(1, true)]);
        let template = Template::parse(&"{task}".repeat(Template::MAX_VARIABLES)).expect("parses");
        let long = "x".repeat(64 << 10);
        assert_eq!(template.render(|_| Some(long.as_str().into())), Err(RenderError::TooLong));
        assert_eq!(template.render(|_| None), Err(RenderError::Unknown(TemplateVariable::Task)));
    }
}
