//! Sign-out, including at the identity provider.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{AppendHeaders, IntoResponse, Response};
use axum::{Extension, Json};
use schemars::JsonSchema;
use serde::Serialize;

use super::super::auth;
use super::cookies;
use crate::audit::{AuditAction, NewAuditEntry};
use crate::identity::Participant;
use crate::node::Node;
use crate::protocol::Problem;

/// Response to a sign-out of a browser that signed in at the identity provider.
#[derive(Debug, Serialize, JsonSchema)]
pub(in super::super) struct SignOutResponse {
    /// URL at the provider that ends the sign-in there and redirects back to the sign-in page.
    continue_at: String,
}

pub(in super::super) async fn sign_out(
    State(node): State<Arc<Node>>,
    who: Option<Extension<Participant>>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    if let Some(hash) = auth::cookie_hash(&node, &headers) {
        if let Some(Extension(who)) = who {
            node.audit.record(NewAuditEntry::new(AuditAction::SignOut).by(&who).subject(hash.id()));
        }
        node.identities.remove_credential(hash).await?;
    }
    let removed = |cookie: String| (header::SET_COOKIE, cookie);
    let cookie = removed(auth::removal_cookie(&node).to_string());
    let Some(id_token) = cookies::id_token_of(&node, &headers) else {
        return Ok((AppendHeaders([cookie]), StatusCode::NO_CONTENT).into_response());
    };
    let cookies = AppendHeaders([cookie, removed(cookies::id_token_removal(&node).to_string())]);
    let provider = match &node.oidc {
        Some(provider) => provider.sign_out_url(id_token.as_deref()).await,
        None => None,
    };
    match provider {
        Some(url) => Ok((cookies, Json(SignOutResponse { continue_at: url.into() })).into_response()),
        None => Ok((cookies, StatusCode::NO_CONTENT).into_response()),
    }
}
