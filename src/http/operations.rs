//! Operations of the HTTP interface by path: what a request can contain, checked before its handler reads it.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::openapi;
use crate::kernel::first_chars;
use crate::openapi::EndpointGroup;
use crate::protocol::{Code, Problem};

/// Maximum number of characters of a name that an error message shows.
const MAX_SHOWN_CHARS: usize = 40;

/// Operations of every path, by method.
#[derive(Debug, Clone)]
pub(super) struct Operations(Arc<BTreeMap<&'static str, BTreeMap<&'static str, Operation>>>);

/// Properties of an operation that the server uses outside the operation's handler.
#[derive(Debug)]
struct Operation {
    has_query: bool,
    error_response: Option<fn(Problem) -> Response>,
}

impl Operations {
    /// Returns the operations of REST and of the doors.
    pub(super) fn new(doors: Vec<EndpointGroup>) -> Self {
        let mut paths = BTreeMap::<_, BTreeMap<_, _>>::new();
        for endpoint in openapi::groups(doors).iter().flat_map(|group| &group.endpoints) {
            let operation = Operation { has_query: endpoint.has_query(), error_response: endpoint.error_response() };
            paths.entry(endpoint.path()).or_default().insert(endpoint.method(), operation);
        }
        Self(Arc::new(paths))
    }

    /// Returns the methods of a path as text. `None` if it has no operation.
    pub(super) fn methods(&self, path: &str) -> Option<String> {
        let methods = self.0.get(path)?.keys().copied().collect::<Vec<_>>();
        Some(methods.join(" or "))
    }

    /// Returns the function that converts an error to a response to this request. `None` if the standard format stays.
    /// A method without an operation has the format of another method of its path.
    pub(super) fn error_response(&self, request: &Request) -> Option<fn(Problem) -> Response> {
        let operations = self.0.get(request.extensions().get::<MatchedPath>()?.as_str())?;
        let operation = operations.get(request.method().as_str()).or_else(|| operations.values().next())?;
        operation.error_response
    }

    /// Returns the beginning of the first query parameter of a request whose operation has none.
    fn unknown_parameter(&self, request: &Request) -> Option<String> {
        let (name, _) = form_urlencoded::parse(request.uri().query()?.as_bytes()).next()?;
        let path = request.extensions().get::<MatchedPath>()?.as_str();
        let operation = self.0.get(path)?.get(request.method().as_str())?;
        let is_unknown = path.starts_with("/api/v1/") && !operation.has_query;
        is_unknown.then(|| first_chars(&name, MAX_SHOWN_CHARS).to_owned())
    }
}

/// Rejects query parameters for REST operations that have none. Otherwise a misspelled or misplaced parameter, such as
/// `dry_run`, would be ignored silently.
pub(super) async fn check_query(State(operations): State<Operations>, request: Request, next: Next) -> Response {
    let unknown = operations.unknown_parameter(&request);
    match unknown {
        Some(name) => {
            let message = format!("unknown parameter {name:?}; this operation has no query parameters, so remove it");
            Problem::new(Code::InvalidArgument, format!("in the query string: {message}")).into_response()
        }
        None => next.run(request).await,
    }
}
