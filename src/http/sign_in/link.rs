//! Sign-in with a link or a token.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::Response;
use schemars::JsonSchema;
use serde::Deserialize;

use super::super::device::Device;
use super::super::extract::JsonBody;
use super::super::me::MeResponse;
use super::signed_in;
use crate::audit::{AuditAction, NewAuditEntry};
use crate::identity::{CredentialKind, CredentialProof, SecretHash, SignInMethod, authenticate};
use crate::node::Node;
use crate::protocol::{Code, Problem};

/// Body of a sign-in.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in super::super) struct SignInRequest {
    /// Code after the `#` of a sign-in link, `rt_signin_…`, or a token, `rt_token_…`.
    code: String,
}

pub(in super::super) async fn sign_in(
    State(node): State<Arc<Node>>,
    device: Device,
    JsonBody(body): JsonBody<SignInRequest>,
) -> Result<Response, Problem> {
    let code = body.code.trim();
    let hash = SecretHash::of(code);
    // A cookie from a token ends with the token. A sign-in link works once.
    let (known, origin) = if code.starts_with("rt_token_") {
        let proof = CredentialProof { hash, grant: CredentialKind::Token };
        (authenticate(&*node.identities, proof, device.address).await?, Some(hash))
    } else {
        (node.identities.redeem(hash, CredentialKind::SignIn).await?, None)
    };
    let method = if origin.is_some() { SignInMethod::Token } else { SignInMethod::Link };
    let entry = NewAuditEntry::new(AuditAction::SignIn).subject(hash.id()).detail("by", method.as_str());
    let Some(participant) = known else {
        node.audit.record(entry.denied());
        let message = match origin {
            Some(_) => "the token is unknown, revoked or expired; create a new one",
            None => "this sign-in link is used or expired; run `roundtable sign-in` on the server for a new one",
        };
        return Err(Problem::new(Code::LinkInvalid, message));
    };
    node.audit.record(entry.by(&participant));
    let answer = Json(MeResponse::signing_in(&participant, method));
    signed_in(&node, &participant, &device, method, origin, answer).await
}
