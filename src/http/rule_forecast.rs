//! Forecast of a rule that votes suggest, for the past calls of other sessions with the same team.

use std::ops::AddAssign;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use schemars::JsonSchema;
use serde::Serialize;

use super::extract::PathParameters;
use super::session_access::SessionAccess;
use crate::identity::Participant;
use crate::kernel::call::{RulePattern, RuleSuggestion};
use crate::kernel::{SessionId, View};
use crate::node::Node;
use crate::protocol::{Code, Problem};
use crate::store::{SessionListing, SessionQuery, restore};

/// Maximum number of the caller's sessions that are searched for sessions of the team.
const MAX_SEARCHED: u32 = 200;
/// Maximum number of sessions on whose calls a rule is tried, because each session is restored from its log.
const MAX_TRIED: usize = 50;

/// Forecast of a rule for other sessions.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct RuleForecastResponse {
    /// Number of sessions on whose past calls the rule was tried: the 50 most recently changed other sessions with the
    /// same team that the caller is in, among the 200 sessions of the caller that changed most recently.
    session_count: usize,
    /// Past calls of all of these sessions that the rule would have allowed.
    total: ForecastCounts,
    /// Sessions with at least one such call, most recently changed first.
    sessions: Vec<SessionForecast>,
}

/// Forecast of a rule for one session.
#[derive(Debug, Serialize, JsonSchema)]
struct SessionForecast {
    /// Id of the session.
    session: SessionId,
    /// Title of the session.
    title: Arc<str>,
    /// Past calls of this session that the rule would have allowed.
    calls: ForecastCounts,
}

/// Numbers of past calls that a rule would have allowed, by people's decisions about them. Only the newest 256 calls of
/// each session that people were asked about count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
struct ForecastCounts {
    /// Number of calls that people allowed as they were proposed.
    allowed: usize,
    /// Number of calls that people edited.
    changed: usize,
    /// Number of calls that people rejected or answered themselves.
    refused: usize,
    /// Number of calls without a decision.
    undecided: usize,
}

impl AddAssign for ForecastCounts {
    fn add_assign(&mut self, other: Self) {
        self.allowed += other.allowed;
        self.changed += other.changed;
        self.refused += other.refused;
        self.undecided += other.undecided;
    }
}

impl ForecastCounts {
    fn of(view: &View, pattern: RulePattern) -> Self {
        let RuleSuggestion { allowed, changed, refused, undecided, .. } =
            RuleSuggestion::forecast(&view.call_history, pattern);
        Self { allowed, changed, refused, undecided }
    }
}

/// Tries a rule that is proposed or suggested in a session on the past calls of other sessions with the same team.
pub(super) async fn of_other_sessions(
    State(node): State<Arc<Node>>,
    SessionAccess { who, session, .. }: SessionAccess,
    PathParameters((_, suggestion)): PathParameters<(String, String)>,
) -> Result<Json<RuleForecastResponse>, Problem> {
    let state = node.session_registry.state(session).await?;
    let pattern = RuleSuggestion::find_pattern(state.view(), &suggestion)?;
    let busy = "another forecast is in progress; retry when it has ended";
    let _permit = node.forecasts.take(who.id).ok_or_else(|| Problem::new(Code::Busy, busy).retry_after(1_000))?;
    let (mut session_count, mut total, mut sessions) = (0, ForecastCounts::default(), vec![]);
    for other in sessions_of_team(&node, &who, state.view()).await? {
        let SessionListing { session, listing, .. } = other;
        // A session that cannot be read must not hide the others.
        let state = match restore(&*node.events, session, None).await {
            Ok(state) => state,
            Err(error) => {
                tracing::warn!(%error, %session, "a session is left out of a forecast");
                continue;
            }
        };
        let calls = ForecastCounts::of(state.view(), pattern.clone());
        session_count += 1;
        total += calls;
        if calls != ForecastCounts::default() {
            sessions.push(SessionForecast { session, title: listing.title, calls });
        }
    }
    Ok(Json(RuleForecastResponse { session_count, total, sessions }))
}

/// Returns the most recently changed other sessions with the same team that the caller is in. Sessions that an
/// administrator can read without being in them do not count, because reading a session adds the administrator to it,
/// and everyone in the session sees that.
async fn sessions_of_team(node: &Node, who: &Participant, view: &View) -> Result<Vec<SessionListing>, Problem> {
    let query = SessionQuery { asker: who.id, everybody: false, search: None, before: None, limit: MAX_SEARCHED };
    let mut found = vec![];
    for listed in node.events.list(query).await? {
        let is_of_team = listed.session != view.session && listed.listing.team == Some(view.team.account());
        if found.len() < MAX_TRIED
            && is_of_team
            && who.role(listed.role).is_some()
            && node.access.is_in_scope(who, listed.session).await?
        {
            found.push(listed);
        }
    }
    Ok(found)
}
