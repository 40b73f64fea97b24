//! Request for an analysis.

use std::fmt::Write;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::kernel::SessionId;

/// Body of `POST /api/v1/analyze/stream`. Unknown fields are rejected, because ignoring them would lose data without an
/// error.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AnalyzeRequest {
    /// Question to investigate, such as `Why do logins fail?`. Also accepted as `input`, `question` or `query`. If
    /// empty, the stream of `session` continues.
    #[serde(default, alias = "input", alias = "question", alias = "query")]
    pub(super) original_input: Arc<str>,
    /// Files to append to the question as text. Default none.
    #[serde(default)]
    context_files: Vec<ContextFile>,
    /// Ids of uploaded files, as `POST /api/v1/uploads` returns them in `file_id`. Default none.
    #[serde(default)]
    pub(super) file_ids: Vec<String>,
    /// Session of an earlier analysis, to continue it or to read its stream. If absent, a new session is created.
    pub(super) session: Option<SessionId>,
    /// Names of the code bases to search, as in the configuration. If absent, all code bases that you can use with the
    /// team.
    pub(super) code: Option<Vec<String>>,
}

/// A file in the request. Clients use different names for its fields.
#[derive(Debug, Deserialize, JsonSchema)]
struct ContextFile {
    /// Path or name of the file, such as `src/login.rs`. Also accepted as `name`, `file_path`, `file_name` or
    /// `filename`.
    #[serde(alias = "name", alias = "file_path", alias = "file_name", alias = "filename")]
    path: Option<String>,
    /// Content of the file, as text. Also accepted as `text`.
    #[serde(alias = "text")]
    content: Option<String>,
    #[serde(flatten)]
    /// All other fields, which are appended to the path as JSON, such as `"lines": "1-3"`.
    more: Map<String, Value>,
}

impl AnalyzeRequest {
    /// Returns the input of the run: the question, followed by the files.
    pub(super) fn text(&self) -> Arc<str> {
        let mut message = self.original_input.to_string();
        for file in &self.context_files {
            let path = file.path.as_deref().unwrap_or("file");
            // Writing to a `String` cannot fail.
            let _ = write!(message, "\n\n{path}");
            if !file.more.is_empty() {
                let _ = write!(message, " {}", Value::from(file.more.clone()));
            }
            if let Some(content) = &file.content {
                let fence = fence(content);
                let _ = write!(message, "\n{fence}\n{}\n{fence}", content.trim_end_matches('\n'));
            }
        }
        message.into()
    }
}

/// Returns a Markdown fence that is longer than any sequence of backticks in the content.
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
        let error = serde_json::from_value::<AnalyzeRequest>(json!({ "original_input": "why?", "depth": 3 }));
        assert!(error.is_err_and(|error| error.to_string().contains("unknown field `depth`")));
    }

    #[test]
    fn files_stand_under_the_question_and_cannot_break_out() {
        let request: AnalyzeRequest = serde_json::from_value(json!({
            "original_input": "为什么登录失败？",
            "context_files": [{ "path": "src/login.rs", "content": "fn login() {}\n" }, { "name": "a.md", "content": "```\nx\n```", "lines": "1-3" }],
        }))
        .expect("a request");
        let text = "为什么登录失败？\n\nsrc/login.rs\n```\nfn login() {}\n```\n\na.md {\"lines\":\"1-3\"}\n````\n```\nx\n```\n````";
        assert_eq!(&*request.text(), text);
    }
}
