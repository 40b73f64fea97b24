//! Sign-in through a header of a reverse proxy.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;

use super::super::device::Device;
use super::super::extract::QueryParameters;
use super::person::{self, SignInPolicy};
use super::{SignInStartParameters, failure, record_denial, redirect, return_path, signed_in};
use crate::audit::{AuditAction, NewAuditEntry};
use crate::identity::SignInMethod;
use crate::network::PeerAddress;
use crate::node::Node;
use crate::protocol::{Code, Problem};
use crate::sign_in::{ExternalPerson, OidcError, ProxySignIn};

/// Name of this sign-in method in the audit log.
const BY: &str = "proxy";

/// Returns the person whom a listed proxy names in a request, or `None` if no listed proxy names one. Records an
/// unlisted address that sends the header.
pub(super) fn named(
    node: &Node,
    peer: Option<Extension<PeerAddress>>,
    headers: &HeaderMap,
) -> Result<Option<ExternalPerson>, OidcError> {
    let peer = peer.map(|Extension(PeerAddress(peer))| peer);
    let Some(proxy) = &node.proxy_sign_in else { return Ok(None) };
    if proxy.is_new_stranger(peer, headers) {
        tracing::warn!("ignored the header of a sign-in proxy from an address that is not in identity.proxy.from");
        let entry = NewAuditEntry::new(AuditAction::SignIn).detail("by", BY).detail("reason", "unlisted_address");
        node.audit.record(entry.denied());
    }
    proxy.person(peer, headers)
}

/// Signs the browser in as the person whom the proxy names.
pub(in super::super) async fn sign_in(
    State(node): State<Arc<Node>>,
    device: Device,
    peer: Option<Extension<PeerAddress>>,
    headers: HeaderMap,
    QueryParameters(parameters): QueryParameters<SignInStartParameters>,
) -> Result<Response, Problem> {
    let Some(proxy) = &node.proxy_sign_in else {
        let message = "this server has no sign-in by a proxy; ask the operator to set identity.proxy";
        return Err(Problem::new(Code::NotFound, message));
    };
    let return_to = return_path(&parameters)?;
    let person = match named(&node, peer, &headers) {
        Ok(Some(person)) => person,
        // A request without the header and a request whose header is ignored get the same error, so that the error does
        // not help anyone find the proxies.
        Ok(None) => {
            record_denial(&node, BY, OidcError::NoUser, None);
            return Ok(failure(OidcError::NoUser, Some(&return_to)));
        }
        Err(error) => {
            record_denial(&node, BY, error, None);
            return Ok(failure(error, Some(&return_to)));
        }
    };
    let settings = proxy.settings();
    let policy = SignInPolicy {
        issuer: ProxySignIn::ISSUER,
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
            let answer = redirect(&return_to, &[]);
            signed_in(&node, &participant, &device, SignInMethod::Proxy, None, answer).await
        }
        Err((error, participant)) => {
            record_denial(&node, BY, error, participant.as_ref());
            Ok(failure(error, Some(&return_to)))
        }
    }
}
