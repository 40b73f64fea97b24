//! Failures of a turn, with messages that tell people what to do. A provider's error text is used only to classify the
//! failure and is never passed on, because it can contain API keys, addresses or people's messages.

use std::error::Error;
use std::sync::Arc;

use axum::http::{HeaderMap, StatusCode};
use serde_json::Value;
use time::{OffsetDateTime, format_description::well_known::Rfc2822};

use crate::kernel::AttemptError;
use crate::telemetry::{ErrorSource, FailedOperation, error_causes, log_failure};

/// Failure of an attempt at a turn.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{}", error.message)]
pub struct TurnError {
    /// Code and message for people.
    pub error: AttemptError,
    /// True if a retry of the same request can succeed.
    pub retryable: bool,
    /// Delay that the provider requests before a retry, in milliseconds, if any.
    pub retry_after_ms: Option<u64>,
    /// Name of the provider in the configuration; `None` until it is known.
    pub provider: Option<Arc<str>>,
    /// Cause, for the operator's log.
    #[source]
    pub source: Option<ErrorSource>,
}

/// Compares what people see and what determines the caller's next action, but not the provider. Causes cannot be
/// compared.
impl PartialEq for TurnError {
    fn eq(&self, other: &Self) -> bool {
        (&self.error, self.retryable, self.retry_after_ms) == (&other.error, other.retryable, other.retry_after_ms)
    }
}

impl Eq for TurnError {}

macro_rules! failures {
    ($($(#[$doc:meta])* $name:ident($code:literal, $retryable:literal);)*) => {
        impl TurnError {
            $($(#[$doc])* pub fn $name(message: impl Into<Arc<str>>) -> Self {
                Self::new(AttemptError { code: $code.into(), message: message.into() }, $retryable)
            })*
        }
    };
}

failures! {
    /// The provider rejects the request because of its rate limit.
    rate_limited("model_rate_limited", true);
    /// The provider rejects the API key.
    unauthorized("model_unauthorized", false);
    /// The account has no credit left.
    quota_exhausted("model_quota_exhausted", false);
    /// The provider cannot be reached or reports an internal error.
    unavailable("model_unavailable", true);
    /// The request timed out.
    timeout("model_timeout", true);
    /// The stream ended before the response was complete.
    stream_cut("model_stream_cut", true);
    /// The response is empty or does not follow the API.
    bad_response("model_bad_response", true);
    /// The provider rejects the request as invalid.
    bad_request("model_bad_request", false);
    /// The model does not exist.
    not_found("model_not_found", false);
    /// The provider or the model refuses the request because of its content.
    refused("model_refused", false);
    /// The conversation does not fit into the model's context.
    context_too_large("context_too_large", false);
}

impl TurnError {
    /// Returns an error without a cause.
    pub fn new(error: AttemptError, retryable: bool) -> Self {
        Self { error, retryable, retry_after_ms: None, provider: None, source: None }
    }

    /// Adds the cause. Do not use a parser's error as the cause, because it can quote the text that the parser read.
    #[must_use]
    pub fn caused_by(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.source = Some(source.into().into());
        self
    }

    /// Logs the failure of a request with its causes, for operators. The message is not logged, because it can contain
    /// names that people chose.
    pub fn log(&self) {
        let causes = error_causes(self);
        log_failure(FailedOperation::ModelRequest, self.provider.as_ref(), &self.error.code, causes.as_deref());
    }

    /// Returns whether the model might have read the request. In that case, the provider can charge for it.
    pub fn reached_model(&self) -> bool {
        matches!(&*self.error.code, "model_timeout" | "model_stream_cut" | "model_bad_response" | "model_refused")
    }

    /// Sets whether a retry can succeed.
    #[must_use]
    pub(super) fn retryable(mut self, retryable: bool) -> Self {
        self.retryable = retryable;
        self
    }

    /// Returns the error for a request that the model refused.
    pub(super) fn declined(model: &str) -> Self {
        Self::refused(format!("{model} refused this request; rephrase it"))
    }

    /// Returns the error for a stream that ended before the model finished.
    pub(super) fn broken_off(provider: &str) -> Self {
        Self::stream_cut(format!("the response from {provider} ended before the model finished"))
    }

    /// Returns the error for a response that does not follow the API.
    pub(super) fn unreadable(provider: &str) -> Self {
        Self::bad_response(format!("{provider} sent a response that cannot be parsed"))
    }

    /// Classifies an HTTP status and its error body. `provider` and `model` are the names in the configuration.
    pub(super) fn of_status(provider: &str, model: &str, status: StatusCode, headers: &HeaderMap, body: &[u8]) -> Self {
        let body: Value = serde_json::from_slice(body).unwrap_or(Value::Null);
        let mut failure = Self::of_error(provider, model, status.as_u16(), error_object(&body));
        if failure.retryable {
            failure.retry_after_ms = retry_after(headers, OffsetDateTime::now_utc());
        }
        failure
    }

    /// Classifies an error object in the middle of a stream.
    pub(super) fn of_stream_error(provider: &str, model: &str, error: &Value) -> Self {
        let status = ["status", "code", "status_code"].iter().find_map(|key| error[*key].as_u64()).unwrap_or(500);
        Self::of_error(provider, model, u16::try_from(status).unwrap_or(500), error)
    }

    /// Classifies an error object that came with this HTTP status. The status becomes the cause.
    pub(super) fn of_error(provider: &str, model: &str, status: u16, error: &Value) -> Self {
        Self::classify(provider, model, status, error).caused_by(format!("HTTP status {status}"))
    }

    fn classify(provider: &str, model: &str, status: u16, error: &Value) -> Self {
        let says = error_message(error);
        let any = |needles: &[&str]| needles.iter().any(|needle| says.contains(needle));
        // Rate-limit errors can link to the billing page, so a mention of billing alone is not enough.
        let is_about_credit = any(&["insufficient_quota", "billing_error", "api usage limits"])
            || (status != 429 && says.contains("billing"));
        if is_about_credit || status == 402 {
            return Self::quota_exhausted(format!(
                "the account at {provider} has no credit left; add credit, or choose another provider"
            ));
        }
        let long = [
            "context_length",
            "context length",
            "context limit",
            "context window",
            "maximum context",
            "prompt is too long",
            "too large for model",
        ];
        if any(&long) || status == 413 {
            return Self::context_too_large(format!(
                "{provider} reports that the conversation is too long for {model}; set this model's context_window in the \
                 configuration, or choose a model that takes more"
            ));
        }
        if any(&["content_filter", "content_policy", "content management policy"]) {
            return Self::refused(format!("{provider} refused this request; rephrase it"));
        }
        let no_model = [
            "model_not_found",
            "model not found",
            "unknown model",
            "unknown_model",
            "invalid model",
            "invalid_model",
            "no such model",
            "model not exist",
            "not a valid model",
        ];
        let no_such = says.contains("model") && any(&["does not exist", "not found"]);
        if status == 400 && (any(&no_model) || no_such) {
            return Self::not_found(format!(
                "{provider} has no model {model} (HTTP 400); correct the model's name in the configuration or the team"
            ));
        }
        if status == 400
            && any(&["invalid_api_key", "api key", "api_key", "authentication", "unauthorized", "x-api-key"])
        {
            return Self::unauthorized(unauthorized(provider, status));
        }
        match status {
            429 => Self::rate_limited(format!("{provider} limits the rate of requests; retry later")),
            401 | 403 => Self::unauthorized(unauthorized(provider, status)),
            404 => Self::not_found(format!(
                "{provider} has no model {model}, or its base_url is wrong (HTTP 404); check both in the configuration"
            )),
            408 | 504 => Self::timeout(format!("{provider} timed out (HTTP {status})")),
            409 | 425 | 500 | 502..=504 | 506.. => {
                Self::unavailable(format!("{provider} reports an error of its own (HTTP {status})"))
            }
            300..=399 => Self::unavailable(format!(
                "{provider} responded with a redirect, which is not followed to protect the API key; set \
                 base_url to its final address"
            ))
            .retryable(false),
            _ if any(&["rate_limit", "rate limit", "too many requests", "overloaded"]) => {
                Self::rate_limited(format!("{provider} limits the rate of requests; retry later"))
            }
            _ => Self::bad_request(format!(
                "{provider} rejected the request for {model} (HTTP {status}); check that it supports tools, structured \
                 output and streaming, and whether it needs another max_tokens_name"
            )),
        }
    }
}

fn unauthorized(provider: &str, status: u16) -> String {
    format!(
        "{provider} rejected the key (HTTP {status}); correct its api_key, or the environment variable that holds it"
    )
}

/// Returns the error object in a body. Most providers wrap it in `error`, some of them also in an array of one element.
/// Other providers send it unwrapped.
fn error_object(body: &Value) -> &Value {
    match [&body["error"], &body[0]["error"]].into_iter().find(|error| !error.is_null()) {
        Some(error) => error,
        None if body["message"].is_string() => body,
        None => &Value::Null,
    }
}

/// Returns the meaningful parts of an error object, in lower case.
fn error_message(error: &Value) -> String {
    let word = |value: &Value| match value {
        Value::String(text) => text.to_lowercase(),
        _ => String::new(),
    };
    match error {
        Value::Object(_) => [word(&error["code"]), word(&error["type"]), word(&error["message"])].join("\n"),
        other => word(other),
    }
}

/// Returns the delay that the response requests, in milliseconds: from `retry-after-ms`, or from `Retry-After` in
/// seconds or as a date. Returns `None` if it requests none.
fn retry_after(headers: &HeaderMap, now: OffsetDateTime) -> Option<u64> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let ms = |number: f64| (number.is_finite() && number >= 0.0).then_some(number.ceil() as u64);
    if let Some(exact) = text("retry-after-ms").and_then(|text| text.parse::<f64>().ok()).and_then(ms) {
        return Some(exact);
    }
    let retry_after = text("retry-after")?;
    if let Ok(seconds) = retry_after.parse::<f64>() {
        return ms(seconds * 1000.0);
    }
    let until = OffsetDateTime::parse(retry_after, &Rfc2822).ok()?;
    u64::try_from((until - now).whole_milliseconds()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(status: u16, body: Value) -> TurnError {
        let status = StatusCode::from_u16(status).expect("a status");
        TurnError::of_status("openai", "gpt", status, &HeaderMap::new(), body.to_string().as_bytes())
    }

    #[test]
    fn every_status_has_a_code_and_says_whether_to_try_again() {
        let table: &[(u16, Value, &str, bool)] = &[
            (429, json!({}), "model_rate_limited", true),
            (429, json!({"error": {"code": "insufficient_quota"}}), "model_quota_exhausted", false),
            (401, json!({}), "model_unauthorized", false),
            (403, json!({}), "model_unauthorized", false),
            (404, json!({}), "model_not_found", false),
            (400, json!({"error": {"message": "The model `gpt` does not exist"}}), "model_not_found", false),
            (400, json!({"error": {"code": "model_not_found"}}), "model_not_found", false),
            (
                400,
                json!({"error": {"message": "model 'gpt' not found, try pulling it first"}}),
                "model_not_found",
                false,
            ),
            (
                400,
                json!({"error": {"message": "API key not valid. Please pass a valid one."}}),
                "model_unauthorized",
                false,
            ),
            (400, json!({"error": {"code": "invalid_api_key"}}), "model_unauthorized", false),
            (
                400,
                json!({"error": {"message": "Model Not Exist", "type": "invalid_request_error", "param": null,
                    "code": "invalid_request_error"}}),
                "model_not_found",
                false,
            ),
            (
                400,
                json!({"error": {"message": "nobody/nothing is not a valid model ID", "code": 400}}),
                "model_not_found",
                false,
            ),
            (
                400,
                json!({"object": "error", "message": "Invalid model: nothing", "type": "invalid_model", "param": null,
                    "code": "1500"}),
                "model_not_found",
                false,
            ),
            (
                400,
                json!({"object": "error", "type": "invalid_request_error", "param": null, "code": null,
                    "message": "Prompt contains 40013 tokens and 0 draft tokens, too large for model with 32768 maximum \
                        context length"}),
                "context_too_large",
                false,
            ),
            (400, json!({"message": "Unauthorized", "request_id": "7"}), "model_unauthorized", false),
            (
                400,
                json!([{"error": {"code": 400, "message": "API key not valid. Please pass a valid API key.",
                    "status": "INVALID_ARGUMENT"}}]),
                "model_unauthorized",
                false,
            ),
            (400, json!({"object": "error", "message": "no tools here"}), "model_bad_request", false),
            (
                400,
                json!({"error": {"message": "temperature is not supported by this model"}}),
                "model_bad_request",
                false,
            ),
            (400, json!({"error": {"code": "context_length_exceeded"}}), "context_too_large", false),
            (400, json!({"error": {"message": "maximum context length is 8192 tokens"}}), "context_too_large", false),
            (400, json!({"error": {"code": "content_filter"}}), "model_refused", false),
            (400, json!({"error": "unknown field"}), "model_bad_request", false),
            (422, json!({"detail": []}), "model_bad_request", false),
            (408, json!({}), "model_timeout", true),
            (500, json!("<html>"), "model_unavailable", true),
            (503, json!({}), "model_unavailable", true),
            (529, json!({}), "model_unavailable", true),
            (302, json!({}), "model_unavailable", false),
        ];
        for (status, body, code, retryable) in table {
            let failure = of(*status, body.clone());
            assert_eq!((&*failure.error.code, failure.retryable), (*code, *retryable), "{status} {body}");
        }
    }

    #[test]
    fn nothing_that_the_provider_wrote_is_passed_on() {
        let failure = of(500, json!({"error": {"message": "key sk-secret at /home/somebody"}}));
        assert!(!failure.error.message.contains("sk-secret"));
        assert!(!failure.error.message.contains("somebody"));
    }

    #[test]
    fn a_provider_may_ask_for_time_in_three_ways() {
        let now = OffsetDateTime::parse("Wed, 21 Oct 2026 07:28:00 GMT", &Rfc2822).expect("a date");
        let delay = |name: &'static str, value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(name, value.parse().expect("a value"));
            retry_after(&headers, now)
        };
        assert_eq!(delay("retry-after", "7"), Some(7_000));
        assert_eq!(delay("retry-after", "0.5"), Some(500));
        assert_eq!(delay("retry-after-ms", "1500"), Some(1_500));
        assert_eq!(delay("retry-after", "Wed, 21 Oct 2026 07:28:30 GMT"), Some(30_000));
        assert_eq!(delay("retry-after", "Wed, 21 Oct 2026 07:27:30 GMT"), None);
        assert_eq!(delay("retry-after", "-3"), None);
        assert_eq!(delay("retry-after", "soon"), None);
    }

    #[test]
    fn an_error_within_a_stream_is_read_like_a_status() {
        let code = |error: Value| TurnError::of_stream_error("openai", "gpt", &error).error.code.to_string();
        assert_eq!(code(json!({"code": 429, "message": "slow down"})), "model_rate_limited");
        assert_eq!(code(json!({"code": 502})), "model_unavailable");
        assert_eq!(code(json!("overloaded")), "model_unavailable");
    }
}
