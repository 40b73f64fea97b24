//! Cookies of a sign-in at the identity provider: one while it is in progress, and one for the sign-out.

use axum::http::HeaderMap;
use axum_extra::extract::cookie::{Cookie, CookieJar, SameSite};

use super::super::auth;
use crate::kernel::first_chars;
use crate::node::Node;
use crate::sign_in::SignInAttempt;

/// Maximum length of an ID token in a cookie, in bytes. Browsers reject cookies of more than 4096 bytes.
const MAX_ID_TOKEN_BYTES: usize = 3800;

/// Value of the cookie if the ID token is too long. The provider then asks the person before it ends their sign-in.
const NO_ID_TOKEN: &str = "-";

/// Path of the cookie with the ID token. Other requests do not need the cookie.
const SIGN_OUT: &str = "/api/v1/sign-out";

/// Number of characters of the state in the name of a cookie.
const STATE_CHARS: usize = 16;

/// Returns the name of the cookie of a sign-in in progress. Each sign-in has its own cookie, so that two tabs can sign
/// in at once.
fn attempt_name(node: &Node, state: &str) -> String {
    format!("{}_oidc_{}", auth::cookie_name(node), first_chars(state, STATE_CHARS))
}

fn id_token_name(node: &Node) -> String {
    // The prefix `__Host-` would require the path `/`.
    format!("{}_oidc_id", auth::cookie_name(node).replace("__Host-", "__Secure-"))
}

/// Returns the cookie of a sign-in in progress. The provider's redirect is a request from another site, so the cookie
/// cannot be `SameSite=Strict`.
pub(super) fn attempt(node: &Node, attempt: &SignInAttempt) -> Cookie<'static> {
    let lasts = i64::try_from(SignInAttempt::LIFETIME.as_secs()).unwrap_or_default();
    let cookie = Cookie::build((attempt_name(node, &attempt.state()), attempt.reveal().to_owned()));
    let cookie = cookie.http_only(true).same_site(SameSite::Lax).secure(node.hosts.is_secure()).path("/");
    cookie.max_age(time::Duration::seconds(lasts)).build()
}

/// Returns the cookie that deletes the one of a sign-in in progress.
pub(super) fn attempt_removal(node: &Node, attempt: &SignInAttempt) -> Cookie<'static> {
    let cookie = Cookie::build((attempt_name(node, &attempt.state()), "")).http_only(true).same_site(SameSite::Lax);
    cookie.secure(node.hosts.is_secure()).path("/").max_age(time::Duration::ZERO).build()
}

/// Returns the browser's sign-in in progress that has this state.
pub(super) fn attempt_of(node: &Node, headers: &HeaderMap, state: &str) -> Option<SignInAttempt> {
    let jar = CookieJar::from_headers(headers);
    let attempt = jar.get(&attempt_name(node, state)).map(|cookie| SignInAttempt::of_cookie(cookie.value()));
    // The name of the cookie contains only a part of the state.
    attempt.filter(|attempt| attempt.has_state(state))
}

/// Returns the cookie that keeps the ID token for the sign-out. The cookie lasts as long as the sign-in can.
pub(super) fn id_token(node: &Node, token: &str) -> Cookie<'static> {
    let days = i64::try_from(node.config.identity.cookie_days).unwrap_or(30);
    let token = if token.len() > MAX_ID_TOKEN_BYTES { NO_ID_TOKEN } else { token };
    let cookie = Cookie::build((id_token_name(node), token.to_owned())).http_only(true).same_site(SameSite::Strict);
    cookie.secure(node.hosts.is_secure()).path(SIGN_OUT).max_age(time::Duration::days(days)).build()
}

/// Returns the cookie that deletes the ID token.
pub(in super::super) fn id_token_removal(node: &Node) -> Cookie<'static> {
    let cookie = Cookie::build((id_token_name(node), "")).http_only(true).same_site(SameSite::Strict);
    cookie.secure(node.hosts.is_secure()).path(SIGN_OUT).max_age(time::Duration::ZERO).build()
}

/// Returns the ID token of a browser, or `Some(None)` if the token was too long, or `None` if the browser did not sign
/// in at the provider.
pub(in super::super) fn id_token_of(node: &Node, headers: &HeaderMap) -> Option<Option<String>> {
    let jar = CookieJar::from_headers(headers);
    let value = jar.get(&id_token_name(node))?.value();
    Some((value != NO_ID_TOKEN).then(|| value.to_owned()))
}
