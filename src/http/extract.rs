//! Extractors for bodies, query strings and paths. Their errors are in the format of the protocol.

use std::sync::Arc;

use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::request::Parts;
use serde::de::{DeserializeOwned, IgnoredAny};

use super::query;
use crate::json_pointer;
use crate::kernel::first_chars;
use crate::kernel::schema::json_error::plain;
use crate::node::Node;
use crate::protocol::{Code, Problem};

/// JSON body. The content type is not checked: scripts forget it, and the origin check rejects cross-site forms, which
/// cannot set it.
#[derive(Debug)]
pub struct JsonBody<T>(pub T);

impl<T: DeserializeOwned> FromRequest<Arc<Node>> for JsonBody<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, node: &Arc<Node>) -> Result<Self, Problem> {
        let bytes = super::body::read(node, request).await?;
        let bytes: &[u8] = if bytes.is_empty() { b"{}" } else { &bytes };
        if std::str::from_utf8(bytes).is_err() {
            return Err(Problem::new(Code::BadFrame, "the body is not UTF-8; encode it as UTF-8"));
        }
        // serde also parses a struct from an array, in the order of its fields, and ignores further elements.
        if bytes.trim_ascii_start().starts_with(b"[") {
            return Err(Problem::new(Code::InvalidArgument, "the body is a list; send an object, {…}"));
        }
        serde_json::from_slice(bytes).map(Self).map_err(|error| {
            // The library reports some values of the wrong type, such as null for an enum value, as syntax errors.
            let is_json = || serde_json::from_slice::<IgnoredAny>(bytes).is_ok();
            let code = if error.is_data() || is_json() { Code::InvalidArgument } else { Code::BadFrame };
            let place = json_pointer::of_error::<T>(bytes).map(|pointer| format!(" at {pointer}"));
            Problem::new(code, format!("the body is invalid{}: {}", place.unwrap_or_default(), plain(&error)))
        })
    }
}

/// Query string.
#[derive(Debug)]
pub struct QueryParameters<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for QueryParameters<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        query::parse(parts.uri.query().unwrap_or_default()).map(Self).map_err(|error| {
            let message = error.to_string();
            Problem::new(Code::InvalidArgument, format!("in the query string: {}", first_chars(&message, 300)))
        })
    }
}

/// Parameters of a path: one value, or as many as the route has.
#[derive(Debug)]
pub struct PathParameters<T>(pub T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for PathParameters<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let path = axum::extract::Path::<T>::from_request_parts(parts, state).await;
        path.map(|axum::extract::Path(names)| Self(names)).map_err(|_| {
            let message = "the path is invalid; percent-encode each name in it as UTF-8, for example 锁 as %E9%94%81";
            Problem::new(Code::InvalidArgument, message)
        })
    }
}

/// Parses an id in a path.
pub(super) fn id<T: std::str::FromStr<Err: std::fmt::Display>>(text: &str) -> Result<T, Problem> {
    text.parse().map_err(|error: T::Err| Problem::new(Code::InvalidArgument, format!("in the path: {error}")))
}
