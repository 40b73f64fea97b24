//! Rules that the votes of a session suggest.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use schemars::JsonSchema;
use serde::Serialize;

use super::session_access::SessionAccess;
use crate::kernel::call::RuleSuggestion;
use crate::node::Node;
use crate::protocol::Problem;

/// Rules that the votes of a session suggest.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct RuleSuggestionsResponse {
    /// Suggestions with their forecasts, narrower ones first. The `propose_rule` command proposes one.
    suggestions: Vec<RuleSuggestion>,
}

/// Lists the rules that the votes suggest and that have not been granted yet.
pub(super) async fn list(
    State(node): State<Arc<Node>>,
    SessionAccess { session, .. }: SessionAccess,
) -> Result<Json<RuleSuggestionsResponse>, Problem> {
    let state = node.session_registry.state(session).await?;
    Ok(Json(RuleSuggestionsResponse { suggestions: RuleSuggestion::all(state.view()) }))
}
