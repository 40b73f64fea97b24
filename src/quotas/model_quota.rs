//! Monthly quotas on model usage: per participant, session and team.
//!
//! Before a request to a model starts, its bound is reserved in each of its accounts. A request that starts while the
//! used and reserved amounts are below a quota can exceed the quota by at most its own bound. The reservation ends once
//! the usage is in the log. The reservation of a request that a crashed node lost remains: it counts at its bound until
//! the end of the month. In a session with a budget, requests are reserved in the account of the session even without a
//! monthly quota. Once a session is claimed again, its last owner cannot reserve requests, so the new owner knows that
//! a request without a reservation was not sent and will not be.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{Month, QuotaError, QuotaSettings, Quotas};
use crate::clock;
use crate::fence::Fence;
use crate::kernel::{Language, ParticipantId, RequestKey, SentRequests, SessionId, Timestamp, TurnBound};
use crate::protocol::Problem;
use crate::store_error::StoreError;

/// Participant, session and team whose quotas a run counts toward.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelSpender {
    /// Participant who started the run. `None` if no participant did.
    pub participant: Option<ParticipantId>,
    /// Session of the run.
    pub session: SessionId,
    /// Account of the session's team; see [`crate::kernel::Team::account`].
    pub team: Uuid,
}

/// Account with its monthly quotas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelAccount {
    /// Id of the participant or session, or account of the team.
    pub id: Uuid,
    /// Maximum number of tokens. `None` means no limit.
    pub max_tokens: Option<u64>,
    /// Maximum cost in millionths of the currency. `None` means no limit.
    pub max_cost_micros: Option<u64>,
}

/// Request to a model that is about to start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelRequest {
    /// Id of the request's reservation.
    pub id: Uuid,
    /// Session of the request.
    pub session: SessionId,
    /// Fence of the node that sends the request.
    pub fence: Fence,
    /// Message and attempt of the request.
    pub request: RequestKey,
    /// Month in which the request starts.
    pub month: Month,
    /// Upper bound on the request's usage.
    pub bound: TurnBound,
}

/// Outcome of a reservation for a request to a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelReservation {
    /// The request may start.
    Reserved,
    /// The rest of a quota is reserved for requests in progress. Some of it becomes available when they end.
    Waiting,
    /// The session has been claimed again: the request must not be sent, because the new owner counts it as unsent.
    Lost,
    /// The quotas of the account at this index are used up for the month.
    Exhausted {
        /// Index in the list of accounts.
        account: usize,
        /// Tokens that are used.
        tokens: u64,
        /// Cost that is used, in millionths of the currency.
        cost_micros: u64,
    },
}

impl ModelAccount {
    /// Returns whether the account has a quota.
    pub fn is_limited(&self) -> bool {
        self.max_tokens.is_some() || self.max_cost_micros.is_some()
    }

    /// Returns whether another request may start after this usage.
    pub fn has_room(&self, tokens: u64, cost_micros: u64) -> bool {
        self.max_tokens.is_none_or(|limit| tokens < limit)
            && self.max_cost_micros.is_none_or(|limit| cost_micros < limit)
    }
}

/// Subject of a monthly quota.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum QuotaSubject {
    /// All runs that one participant started.
    Participant,
    /// All runs of one session.
    Session,
    /// All runs of one team, in all of its sessions.
    Team,
}

/// Position in a list of accounts: after the account with these values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UsagePosition {
    /// Tokens of the last account that was read.
    pub tokens: u64,
    /// Id of that account.
    pub account: Uuid,
}

/// Model usage of an account in a month: recorded usage, and the bounds of requests that crashed nodes have lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountUsage {
    /// Id of the participant or session, or account of the team.
    pub account: Uuid,
    /// Name of the participant or of the stored team. `None` for sessions and for teams that are not stored.
    pub name: Option<Arc<str>>,
    /// Tokens that are used.
    pub tokens: u64,
    /// Cost that is used, in millionths of the currency.
    pub cost_micros: u64,
}

impl QuotaSubject {
    fn settings(self) -> [&'static str; 2] {
        match self {
            Self::Participant => ["max_month_tokens", "max_month_cost_micros"],
            Self::Session => ["max_session_month_tokens", "max_session_month_cost_micros"],
            Self::Team => ["max_team_month_tokens", "max_team_month_cost_micros"],
        }
    }

    /// Returns a description of the runs that have used the quota. Without a language, it is in English and addresses
    /// the sender of a command.
    fn label(self, language: Option<Language>) -> &'static str {
        match (self, language.unwrap_or(Language::En)) {
            (Self::Participant, _) if language.is_none() => "your runs",
            (Self::Participant, Language::En) => "the runs of the person who started this one",
            (Self::Session, Language::En) => "the runs of this session",
            (Self::Team, Language::En) => "the runs of this team",
            (Self::Participant, Language::Zh) => "发起人的运行",
            (Self::Session, Language::Zh) => "此会话的运行",
            (Self::Team, Language::Zh) => "此团队的运行",
        }
    }
}

fn exhausted(
    (subject, account): (QuotaSubject, ModelAccount),
    (tokens, cost_micros): (u64, u64),
    month: Month,
    language: Option<Language>,
) -> QuotaError {
    let [of_tokens, of_cost] = subject.settings();
    let by_tokens = account.max_tokens.filter(|limit| tokens >= *limit);
    let (quota, used, limit) = match (by_tokens, account.max_cost_micros) {
        (Some(limit), _) => (of_tokens, tokens, limit),
        (None, limit) => (of_cost, cost_micros, limit.unwrap_or(u64::MAX)),
    };
    let (frees_at, who) = (month.end(), subject.label(language));
    let message = match (language.unwrap_or(Language::En), by_tokens.is_some()) {
        (Language::En, is_tokens) => format!(
            "{who} have used {used} of {limit} {} this month (quotas.{quota}); it renews at {frees_at}; to continue \
             earlier, ask the operator of this server to raise it",
            if is_tokens { "tokens" } else { "millionths of the currency" },
        ),
        (Language::Zh, is_tokens) => format!(
            "{who}本月已使用 {used}，上限为 {limit} {}（quotas.{quota}）；将于 {frees_at} 恢复；如需提前继续，请联系本服务器的运维人员提高上限",
            if is_tokens { "个 token" } else { "（百万分之一货币单位）" },
        ),
    };
    QuotaError { quota, limit, frees_at: Some(frees_at), message }
}

impl QuotaSettings {
    /// Returns the monthly limits of a subject: tokens, then cost in millionths of the currency. `None` means no limit.
    pub fn month_limits(&self, subject: QuotaSubject) -> (Option<u64>, Option<u64>) {
        match subject {
            QuotaSubject::Participant => (self.max_month_tokens, self.max_month_cost_micros),
            QuotaSubject::Session => (self.max_session_month_tokens, self.max_session_month_cost_micros),
            QuotaSubject::Team => (self.max_team_month_tokens, self.max_team_month_cost_micros),
        }
    }

    /// Returns the accounts that have a quota. Always includes the account of the session, whose reservations show
    /// which requests might have been sent.
    fn model_accounts(&self, spender: ModelSpender) -> Vec<(QuotaSubject, ModelAccount)> {
        let ModelSpender { participant, session, team } = spender;
        let accounts = [
            (QuotaSubject::Participant, participant.map(|who| who.0)),
            (QuotaSubject::Session, Some(session.0)),
            (QuotaSubject::Team, Some(team)),
        ];
        let account = |(subject, id): (QuotaSubject, Option<Uuid>)| {
            let (max_tokens, max_cost_micros) = self.month_limits(subject);
            let account = ModelAccount { id: id?, max_tokens, max_cost_micros };
            (account.is_limited() || subject == QuotaSubject::Session).then_some((subject, account))
        };
        accounts.into_iter().filter_map(account).collect()
    }
}

impl Quotas {
    /// Returns the bound of a request to a model, or `None` if no monthly quota limits model usage.
    pub fn turn_bound(&self) -> Option<TurnBound> {
        let QuotaSettings { max_month_tokens, max_session_month_tokens, max_team_month_tokens, .. } = self.settings;
        let QuotaSettings { max_month_cost_micros, max_session_month_cost_micros, .. } = self.settings;
        let costs = [max_month_cost_micros, max_session_month_cost_micros, self.settings.max_team_month_cost_micros];
        let has_cost = costs.iter().any(Option::is_some);
        let has_tokens =
            [max_month_tokens, max_session_month_tokens, max_team_month_tokens].iter().any(Option::is_some);
        let QuotaSettings { max_turn_tokens, max_turn_cost_micros, .. } = self.settings;
        (has_tokens || has_cost)
            .then(|| TurnBound { tokens: max_turn_tokens, cost_micros: has_cost.then_some(max_turn_cost_micros) })
    }

    /// Checks that a run can start: model usage in this month is below the quotas of all its accounts.
    ///
    /// # Errors
    /// `quota_exceeded` if one of them is used up until the next month.
    pub async fn check_month(&self, spender: ModelSpender) -> Result<(), Problem> {
        let month = Month::of(clock::now());
        let limited = self.settings.model_accounts(spender).into_iter().filter(|(_, account)| account.is_limited());
        for (subject, account) in limited {
            let (tokens, cost_micros) = self.store.model_use(account.id, month).await?;
            if !account.has_room(tokens, cost_micros) {
                let used = (tokens, cost_micros);
                return Err(exhausted((subject, account), used, month, None).into());
            }
        }
        Ok(())
    }

    /// Reserves the bound of a request to a model in all of its accounts. Returns true once the bound is reserved.
    /// Returns false if the request must wait until others end or, if its session was claimed again, until the sender
    /// has the new fence or is cancelled.
    ///
    /// # Errors
    /// The inner error is that of an exhausted quota, in the given language. The outer error is that of the store.
    pub async fn reserve_model(
        &self,
        (id, request): (Uuid, RequestKey),
        fence: Fence,
        spender: ModelSpender,
        bound: TurnBound,
        language: Language,
    ) -> Result<Result<bool, QuotaError>, StoreError> {
        let month = Month::of(clock::now());
        let named = self.settings.model_accounts(spender);
        let accounts: Vec<ModelAccount> = named.iter().map(|(_, account)| *account).collect();
        let request = ModelRequest { id, session: spender.session, fence, request, month, bound };
        Ok(match self.store.reserve_model(&request, &accounts).await? {
            ModelReservation::Reserved => Ok(true),
            ModelReservation::Waiting | ModelReservation::Lost => Ok(false),
            ModelReservation::Exhausted { account, tokens, cost_micros } => {
                Err(exhausted(named[account], (tokens, cost_micros), month, Some(language)))
            }
        })
    }

    /// Returns the requests of a session that its last owner might have sent, and counts them as lost. Call this after
    /// the claim, which prevents the last owner from reserving further requests.
    ///
    /// # Errors
    /// Fails if the store does not respond.
    pub async fn sent_requests(&self, session: SessionId, fence: Fence) -> Result<SentRequests, StoreError> {
        let reserved = self.store.lose_requests(session, fence).await?;
        Ok(SentRequests { reserved, are_all_reserved: self.turn_bound().is_some() })
    }

    /// Releases the reservation of a request to a model whose usage is in the log, or which has used nothing.
    ///
    /// # Errors
    /// Fails if the store does not respond.
    pub async fn release_model(&self, reservation: Uuid) -> Result<(), StoreError> {
        self.store.release_model(reservation).await
    }
}

/// Returns the time until a quota is available again, in milliseconds and at least 1, or `None` if the error has no
/// such time.
pub fn wait_ms(error: &QuotaError) -> Option<u64> {
    let until = |at: Timestamp| at.millis().saturating_sub(clock::now().millis()).max(1);
    error.frees_at.map(until)
}
