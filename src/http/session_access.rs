//! The check in front of every path of a session: what such a path takes is read only for callers who may know of it.

use std::collections::HashMap;
use std::sync::Arc;

use axum::extract::{FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::middleware::Next;
use axum::response::Response;

use super::auth::Signed;
use super::extract::{Path, id};
use crate::identity::Participant;
use crate::kernel::{Role, SessionId};
use crate::node::Node;
use crate::protocol::Problem;

/// A caller who may know of the session that the path names.
#[derive(Debug, Clone)]
pub(super) struct SessionAccess {
    pub(super) who: Participant,
    pub(super) session: SessionId,
    pub(super) role: Role,
}

impl<S: Send + Sync> FromRequestParts<S> for SessionAccess {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let access = parts.extensions.get().cloned();
        access.ok_or_else(|| Problem::internal("a path of a session without the check in front of it"))
    }
}

/// Refuses callers who may not know of the session, before anything else of the request is looked at.
pub(super) async fn check(
    State(node): State<Arc<Node>>,
    Signed(who): Signed,
    Path(names): Path<HashMap<String, String>>,
    mut request: Request,
    next: Next,
) -> Result<Response, Problem> {
    let session = id(names.get("session").map_or("", String::as_str))?;
    let role = node.access.role(&who, session).await?;
    request.extensions_mut().insert(SessionAccess { who, session, role });
    Ok(next.run(request).await)
}
