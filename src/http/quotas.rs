//! Monthly quotas of model usage, with the usage of this month.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::auth::Caller;
use super::extract::QueryParameters;
use super::pagination::{truncate_page, unknown_position};
use super::session_access::SessionAccess;
use crate::clock;
use crate::identity::TokenScope;
use crate::kernel::{ParticipantId, SessionId, Timestamp};
use crate::node::Node;
use crate::protocol::Problem;
use crate::quotas::{AccountUsage, Month, QuotaSubject, UsagePosition};

/// Usage of models in this month, with the quotas that limit it.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct MonthlyQuotasResponse {
    /// Beginning of the next month (UTC), when the usage is reset to zero.
    renews_at: Timestamp,
    /// Quotas with their usage.
    quotas: Vec<MonthlyQuotaResponse>,
}

/// Monthly quota of one participant, session or team, with the usage of this month.
#[derive(Debug, Serialize, JsonSchema)]
struct MonthlyQuotaResponse {
    /// Kind of the quota: `participant`, `session` or `team`.
    subject: QuotaSubject,
    /// Id of the participant, session or stored team. For a team that is not stored, a hash of its name.
    id: String,
    /// Name of the participant or team. Absent for sessions and unknown teams.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<Arc<str>>,
    /// Number of input and output tokens of this month, in recorded usage and in requests that were lost in a crash.
    tokens: u64,
    /// Cost of this month, in millionths of the currency.
    cost_micros: u64,
    /// Maximum number of tokens in a month. Absent if there is no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u64>,
    /// Maximum cost in a month, in millionths of the currency. Absent if there is no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_cost_micros: Option<u64>,
}

/// Query of the list of quotas.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct QuotaParameters {
    /// Kind of the quotas: `participant`, `session` or `team`.
    subject: QuotaSubject,
    /// `next` of the previous page. If absent, the first page.
    before: Option<String>,
    /// Maximum number of quotas. Default `http.default_page_size`, at most `http.max_page_size`.
    limit: Option<u32>,
}

/// Page of the list of quotas.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct QuotaPage {
    /// Beginning of the next month (UTC), when the usage is reset to zero.
    renews_at: Timestamp,
    /// Quotas of the participants, sessions or teams whose runs used models in this month, most tokens first.
    quotas: Vec<MonthlyQuotaResponse>,
    /// Value of `before` for the next page. Null on the last page.
    next: Option<String>,
}

/// Returns the caller's own quota.
pub(super) async fn own(
    State(node): State<Arc<Node>>,
    Caller(who): Caller,
) -> Result<Json<MonthlyQuotasResponse>, Problem> {
    let quota = read(&node, QuotaSubject::Participant, who.id.0, Some(who.name)).await?;
    Ok(Json(MonthlyQuotasResponse { renews_at: this_month().end(), quotas: vec![quota] }))
}

/// Returns the quotas that limit the runs that the caller starts in a session. For a token that is limited to certain
/// sessions or teams, returns only the quota of the session.
pub(super) async fn of_session(
    State(node): State<Arc<Node>>,
    SessionAccess { session, who, .. }: SessionAccess,
) -> Result<Json<MonthlyQuotasResponse>, Problem> {
    let state = node.session_registry.state(session).await?;
    let team = &state.view().team;
    let accounts = [
        (QuotaSubject::Participant, who.id.0, Some(who.name.clone())),
        (QuotaSubject::Session, session.0, None),
        (QuotaSubject::Team, team.account(), Some(team.name.clone())),
    ];
    // A token for some sessions must not reveal the usage of others.
    let is_confined = who.scope.as_deref().is_some_and(TokenScope::is_confined);
    let mut quotas = vec![];
    for (subject, id, name) in accounts {
        if is_confined && subject != QuotaSubject::Session {
            continue;
        }
        // The participants of a session need to know the usage of its team in all sessions only if it limits their
        // runs.
        if node.config.quotas.month_limits(subject) != (None, None) {
            quotas.push(read(&node, subject, id, name).await?);
        }
    }
    Ok(Json(MonthlyQuotasResponse { renews_at: this_month().end(), quotas }))
}

/// Lists the quotas of a kind, for administrators.
pub(super) async fn list(
    State(node): State<Arc<Node>>,
    who: Caller,
    QueryParameters(QuotaParameters { subject, before, limit }): QueryParameters<QuotaParameters>,
) -> Result<Json<QuotaPage>, Problem> {
    who.administrator("list quotas")?;
    let limit = node.page(limit)?;
    let after = before.as_deref().map(parse_position).transpose()?;
    let month = this_month();
    let mut listed = node.quotas.accounts(subject, month, after, limit + 1).await?;
    let next = truncate_page(&mut listed, limit).map(|last| format!("{}_{}", last.tokens, last.account));
    let quotas = listed.into_iter().map(|usage| with_limits(&node, subject, usage)).collect();
    Ok(Json(QuotaPage { renews_at: month.end(), quotas, next }))
}

fn this_month() -> Month {
    Month::of(clock::now())
}

async fn read(
    node: &Node,
    subject: QuotaSubject,
    account: Uuid,
    name: Option<Arc<str>>,
) -> Result<MonthlyQuotaResponse, Problem> {
    let (tokens, cost_micros) = node.quotas.model_use(account, this_month()).await?;
    Ok(with_limits(node, subject, AccountUsage { account, name, tokens, cost_micros }))
}

fn with_limits(node: &Node, subject: QuotaSubject, usage: AccountUsage) -> MonthlyQuotaResponse {
    let AccountUsage { account, name, tokens, cost_micros } = usage;
    let (max_tokens, max_cost_micros) = node.config.quotas.month_limits(subject);
    // The database has no names of the teams that come with the server.
    let team = || node.teams.iter().find(|team| subject == QuotaSubject::Team && team.account() == account);
    let name = name.or_else(|| team().map(|team| team.name.clone()));
    let id = match subject {
        QuotaSubject::Participant => ParticipantId(account).to_string(),
        QuotaSubject::Session => SessionId(account).to_string(),
        QuotaSubject::Team => account.to_string(),
    };
    MonthlyQuotaResponse { subject, id, name, tokens, cost_micros, max_tokens, max_cost_micros }
}

/// Parses the position `TOKENS_ID` of a page.
fn parse_position(text: &str) -> Result<UsagePosition, Problem> {
    let parsed = text.split_once('_').and_then(|(tokens, account)| {
        Some(UsagePosition { tokens: tokens.parse().ok()?, account: account.parse().ok()? })
    });
    parsed.ok_or_else(|| unknown_position("before"))
}
