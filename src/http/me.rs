//! The caller's own identity.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::auth::Caller;
use super::extract::JsonBody;
use crate::clock;
use crate::identity::{LastSignIn, Participant, ServerRole, SignInMethod, TokenScope, check_name};
use crate::kernel::{Actor, ActorKind, Command, ParticipantId, Timestamp, View};
use crate::node::Node;
use crate::protocol::{Code, Problem};
use crate::store::SessionQuery;
use crate::telemetry::log_spans;

/// Identity of the caller.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct MeResponse {
    /// The caller, with id, kind and name.
    you: Actor,
    /// Role on the server, within the scope.
    server_role: ServerRole,
    /// Limits of the credential that the request was sent with. Absent if it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    scope: Option<TokenScope>,
    /// Your latest sign-in with a browser. Absent if you have never signed in with one.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_sign_in: Option<LastSignInResponse>,
}

impl MeResponse {
    /// Returns the identity of a participant who signs in now.
    pub(super) fn signing_in(participant: &Participant, method: SignInMethod) -> Self {
        let last_sign_in = LastSignInResponse { method, provider: None, at: clock::now() };
        Self { last_sign_in: Some(last_sign_in), ..Self::of(participant) }
    }

    /// Returns the identity of a participant with their latest sign-in.
    ///
    /// # Errors
    /// Fails if the store does not respond.
    pub(super) async fn with_sign_in(node: &Node, participant: &Participant) -> Result<Self, Problem> {
        let last = node.identities.last_sign_in(participant.id).await?;
        Ok(Self { last_sign_in: last.map(|last| LastSignInResponse::new(node, last)), ..Self::of(participant) })
    }

    fn of(participant: &Participant) -> Self {
        let scope = participant.scope.as_deref().cloned();
        Self { you: participant.actor(), server_role: participant.server_role, scope, last_sign_in: None }
    }
}

/// Latest sign-in of a participant with a browser.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct LastSignInResponse {
    /// Method by which they signed in.
    method: SignInMethod,
    /// Name of the OpenID provider of this server, for the `oidc` method.
    #[serde(skip_serializing_if = "Option::is_none")]
    provider: Option<Arc<str>>,
    /// Time of the sign-in.
    at: Timestamp,
}

impl LastSignInResponse {
    pub(super) fn new(node: &Node, LastSignIn { method, at }: LastSignIn) -> Self {
        let provider = node.oidc.as_ref().filter(|_| method == SignInMethod::Oidc);
        Self { method, provider: provider.map(|provider| provider.label().into()), at }
    }
}

pub(super) async fn me(
    State(node): State<Arc<Node>>,
    Caller(participant): Caller,
) -> Result<Json<MeResponse>, Problem> {
    Ok(Json(MeResponse::with_sign_in(&node, &participant).await?))
}

/// Maximum number of sessions in which a participant is renamed: the most recently changed ones.
const MAX_RENAMED_SESSIONS: u32 = 100;
/// Maximum number of attempts to rename a participant in their sessions, because their name can change again
/// concurrently.
const MAX_RENAME_ATTEMPTS: u32 = 5;

/// Body of a change of the caller's own identity.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RenameRequest {
    /// New name, 1 to 64 characters.
    name: String,
}

pub(super) async fn rename(
    State(node): State<Arc<Node>>,
    Caller(mut participant): Caller,
    JsonBody(body): JsonBody<RenameRequest>,
) -> Result<Json<MeResponse>, Problem> {
    if participant.kind == ActorKind::Bot {
        // Otherwise, a bot could take a person's name without being marked as a guest.
        let message = "bots cannot change their name; ask the operator for a token with another name";
        return Err(Problem::new(Code::Forbidden, message));
    }
    let name = check_name(&body.name).map_err(|message| Problem::new(Code::InvalidArgument, message))?;
    let sessions = open_sessions(&node, participant.id).await?;
    for state in &sessions {
        if state.view().is_lookalike(Some(participant.id), &name) {
            return Err(Problem::new(Code::InvalidArgument, View::LOOKALIKE));
        }
    }
    if !node.identities.rename(participant.id, &name).await? {
        return Err(Problem::new(Code::Unauthenticated, "this participant is disabled; ask an administrator"));
    }
    participant.name = name;
    for _ in 0..MAX_RENAME_ATTEMPTS {
        rename_in(&node, &participant, &sessions).await;
        // Two concurrent renames can reach the sessions in another order than the store, and the last one in the store
        // must win.
        match node.identities.participant(participant.id).await? {
            Some(now) if now.name != participant.name => participant = now,
            _ => break,
        }
    }
    Ok(Json(MeResponse::with_sign_in(&node, &participant).await?))
}

async fn rename_in(node: &Node, who: &Participant, sessions: &[Arc<crate::kernel::State>]) {
    for session in sessions.iter().map(|state| state.view().session) {
        let command = Command::Rename { name: who.name.clone() };
        if let Err(problem) = node.dispatcher.submit_counted(who, session, None, command).await {
            // The session keeps the old name, as do the sessions beyond the maximum.
            log_spans::session(session).in_scope(|| tracing::info!(%problem, "participant not renamed in the session"));
        }
    }
}

/// Returns the states of the open sessions that a participant is in, most recently changed first.
async fn open_sessions(node: &Node, id: ParticipantId) -> Result<Vec<Arc<crate::kernel::State>>, Problem> {
    let query = SessionQuery { asker: id, everybody: false, search: None, before: None, limit: MAX_RENAMED_SESSIONS };
    let mut sessions = vec![];
    for listed in node.events.list(query).await? {
        let state = node.session_registry.state(listed.session).await?;
        if !state.view().closed && state.view().member(id).is_some() {
            sessions.push(state);
        }
    }
    Ok(sessions)
}
