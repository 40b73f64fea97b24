//! Operations of the HTTP interface by path: the query parameters that they accept, which are checked before the
//! handler reads them, and the format of their errors.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{MatchedPath, Request, State};
use axum::http::Method;
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
    /// Names of the query parameters. `None` if the operation accepts any name.
    query_names: Option<Vec<String>>,
    error_response: Option<fn(Problem) -> Response>,
}

impl Operations {
    /// Returns the operations of REST and of the doors.
    pub(super) fn new(doors: Vec<EndpointGroup>) -> Self {
        let mut paths = BTreeMap::<_, BTreeMap<_, _>>::new();
        for endpoint in openapi::groups(doors).iter().flat_map(|group| &group.endpoints) {
            let operation =
                Operation { query_names: endpoint.query_names(), error_response: endpoint.error_response() };
            paths.entry(endpoint.path()).or_default().insert(endpoint.method(), operation);
        }
        Self(Arc::new(paths))
    }

    /// Returns the methods of a path as text, or `None` if the path has no operation.
    pub(super) fn methods(&self, path: &str) -> Option<String> {
        let methods = self.0.get(path)?.keys().copied().collect::<Vec<_>>();
        Some(methods.join(" or "))
    }

    /// Returns the function that converts an error to a response to this request, or `None` if its errors stay in the
    /// standard format. A method without an operation has the format of another method of its path.
    pub(super) fn error_response(&self, request: &Request) -> Option<fn(Problem) -> Response> {
        let operations = self.0.get(request.extensions().get::<MatchedPath>()?.as_str())?;
        let operation = operations.get(request.method().as_str()).or_else(|| operations.values().next())?;
        operation.error_response
    }

    /// Returns the error for the first query parameter that the operation of a request does not have, or `None` if it
    /// has all of them.
    fn query_error(&self, request: &Request) -> Option<Problem> {
        let query = request.uri().query()?;
        let path = request.extensions().get::<MatchedPath>()?.as_str();
        let method = if request.method() == Method::HEAD { &Method::GET } else { request.method() };
        let known = self.0.get(path)?.get(method.as_str())?.query_names.as_ref()?;
        let mut names = form_urlencoded::parse(query.as_bytes()).map(|(name, _)| name);
        let unknown = names.find(|name| !known.iter().any(|known| known == name))?;
        let name = first_chars(&unknown, MAX_SHOWN_CHARS);
        let advice = match known.as_slice() {
            [] => "this operation has no query parameters, so remove it".to_owned(),
            known => format!("use {}", known.join(", ")),
        };
        let message = format!("in the query string: unknown parameter {name:?}; {advice}");
        Some(Problem::new(Code::InvalidArgument, message))
    }
}

/// Rejects query parameters that an operation does not have. Otherwise a misspelled or misplaced parameter, such as
/// `dry_run`, would be ignored silently.
pub(super) async fn check_query(State(operations): State<Operations>, request: Request, next: Next) -> Response {
    match operations.query_error(&request) {
        Some(problem) => problem.into_response(),
        None => next.run(request).await,
    }
}
