//! Sign-in at the identity provider. A browser is redirected to the provider and back; errors lead to the sign-in page,
//! which words them.

mod cookies;
mod person;
mod proxy;

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{AppendHeaders, IntoResponse, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::person::SignInPolicy;
use super::device::Device;
use super::extract::QueryParameters;
use super::sign_in::signed_in;
use crate::audit::{AuditAction, NewAuditEntry};
use crate::identity::{Participant, SignInMethod};
use crate::network::PeerAddress;
use crate::node::Node;
use crate::protocol::{Code, Problem};
use crate::sign_in::{AuthorizationResponse, OidcError, OidcProvider, SignInAttempt, check_return_path};

/// Name of this way to sign in, in the audit log.
const BY: &str = "oidc";

pub(super) use cookies::{id_token_of, id_token_removal};
pub(super) use proxy::sign_in as sign_in_by_proxy;

/// Ways to sign in, besides links and tokens.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct SignInOptions {
    /// Identity provider. Absent if the server has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    oidc: Option<OidcOption>,
    /// Person whom a reverse proxy names in this request. Absent if it names none.
    #[serde(skip_serializing_if = "Option::is_none")]
    proxy: Option<ProxyOption>,
}

/// Person whom a reverse proxy names.
#[derive(Debug, Serialize, JsonSchema)]
struct ProxyOption {
    /// Id of the person at the proxy, for example `ann@example.org`.
    user: String,
}

/// Identity provider at which people sign in.
#[derive(Debug, Serialize, JsonSchema)]
struct OidcOption {
    /// Name of the provider for people, for example `Example SSO`.
    label: String,
}

/// Returns the ways to sign in, for the sign-in page.
pub(super) async fn options(
    State(node): State<Arc<Node>>,
    peer: Option<Extension<PeerAddress>>,
    headers: HeaderMap,
) -> axum::Json<SignInOptions> {
    let proxy = proxy::named(&node, peer, &headers).ok().flatten().map(|person| ProxyOption { user: person.subject });
    let oidc = node.oidc.as_ref().map(|provider| OidcOption { label: provider.label().to_owned() });
    axum::Json(SignInOptions { oidc, proxy })
}

/// Query of a redirect to the identity provider.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct OidcStartParameters {
    /// Path of the page to show after the sign-in, for example `/knowledge`. Default `/`.
    return_to: Option<String>,
}

/// Begins a sign-in: redirects the browser to the provider.
pub(super) async fn start(
    State(node): State<Arc<Node>>,
    QueryParameters(asked): QueryParameters<OidcStartParameters>,
) -> Result<Response, Problem> {
    let provider = provider(&node)?;
    let return_to = return_path(&asked)?;
    let attempt = SignInAttempt::begin();
    let url = match provider.authorization_url(&attempt).await {
        Ok(url) => url,
        Err(error) => return Ok(failure(error, Some(&return_to))),
    };
    node.external.begin_sign_in(attempt.hash(), &return_to, SignInAttempt::LIFETIME).await?;
    Ok(redirect(url.as_str(), &[cookies::attempt(&node, &attempt).to_string()]))
}

/// Query of the redirect from the identity provider.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct OidcCallbackParameters {
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
pub(super) async fn callback(
    State(node): State<Arc<Node>>,
    device: Device,
    headers: HeaderMap,
    QueryParameters(told): QueryParameters<OidcCallbackParameters>,
) -> Result<Response, Problem> {
    let provider = provider(&node)?;
    // Only the browser that began this sign-in has its cookie, so nobody can sign another person in as themselves.
    let attempt = told.state.as_deref().and_then(|state| cookies::attempt_of(&node, &headers, state));
    let return_to = match &attempt {
        Some(attempt) => node.external.finish_sign_in(attempt.hash()).await?,
        None => None,
    };
    let (Some(attempt), Some(return_to)) = (attempt, return_to) else {
        record_refusal(&node, BY, OidcError::Expired, None);
        return Ok(failure(OidcError::Expired, None));
    };
    let response =
        AuthorizationResponse { code: told.code.as_deref(), error: told.error.as_deref(), issuer: told.iss.as_deref() };
    let (person, id_token) = match provider.identify(&attempt, response).await {
        Ok(identified) => identified,
        Err(error) => {
            record_refusal(&node, BY, error, None);
            return Ok(refusal(&node, &attempt, error, &return_to));
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
            record_refusal(&node, BY, error, participant.as_ref());
            Ok(refusal(&node, &attempt, error, &return_to))
        }
    }
}

fn provider(node: &Node) -> Result<&OidcProvider, Problem> {
    let words = "this server has no identity provider; sign in with a link or a token, or ask the operator to set oidc";
    node.oidc.as_ref().ok_or_else(|| Problem::new(Code::NotFound, words))
}

fn return_path(asked: &OidcStartParameters) -> Result<String, Problem> {
    check_return_path(asked.return_to.as_deref().unwrap_or("/")).ok_or_else(|| {
        let words = "return_to is not a page of this server; send a path such as /knowledge";
        Problem::new(Code::InvalidArgument, words)
    })
}

fn record_refusal(node: &Node, by: &str, error: OidcError, who: Option<&Participant>) {
    let entry = NewAuditEntry::new(AuditAction::SignIn).detail("by", by).detail("reason", error.as_str()).refused();
    node.audit.record(who.into_iter().fold(entry, NewAuditEntry::by));
}

/// Redirects to the sign-in page after a sign-in that was used up.
fn refusal(node: &Node, attempt: &SignInAttempt, error: OidcError, return_to: &str) -> Response {
    let mut response = failure(error, Some(return_to));
    if let Ok(cookie) = cookies::attempt_removal(node, attempt).to_string().parse() {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    response
}

/// Redirects to the sign-in page, which words the error and offers another try.
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
