//! Bodies and query strings, with our own words where they are not as they should be.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use crate::node::Node;
use crate::protocol::{Code, Problem, plain};

/// A JSON body, read in time: one that is promised and never sent would keep its request's place for ever. The content
/// type is not asked for: scripts forget it, and cross-site forms, which cannot set it, are kept out by the origin check.
#[derive(Debug)]
pub struct Body<T>(pub T);

impl<T: DeserializeOwned> FromRequest<Arc<Node>> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, node: &Arc<Node>) -> Result<Self, Problem> {
        let within = Duration::from_secs(node.config.http.timeout_seconds);
        let late = |_| Problem::new(Code::TimedOut, "the body took longer than the setting http.timeout_seconds");
        let bytes = tokio::time::timeout(within, Bytes::from_request(request, node)).await.map_err(late)?;
        let bytes = bytes.map_err(unread)?;
        let bytes: &[u8] = if bytes.is_empty() { b"{}" } else { &bytes };
        if std::str::from_utf8(bytes).is_err() {
            return Err(Problem::new(Code::BadFrame, "the body is not UTF-8"));
        }
        serde_json::from_slice(bytes).map(Self).map_err(|error| {
            let code = if error.is_data() { Code::InvalidArgument } else { Code::BadFrame };
            Problem::new(code, format!("the body is not what this path takes: {}", plain(&error)))
        })
    }
}

/// The query string.
#[derive(Debug)]
pub struct Parameters<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Parameters<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        axum::extract::Query::try_from_uri(&parts.uri).map(|axum::extract::Query(query)| Self(query)).map_err(|error| {
            let text = words(&error.body_text());
            Problem::new(Code::InvalidArgument, format!("the query string is not what this path takes: {text}"))
        })
    }
}

fn unread(rejection: BytesRejection) -> Problem {
    if rejection.status() == axum::http::StatusCode::PAYLOAD_TOO_LARGE {
        Problem::new(Code::TooLarge, "the body is larger than the setting http.body_bytes allows")
    } else {
        Problem::new(Code::BadFrame, "the body ended before it was whole")
    }
}

/// An id in a path.
pub(super) fn id<T: std::str::FromStr<Err: std::fmt::Display>>(text: &str) -> Result<T, Problem> {
    text.parse().map_err(|error: T::Err| Problem::new(Code::InvalidArgument, format!("in the path: {error}")))
}

/// A parser's words, at most so many that a hostile body cannot fill the answer.
fn words(text: &str) -> String {
    text.chars().take(300).collect()
}
