//! Authentication of requests.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{FromRequestParts, Request, State};
use axum::http::{HeaderMap, Method, header, request::Parts};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use axum_extra::extract::cookie::{Cookie, CookieJar, SameSite};

use super::token_scope;
use crate::identity::{CredentialKind, CredentialProof, Participant, Secret, SecretHash, ServerRole, authenticate};
use crate::network::{ClientAddress, Scheme};
use crate::node::Node;
use crate::protocol::{Code, Problem};

/// Authenticated participant of a request. Without one, the request fails with `unauthenticated`.
#[derive(Debug, Clone)]
pub(super) struct Caller(pub Participant);

impl Caller {
    /// Returns the participant if they are an administrator. `deed` completes the error message, for example
    /// `read the audit log`.
    ///
    /// # Errors
    /// Fails with `forbidden` for everyone else.
    pub(super) fn administrator(self, deed: &str) -> Result<Participant, Problem> {
        match self.0.server_role {
            ServerRole::Admin => Ok(self.0),
            ServerRole::Member | ServerRole::Guest => Err(Problem::new(
                Code::Forbidden,
                format!("only administrators of this server can {deed}; ask one of them"),
            )),
        }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        parts.extensions.get().cloned().map(Self).ok_or_else(|| {
            Problem::new(Code::Unauthenticated, "sign in first, or send Authorization: Bearer with a token")
        })
    }
}

/// Adds the participant and their proof to the request's extensions, if a token or a cookie identifies them.
pub(super) async fn identify(State(node): State<Arc<Node>>, mut request: Request, next: Next) -> Response {
    if !is_from_front_end(&node, request.headers()) {
        return attach_identity(&node, request, next).await;
    }
    // If cookies counted, a page of a front end could act as its visitor, or sign its visitor in as someone else.
    request.headers_mut().remove(header::COOKIE);
    request.headers_mut().remove(header::ORIGIN);
    let mut response = attach_identity(&node, request, next).await;
    response.headers_mut().remove(header::SET_COOKIE);
    response
}

async fn attach_identity(node: &Node, mut request: Request, next: Next) -> Response {
    // Identities are looked up in the database, so a flood of unknown tokens must leave room for other requests.
    let scheme = request.extensions().get().copied().unwrap_or(Scheme::Http);
    let place = request.extensions().get().map(|address| node.admission.lookup(*address)).transpose();
    let address = request.extensions().get().map(|ClientAddress(address)| *address);
    let known = match place {
        Ok(_place) => identify_request(node, request.method(), request.headers(), scheme, address).await,
        Err(problem) => Err(problem),
    };
    let caller = match known {
        Ok(Some((participant, proof))) => {
            node.revocations.uses.note(proof.hash, address);
            request.extensions_mut().insert(participant.clone());
            request.extensions_mut().insert(proof);
            participant
        }
        Ok(None) => return next.run(request).await,
        Err(problem) => return problem.into_response(),
    };
    let request = match &caller.scope {
        Some(scope) => token_scope::check(scope, request).await,
        None => Ok(request),
    };
    let mut response = match request {
        Ok(request) => next.run(request).await,
        Err(problem) => problem.into_response(),
    };
    response.extensions_mut().insert(Caller(caller));
    response
}

async fn identify_request(
    node: &Node,
    method: &Method,
    headers: &HeaderMap,
    scheme: Scheme,
    address: Option<IpAddr>,
) -> Result<Option<(Participant, CredentialProof)>, Problem> {
    if let Some(value) = headers.get(header::AUTHORIZATION) {
        let token = value.to_str().ok().and_then(|value| value.split_once(' '));
        let token = token.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer")).map(|(_, token)| token.trim());
        let no = |message: &str| Problem::new(Code::Unauthenticated, message);
        let token = token.ok_or_else(|| no("the Authorization header is invalid; send Authorization: Bearer TOKEN"))?;
        let proof = CredentialProof { hash: SecretHash::of(token), grant: CredentialKind::Token };
        let known = find_participant(node, proof, address).await?;
        return known.map(Some).ok_or_else(|| no("the token is unknown, revoked or expired; get a new one"));
    }
    check_origin(node, method, headers, scheme)?;
    let Some(hash) = cookie_hash(node, headers) else { return Ok(None) };
    find_participant(node, CredentialProof { hash, grant: CredentialKind::Cookie }, address).await
}

async fn find_participant(
    node: &Node,
    proof: CredentialProof,
    address: Option<IpAddr>,
) -> Result<Option<(Participant, CredentialProof)>, Problem> {
    let known = authenticate(&*node.identities, proof, address).await?;
    Ok(known.map(|participant| (participant, proof)))
}

/// Checks the origin of requests that change data or open a socket. Browsers send cookies with requests from any page,
/// together with the page's origin, and only the server's own pages are allowed to act with cookies. Other programs
/// send neither an origin nor cookies that a page could abuse.
fn check_origin(node: &Node, method: &Method, headers: &HeaderMap, scheme: Scheme) -> Result<(), Problem> {
    let changes = !method.is_safe() || headers.contains_key(header::UPGRADE);
    let text = |name| headers.get(name).map(|value: &header::HeaderValue| value.to_str().unwrap_or_default());
    let Some(origin) = text(header::ORIGIN).filter(|_| changes) else { return Ok(()) };
    if node.hosts.accepts_origin(origin, text(header::HOST).unwrap_or_default(), scheme) {
        return Ok(());
    }
    let message = "pages of this origin cannot do this; if the page is yours, add its origin to http.cors_origins, or its \
                 host to allowed_hosts if this server serves it";
    Err(Problem::new(Code::WrongOrigin, message))
}

/// Returns whether the request is from a page of one of `http.cors_origins`.
fn is_from_front_end(node: &Node, headers: &HeaderMap) -> bool {
    let origin = headers.get(header::ORIGIN).and_then(|origin| origin.to_str().ok());
    origin.is_some_and(|origin| node.config.http.cors_origins.iter().any(|known| known == origin))
}

/// Returns the name of the cookie of a signed-in browser. It contains the port, because all ports of a host share
/// cookies and two servers on one machine would overwrite each other's.
pub(super) fn cookie_name(node: &Node) -> String {
    match node.hosts.public_port() {
        _ if node.hosts.is_secure() => "__Host-roundtable".into(),
        Some(port) => format!("roundtable_{port}"),
        None => "roundtable".into(),
    }
}

/// Returns the cookie of a signed-in browser. `SameSite=Strict` does not break links from other sites, because the page
/// itself needs no cookie and its requests are from the same site.
pub(super) fn cookie(node: &Node, secret: &Secret) -> Cookie<'static> {
    let days = i64::try_from(node.config.identity.cookie_days).unwrap_or(30);
    let max_age = axum_extra::extract::cookie::Cookie::build((cookie_name(node), secret.reveal().to_owned()));
    max_age
        .http_only(true)
        .same_site(SameSite::Strict)
        .secure(node.hosts.is_secure())
        .path("/")
        .max_age(time::Duration::days(days))
        .build()
}

/// Returns the cookie that deletes the one of a signed-in browser.
pub(super) fn removal_cookie(node: &Node) -> Cookie<'static> {
    let cookie = Cookie::build((cookie_name(node), "")).http_only(true).same_site(SameSite::Strict);
    cookie.secure(node.hosts.is_secure()).path("/").max_age(time::Duration::ZERO).build()
}

/// Returns whether the request has a credential, valid or not.
pub(super) fn has_credential(node: &Node, headers: &HeaderMap) -> bool {
    headers.contains_key(header::AUTHORIZATION) || cookie_hash(node, headers).is_some()
}

/// Returns the hash of the secret in the request's cookie, or `None` if the request has no such cookie.
pub(super) fn cookie_hash(node: &Node, headers: &HeaderMap) -> Option<SecretHash> {
    CookieJar::from_headers(headers).get(&cookie_name(node)).map(|cookie| SecretHash::of(cookie.value()))
}
