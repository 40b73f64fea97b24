//! Access check in front of every path of a session. It runs before the handler reads anything of the request.

use std::collections::HashMap;
use std::sync::Arc;

use axum::extract::{FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::middleware::Next;
use axum::response::Response;

use super::auth::Caller;
use super::extract::{PathParameters, id};
use crate::identity::Participant;
use crate::kernel::{Role, SessionId};
use crate::node::Node;
use crate::protocol::Problem;

/// Caller with access to the session of the path.
#[derive(Debug, Clone)]
pub(super) struct SessionAccess {
    /// The caller.
    pub(super) who: Participant,
    /// The session.
    pub(super) session: SessionId,
    /// Role of the caller in the session.
    pub(super) role: Role,
}

impl<S: Send + Sync> FromRequestParts<S> for SessionAccess {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let access = parts.extensions.get().cloned();
        access.ok_or_else(|| Problem::internal("a path of a session has no access check"))
    }
}

/// Rejects callers without access to the session, before the handler reads anything of the request.
pub(super) async fn check(
    State(node): State<Arc<Node>>,
    Caller(who): Caller,
    PathParameters(names): PathParameters<HashMap<String, String>>,
    mut request: Request,
    next: Next,
) -> Result<Response, Problem> {
    let session = id(names.get("session").map_or("", String::as_str))?;
    let role = node.access.role(&who, session).await?;
    request.extensions_mut().insert(SessionAccess { who, session, role });
    Ok(next.run(request).await)
}
