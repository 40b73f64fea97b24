//! What is to be analysed.

use std::fmt::Write;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::kernel::SessionId;

/// The body of a request for a stream. An unknown field is refused: left unread, it would be missing without a word.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Asked {
    /// What the user wants to know. Without it the stream of `session` goes on.
    #[serde(default, alias = "input", alias = "question", alias = "query")]
    pub(super) original_input: Arc<str>,
    /// Files that the user has at hand.
    #[serde(default)]
    context_files: Vec<ContextFile>,
    /// Files that were brought for it.
    #[serde(default)]
    pub(super) file_ids: Vec<String>,
    /// An earlier analysis, to go on with or to look at.
    pub(super) session: Option<SessionId>,
    /// The code bases to look into, by their names in the configuration; absent: all of them.
    pub(super) code: Option<Vec<String>>,
}

/// A file, in whatever words its sender has for name and content.
#[derive(Debug, Deserialize)]
struct ContextFile {
    #[serde(alias = "name", alias = "file_path", alias = "file_name", alias = "filename")]
    path: Option<String>,
    #[serde(alias = "text")]
    content: Option<String>,
    #[serde(flatten)]
    more: Map<String, Value>,
}

impl Asked {
    /// The words that the run begins with: the question, and the files under it.
    pub(super) fn words(&self) -> Arc<str> {
        let mut words = self.original_input.to_string();
        for file in &self.context_files {
            let path = file.path.as_deref().unwrap_or("file");
            // Writing to a string cannot fail.
            let _ = write!(words, "\n\n{path}");
            if !file.more.is_empty() {
                let _ = write!(words, " {}", Value::from(file.more.clone()));
            }
            if let Some(content) = &file.content {
                let fence = fence(content);
                let _ = write!(words, "\n{fence}\n{}\n{fence}", content.trim_end_matches('\n'));
            }
        }
        words.into()
    }
}

/// A fence that the content does not end.
fn fence(content: &str) -> String {
    let longest = content.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    "`".repeat(longest.max(2) + 1)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn nothing_is_left_unread() {
        let error = serde_json::from_value::<Asked>(json!({ "original_input": "why?", "depth": 3 }));
        assert!(error.is_err_and(|error| error.to_string().contains("unknown field `depth`")));
    }

    #[test]
    fn files_stand_under_the_question_and_cannot_break_out() {
        let asked: Asked = serde_json::from_value(json!({
            "original_input": "为什么登录失败？",
            "context_files": [{ "path": "src/login.rs", "content": "fn login() {}\n" }, { "name": "a.md", "content": "```\nx\n```", "lines": "1-3" }],
        }))
        .expect("a request");
        let words = "为什么登录失败？\n\nsrc/login.rs\n```\nfn login() {}\n```\n\na.md {\"lines\":\"1-3\"}\n````\n```\nx\n```\n````";
        assert_eq!(&*asked.words(), words);
    }
}
