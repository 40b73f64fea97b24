//! Questions of an MCP server to people (elicitation).

use std::sync::Arc;

use reqwest::Url;
use rmcp::model::{ElicitRequestParams, ElicitResult, ElicitationAction};
use serde_json::{Value, json};
use tracing::warn;

use super::in_flight::InFlightCall;
use super::secret_field::secret_field;
use crate::kernel::{Inquiry, InquiryReply, schema};

/// Maximum number of bytes in a question.
const MAX_QUESTION_BYTES: usize = 16 * 1024;

/// Asks people on behalf of a server.
pub(super) struct Elicitor {
    pub(super) server: Arc<str>,
}

impl Elicitor {
    /// Asks the people of a call's session. If the call ends first, the question is cancelled.
    pub(super) async fn ask(&self, call: &InFlightCall, parameters: ElicitRequestParams) -> ElicitResult {
        let question = match parameters {
            ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } => self.form(
                message,
                serde_json::to_value(requested_schema).expect("a schema serializes: its keys are strings"),
            ),
            ElicitRequestParams::UrlElicitationParams { message, url, .. } => self.page(message, &url),
            _ => Err(ElicitationAction::Cancel),
        };
        let question = match question {
            Ok(question) => question,
            Err(action) => return ElicitResult::new(action),
        };
        let (fields, page) = (question.schema["properties"].clone(), question.link.is_some());
        match call.over.run_until_cancelled(call.place.people.ask(question)).await {
            // The server learns the answer from its own page, so the result contains nothing.
            Some(InquiryReply::Accepted(_)) if page => ElicitResult::new(ElicitationAction::Accept),
            Some(InquiryReply::Accepted(content)) => {
                ElicitResult::new(ElicitationAction::Accept).with_content(with_defaults(&fields, content))
            }
            Some(InquiryReply::Declined) => ElicitResult::new(ElicitationAction::Decline),
            Some(InquiryReply::Cancelled) | None => ElicitResult::new(ElicitationAction::Cancel),
        }
    }

    fn form(&self, message: String, schema: Value) -> Result<Inquiry, ElicitationAction> {
        if message.len() + schema.to_string().len() > MAX_QUESTION_BYTES {
            warn!(server = &*self.server, "MCP question cancelled: too long");
            return Err(ElicitationAction::Cancel);
        }
        if schema::check_form(&schema).is_err() {
            warn!(server = &*self.server, "MCP question cancelled: invalid schema");
            return Err(ElicitationAction::Cancel);
        }
        if let Some(field) = secret_field(&schema) {
            // The answer would be stored in the session's log and read by models. For secrets, the protocol lets a
            // server use a page of its own.
            warn!(server = &*self.server, field, "MCP question declined: form asks for a secret");
            return Err(ElicitationAction::Decline);
        }
        Ok(self.inquiry(message, schema, None))
    }

    fn page(&self, message: String, url: &str) -> Result<Inquiry, ElicitationAction> {
        let link = Url::parse(url)
            .ok()
            .filter(is_safe)
            .filter(|link| message.len() + link.as_str().len() <= MAX_QUESTION_BYTES);
        let Some(link) = link else {
            warn!(server = &*self.server, "MCP question declined: page not allowed");
            return Err(ElicitationAction::Decline);
        };
        Ok(self.inquiry(message, json!({ "type": "object", "properties": {} }), Some(link.as_str().into())))
    }

    fn inquiry(&self, message: String, schema: Value, link: Option<Arc<str>>) -> Inquiry {
        Inquiry { from: self.server.clone(), message: message.replace('\0', "\u{fffd}").into(), schema, link }
    }
}

/// Returns whether this link can be shown to people. It must use https or lead to this machine, so that nobody can read
/// the traffic on the way. It must not contain a user name, which could make it look like a link to another host.
fn is_safe(link: &Url) -> bool {
    let local = matches!(link.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"));
    let scheme = link.scheme() == "https" || (link.scheme() == "http" && local);
    scheme && link.has_host() && link.username().is_empty() && link.password().is_none()
}

/// Adds the form's defaults to an answer, for fields that people left empty.
fn with_defaults(fields: &Value, mut answer: Value) -> Value {
    if let (Some(fields), Some(answer)) = (fields.as_object(), answer.as_object_mut()) {
        for (name, field) in fields {
            if let Some(default) = field.get("default") {
                answer.entry(name.as_str()).or_insert_with(|| default.clone());
            }
        }
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_one_that_people_can_judge() {
        let safe = |url: &str| Url::parse(url).is_ok_and(|url| is_safe(&url));
        assert!(safe("https://wiki.example.org/connect?id=1") && safe("http://localhost:3000/connect"));
        for url in [
            "http://wiki.example.org/",
            "https://wiki.example.org@evil.example.org/",
            "javascript:alert(1)",
            "file:///etc/passwd",
            "data:text/html,hi",
        ] {
            assert!(!safe(url), "{url}");
        }
    }

    #[test]
    fn omitted_fields_have_their_defaults() {
        let fields = json!({ "a": { "default": 1 }, "b": { "default": 2 }, "c": {} });
        assert_eq!(with_defaults(&fields, json!({ "b": 3 })), json!({ "b": 3, "a": 1 }));
    }
}
