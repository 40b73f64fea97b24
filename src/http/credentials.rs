//! Credentials of a participant: list without secrets, revocation, sign-out everywhere. Participants manage their own
//! credentials, administrators everyone's.

use std::cmp::Reverse;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{AppendHeaders, IntoResponse, Response};
use axum::{Extension, extract::FromRequestParts, http::request::Parts};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use super::auth::{self, Caller};
use super::extract::{PathParameters, id};
use crate::audit::{AuditAction, NewAuditEntry};
use crate::clock;
use crate::identity::{Credential, CredentialKind, CredentialProof, Participant, TokenScope};
use crate::kernel::{ParticipantId, Timestamp};
use crate::node::Node;
use crate::protocol::{Code, Problem};

/// Maximum number of credentials in a list.
const MAX_LISTED: u32 = 200;

/// Owner of the credentials that a request is about, and the caller of the request.
pub(super) struct CredentialOwner {
    asker: Participant,
    of: ParticipantId,
    proof: Option<CredentialProof>,
}

impl CredentialOwner {
    fn own(&self) -> bool {
        self.asker.id == self.of
    }
}

impl FromRequestParts<Arc<Node>> for CredentialOwner {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, node: &Arc<Node>) -> Result<Self, Problem> {
        let who = Caller::from_request_parts(parts, node).await?;
        let proof = parts.extensions.get().copied();
        let names =
            PathParameters::<std::collections::HashMap<String, String>>::from_request_parts(parts, node).await?.0;
        let Some(named) = names.get("participant") else {
            return Ok(Self { of: who.0.id, asker: who.0, proof });
        };
        let asker = who.administrator("manage credentials of others")?;
        let of = id(named)?;
        match node.identities.participant(of).await? {
            Some(_) => Ok(Self { asker, of, proof }),
            None => Err(Problem::unknown_participant()),
        }
    }
}

/// Credentials of one participant.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct CredentialsResponse {
    /// Credentials, most recently used first, at most 200.
    credentials: Vec<CredentialResponse>,
    /// True if there are more credentials than the list contains. Revoke some of those in the list to see them.
    more: bool,
}

/// Credential without its secret.
#[derive(Debug, Serialize, JsonSchema)]
struct CredentialResponse {
    /// Id of the credential, 12 hexadecimal digits.
    id: String,
    /// Kind of the credential.
    kind: CredentialKind,
    /// True if this request was sent with the credential.
    current: bool,
    /// Name of the browser, as reported by the browser, or of the token, as chosen by its creator.
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<Arc<str>>,
    /// Limits of the credential. Absent if it has all rights of its owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    scope: Option<TokenScope>,
    /// IP address of the last use, or of the creation if the credential is unused, for example `192.0.2.7`.
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<Arc<str>>,
    /// Time at which the credential was created.
    created_at: Timestamp,
    /// Time of the last use. Absent if the credential is unused.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_used_at: Option<Timestamp>,
    /// Time at which the credential expires. Each use of a cookie can postpone it. Absent if the credential does not
    /// expire.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<Timestamp>,
}

pub(super) async fn list(
    State(node): State<Arc<Node>>,
    owner: CredentialOwner,
) -> Result<Json<CredentialsResponse>, Problem> {
    let mut listed = node.identities.credentials(Some(owner.of), MAX_LISTED + 1).await?;
    let more = listed.len() > MAX_LISTED as usize;
    listed.truncate(MAX_LISTED as usize);
    // Include uses that are not yet written, because used credentials would otherwise look unused. Writing them here
    // would cost a commit per request.
    let ids = listed.iter().map(|credential| &*credential.id).collect();
    let noted = node.revocations.uses.noted(&ids);
    for credential in &mut listed {
        let Some(address) = noted.get(&credential.id) else { continue };
        credential.last_used_at = Some(clock::now());
        credential.address = address.map(|address| address.to_string().into()).or(credential.address.take());
    }
    listed.sort_by_key(|credential| Reverse(credential.last_used_at.unwrap_or(credential.created_at)));
    let current = owner.proof.map(|proof| proof.hash.id());
    let shown = |credential: Credential| CredentialResponse {
        current: current.as_ref() == Some(&credential.id),
        kind: credential.grant,
        id: credential.id,
        label: credential.label,
        scope: credential.scope,
        address: credential.address,
        created_at: credential.created_at,
        last_used_at: credential.last_used_at,
        expires_at: credential.expires_at,
    };
    Ok(Json(CredentialsResponse { credentials: listed.into_iter().map(shown).collect(), more }))
}

pub(super) async fn revoke(
    State(node): State<Arc<Node>>,
    owner: CredentialOwner,
    PathParameters(names): PathParameters<std::collections::HashMap<String, String>>,
) -> Result<StatusCode, Problem> {
    let id = names.get("credential").map_or("", String::as_str);
    let revoked = node.identities.revoke_credential(owner.of, id).await?;
    let grant = revoked.ok_or_else(|| Problem::new(Code::NotFound, "there is no such credential; list them again"))?;
    let action = if grant == CredentialKind::Token { AuditAction::TokenRevoked } else { AuditAction::DeviceRevoked };
    let entry = NewAuditEntry::new(action).by(&owner.asker).subject(id);
    node.audit.record(entry.detail("participant", owner.of.to_string()).detail("kind", json!(grant)));
    Ok(StatusCode::NO_CONTENT)
}

pub(super) async fn sign_out_everywhere(
    State(node): State<Arc<Node>>,
    owner: CredentialOwner,
    proof: Option<Extension<CredentialProof>>,
) -> Result<Response, Problem> {
    let count = node.identities.sign_out_everywhere(owner.of).await?;
    let entry = NewAuditEntry::new(AuditAction::DeviceRevoked).by(&owner.asker).subject("all");
    node.audit.record(entry.detail("participant", owner.of.to_string()).detail("count", count));
    let signed_out_here = owner.own() && proof.is_some_and(|Extension(proof)| proof.grant == CredentialKind::Cookie);
    let cookie = signed_out_here.then(|| (header::SET_COOKIE, auth::removal_cookie(&node).to_string()));
    Ok((AppendHeaders(cookie), StatusCode::NO_CONTENT).into_response())
}
