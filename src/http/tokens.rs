//! Creation of tokens by their owner.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::StatusCode;
use axum::{Extension, Json};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::auth::Caller;
use super::device::Device;
use super::extract::JsonBody;
use crate::audit::{AuditAction, NewAuditEntry};
use crate::clock;
use crate::identity::{CredentialKind, CredentialProof, ServerRole, TokenScope, check_name, issue_with};
use crate::kernel::{ActorKind, Timestamp};
use crate::node::Node;
use crate::protocol::{Code, Problem};
use crate::secret_text::SecretText;

/// Maximum number of credentials of a participant, including the token that they create.
const MAX_CREDENTIALS: u32 = 100;
/// Maximum number of days for which a token is valid. Operators can create tokens that last longer.
const MAX_DAYS: u64 = 400;
/// Number of milliseconds in a day.
const DAY_MS: u64 = 24 * 60 * 60 * 1000;

/// Body of a request that creates a token.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct TokenCreateRequest {
    /// Name by which you recognize the token in the list, 1 to 64 characters, for example `Release bot`.
    label: String,
    /// Limits of the token. If absent, it has all your rights. A limited token creates only tokens within its own
    /// scope, which inherit the limits that you leave out.
    #[serde(default)]
    scope: TokenScope,
    /// Days for which the token is valid, 1 to 400. If absent, the `identity.token_days` setting applies. The new token
    /// never outlives the token that you create it with.
    #[serde(default)]
    #[schemars(range(min = 1, max = 400))]
    expires_days: Option<u64>,
}

/// New token.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct TokenCreatedResponse {
    /// Id of the token, 12 hexadecimal digits, for example to revoke it.
    id: String,
    /// The token itself, `rt_token_…`. The server does not store it and never shows it again.
    token: SecretText,
    /// Limits of the token.
    scope: TokenScope,
    /// Time at which the token expires.
    expires_at: Timestamp,
}

pub(super) async fn create(
    State(node): State<Arc<Node>>,
    Caller(who): Caller,
    Extension(proof): Extension<CredentialProof>,
    device: Device,
    JsonBody(TokenCreateRequest { label, scope, expires_days }): JsonBody<TokenCreateRequest>,
) -> Result<(StatusCode, Json<TokenCreatedResponse>), Problem> {
    if who.kind == ActorKind::User && who.server_role == ServerRole::Guest {
        let message = "guests cannot create tokens; ask an administrator for a member's account";
        return Err(Problem::new(Code::Forbidden, message));
    }
    let invalid = |message: String| Problem::new(Code::InvalidArgument, message);
    let label = check_name(&label).map_err(|message| invalid(format!("label: {message}")))?;
    let days = expires_days.unwrap_or(node.config.identity.token_days.min(MAX_DAYS));
    if !(1..=MAX_DAYS).contains(&days) {
        return Err(invalid(format!("expires_days is {days}; use 1 to {MAX_DAYS}")));
    }
    scope.check_size()?;
    let scope = match &who.scope {
        Some(own) => own.narrowed(scope)?,
        None => scope,
    };
    let existing = node.identities.credentials(Some(who.id), MAX_CREDENTIALS).await?;
    if existing.len() >= MAX_CREDENTIALS as usize {
        let message = format!("you have {MAX_CREDENTIALS} tokens and sign-ins; revoke some first");
        return Err(Problem::new(Code::QuotaExceeded, message));
    }
    // A token ends with the one that its creator used, so that revoking a leaked token also revokes the tokens created
    // with it.
    let origin = node.identities.token_origin(proof.hash).await?;
    let now = clock::now().millis();
    let ends = origin.and_then(|origin| origin.expires_at).map_or(u64::MAX, |ends| ends.millis());
    let expires_at = Timestamp::from_millis(ends.min(now.saturating_add(days * DAY_MS)));
    let secret = issue_with(&*node.identities, who.id, CredentialKind::Token, |new| {
        new.lasts = Some(Duration::from_millis(expires_at.millis().saturating_sub(now)));
        new.origin = origin.map(|origin| origin.hash);
        new.scope = Some(scope.clone()).filter(|scope| !scope.is_unlimited());
        (new.label, new.address) = (Some(label), device.address);
    });
    let secret = secret.await?;
    let id = secret.hash().id();
    let entry = NewAuditEntry::new(AuditAction::TokenCreated).by(&who).subject(&id);
    node.audit.record(entry.detail("participant", who.id.to_string()).detail("scope", serde_json::json!(scope)));
    let created = TokenCreatedResponse { id, token: secret.reveal().to_owned().into(), scope, expires_at };
    Ok((StatusCode::CREATED, Json(created)))
}
