//! Sign-in and sign-out, one file for each method.

mod cookies;
pub(super) mod link;
pub(super) mod oidc;
pub(super) mod options;
mod person;
pub(super) mod proxy;
pub(super) mod sign_out;

use std::time::Duration;

use axum::http::{StatusCode, header};
use axum::response::{AppendHeaders, IntoResponse, Response};
use schemars::JsonSchema;
use serde::Deserialize;

use super::auth;
use super::device::Device;
use crate::audit::{AuditAction, NewAuditEntry};
use crate::identity::{CredentialKind, Participant, SecretHash, SignInMethod, issue_with};
use crate::node::Node;
use crate::protocol::{Code, Problem};
use crate::sign_in::{OidcError, check_return_path};

/// Query of a sign-in at the identity provider or through a proxy.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SignInStartParameters {
    /// Path of the page to show after the sign-in, for example `/knowledge`. Default `/`.
    return_to: Option<String>,
}

/// Records a sign-in of this participant, and adds a new cookie to the response. The cookie has the participant's
/// scope, and ends when `origin` ends.
pub(super) async fn signed_in(
    node: &Node,
    participant: &Participant,
    device: &Device,
    method: SignInMethod,
    origin: Option<SecretHash>,
    answer: impl IntoResponse,
) -> Result<Response, Problem> {
    let days = |days: u64| Some(Duration::from_secs(days * 24 * 60 * 60));
    let secret = issue_with(&*node.identities, participant.id, CredentialKind::Cookie, |new| {
        new.lasts = days(node.config.identity.cookie_days);
        new.idle = days(node.config.identity.cookie_idle_days);
        (new.origin, new.label, new.address) = (origin, device.label.clone(), device.address);
        new.scope = participant.scope.as_deref().cloned();
    });
    let secret = secret.await?;
    node.identities.record_sign_in(participant.id, method).await?;
    let cookie = auth::cookie(node, &secret).to_string();
    Ok((AppendHeaders([(header::SET_COOKIE, cookie)]), answer).into_response())
}

fn return_path(parameters: &SignInStartParameters) -> Result<String, Problem> {
    check_return_path(parameters.return_to.as_deref().unwrap_or("/")).ok_or_else(|| {
        let message = "return_to is not a page of this server; send a path such as /knowledge";
        Problem::new(Code::InvalidArgument, message)
    })
}

fn record_denial(node: &Node, by: &str, error: OidcError, who: Option<&Participant>) {
    let entry = NewAuditEntry::new(AuditAction::SignIn).detail("by", by).detail("reason", error.as_str()).denied();
    node.audit.record(who.into_iter().fold(entry, NewAuditEntry::by));
}

/// Redirects to the sign-in page, which shows the error and offers a retry.
fn failure(error: OidcError, return_to: Option<&str>) -> Response {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.append_pair("error", error.as_str());
    query.extend_pairs(return_to.filter(|path| *path != "/").map(|path| ("return_to", path)));
    redirect(&format!("/sign-in?{}", query.finish()), &[])
}

fn redirect(to: &str, cookies: &[String]) -> Response {
    let cookies = cookies.iter().map(|cookie| (header::SET_COOKIE, cookie.as_str()));
    let headers = std::iter::once((header::LOCATION, to)).chain(cookies).collect::<Vec<_>>();
    (StatusCode::SEE_OTHER, AppendHeaders(headers)).into_response()
}
