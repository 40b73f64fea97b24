//! Sign-in methods that this server offers.

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::{Extension, Json};
use schemars::JsonSchema;
use serde::Serialize;

use super::proxy;
use crate::network::PeerAddress;
use crate::node::Node;

/// Sign-in methods in addition to links and tokens.
#[derive(Debug, Serialize, JsonSchema)]
pub(in super::super) struct SignInOptions {
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

/// Returns the sign-in methods, for the sign-in page.
pub(in super::super) async fn options(
    State(node): State<Arc<Node>>,
    peer: Option<Extension<PeerAddress>>,
    headers: HeaderMap,
) -> Json<SignInOptions> {
    let proxy = proxy::named(&node, peer, &headers).ok().flatten().map(|person| ProxyOption { user: person.subject });
    let oidc = node.oidc.as_ref().map(|provider| OidcOption { label: provider.label().to_owned() });
    Json(SignInOptions { oidc, proxy })
}
