//! Sign-in at the identity provider. A browser is redirected to the provider and back. Errors lead to the sign-in page,
//! which shows them.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::Response;
use schemars::JsonSchema;
use serde::Deserialize;

use super::super::device::Device;
use super::super::extract::QueryParameters;
use super::person::{self, SignInPolicy};
use super::{SignInStartParameters, cookies, failure, record_denial, redirect, return_path, signed_in};
use crate::audit::{AuditAction, NewAuditEntry};
use crate::identity::SignInMethod;
use crate::node::Node;
use crate::protocol::{Code, Problem};
use crate::sign_in::{AuthorizationResponse, OidcError, OidcProvider, SignInAttempt};

/// Name of this sign-in method in the audit log.
const BY: &str = "oidc";

/// Begins a sign-in: redirects the browser to the provider.
pub(in super::super) async fn start(
    State(node): State<Arc<Node>>,
    QueryParameters(parameters): QueryParameters<SignInStartParameters>,
) -> Result<Response, Problem> {
    let provider = provider(&node)?;
    let return_to = return_path(&parameters)?;
    let attempt = SignInAttempt::begin();
    let url = match provider.authorization_url(&attempt).await {
        Ok(url) => url,
        Err(error) => {
            record_denial(&node, BY, error, None);
            return Ok(failure(error, Some(&return_to)));
        }
    };
    node.external.begin_sign_in(attempt.hash(), &return_to, SignInAttempt::LIFETIME).await?;
    Ok(redirect(url.as_str(), &[cookies::attempt(&node, &attempt).to_string()]))
}

/// Query of the redirect from the identity provider.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(in super::super) struct OidcCallbackParameters {
    /// Code that the server exchanges for the person's identity.
    code: Option<String>,
    /// State of the sign-in.
    state: Option<String>,
    /// Issuer of the response (RFC 9207).
    iss: Option<String>,
    /// Error code of the provider, for example `access_denied`.
    error: Option<String>,
}

/// Ends a sign-in: identifies the person and signs the browser in.
pub(in super::super) async fn callback(
    State(node): State<Arc<Node>>,
    device: Device,
    headers: HeaderMap,
    QueryParameters(parameters): QueryParameters<OidcCallbackParameters>,
) -> Result<Response, Problem> {
    let provider = provider(&node)?;
    // Only the browser that began this sign-in has its cookie, so an attacker cannot sign another person in under the
    // attacker's account.
    let attempt = parameters.state.as_deref().and_then(|state| cookies::attempt_of(&node, &headers, state));
    let return_to = match &attempt {
        Some(attempt) => node.external.finish_sign_in(attempt.hash()).await?,
        None => None,
    };
    let (Some(attempt), Some(return_to)) = (attempt, return_to) else {
        record_denial(&node, BY, OidcError::Expired, None);
        return Ok(failure(OidcError::Expired, None));
    };
    let response = AuthorizationResponse {
        code: parameters.code.as_deref(),
        error: parameters.error.as_deref(),
        issuer: parameters.iss.as_deref(),
    };
    let (person, id_token) = match provider.identify(&attempt, response).await {
        Ok(identified) => identified,
        Err(error) => {
            record_denial(&node, BY, error, None);
            return Ok(attempt_failure(&node, &attempt, error, &return_to));
        }
    };
    let settings = provider.settings();
    let policy = SignInPolicy {
        issuer: provider.issuer(),
        by: BY,
        is_allowed: settings.allows(&person),
        role: settings.role(&person),
        session_role: settings.session_roles.role(&person),
        default_role: settings.default_role,
        create_people: settings.create_people,
    };
    match person::participant(&node, &policy, &person).await? {
        Ok(participant) => {
            node.audit.record(NewAuditEntry::new(AuditAction::SignIn).by(&participant).detail("by", BY));
            let cookies = [
                cookies::attempt_removal(&node, &attempt).to_string(),
                cookies::id_token(&node, &id_token).to_string(),
            ];
            let answer = redirect(&return_to, &cookies);
            signed_in(&node, &participant, &device, SignInMethod::Oidc, None, answer).await
        }
        Err((error, participant)) => {
            record_denial(&node, BY, error, participant.as_ref());
            Ok(attempt_failure(&node, &attempt, error, &return_to))
        }
    }
}

fn provider(node: &Node) -> Result<&OidcProvider, Problem> {
    let message =
        "this server has no identity provider; sign in with a link or a token, or ask the operator to set oidc";
    node.oidc.as_ref().ok_or_else(|| Problem::new(Code::NotFound, message))
}

/// Redirects to the sign-in page after a failed sign-in, and deletes its cookie.
fn attempt_failure(node: &Node, attempt: &SignInAttempt, error: OidcError, return_to: &str) -> Response {
    let mut response = failure(error, Some(return_to));
    if let Ok(cookie) = cookies::attempt_removal(node, attempt).to_string().parse() {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    response
}
