//! Quotas: limits on the resources of one participant, of one session and of one team. Amounts are counted in the
//! database, so that all nodes enforce one quota.
//!
//! An operation reserves the amount that it will add before it starts, so that concurrent operations together do not
//! exceed a quota. There are two exceptions: a message to an active run reserves nothing, so if that run ends before
//! the message is written, the message starts the next run without counting it; and a run that needs the owners'
//! approval is counted when it is requested, not when they approve it.
//!
//! Model usage is counted when it is written to the log. Its monthly quotas are checked when a run starts and before
//! each request to a model; see [`ModelReservation`].

mod ceilings;
mod model_quota;
mod month;
mod reservation;
mod settings;
mod store;

use std::sync::Arc;

use serde_json::json;
use uuid::Uuid;

use crate::clock::{self, HOUR};
use crate::kernel::{ParticipantId, SessionId, Timestamp};
use crate::protocol::{Code, Problem};
use crate::store_error::StoreError;

pub use ceilings::SessionCeilingSettings;
pub use model_quota::{
    AccountUsage, ModelAccount, ModelRequest, ModelReservation, ModelSpender, QuotaSubject, UsagePosition, wait_ms,
};
pub use month::Month;
pub use reservation::QuotaReservation;
pub use settings::QuotaSettings;
pub use store::{PythonAccount, PythonReservation, QuotaAmount, QuotaStore};

/// Error for an exceeded quota.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuotaError {
    /// Name of the setting that limits the amount.
    pub quota: &'static str,
    /// Value of the setting.
    pub limit: u64,
    /// Time at which some of the amount is available again. Absent if something has to be removed or to end first.
    pub frees_at: Option<Timestamp>,
    /// Message: what happened, then what to do.
    pub message: String,
}

impl From<QuotaError> for Problem {
    fn from(QuotaError { quota, limit, frees_at, message }: QuotaError) -> Self {
        let mut details = json!({ "quota": quota, "limit": limit });
        if let Some(at) = frees_at {
            details["frees_at"] = json!(at);
        }
        let problem = Self::new(Code::QuotaExceeded, message).details(details);
        match frees_at {
            Some(at) => problem.retry_after(at.millis().saturating_sub(clock::now().millis()).max(1)),
            None => problem,
        }
    }
}

/// Quotas of a server.
#[derive(Clone)]
pub struct Quotas {
    store: Arc<dyn QuotaStore>,
    settings: QuotaSettings,
}

impl Quotas {
    /// Creates quotas with these settings, counted in this store.
    pub fn new(store: Arc<dyn QuotaStore>, settings: QuotaSettings) -> Self {
        Self { store, settings }
    }

    /// Returns the settings.
    pub fn settings(&self) -> &QuotaSettings {
        &self.settings
    }

    /// Reserves the amount that an operation of a participant will add.
    ///
    /// # Errors
    /// `quota_exceeded` if the amount would exceed the quota.
    pub async fn reserve(&self, who: ParticipantId, amount: QuotaAmount<'_>) -> Result<QuotaReservation, Problem> {
        let QuotaSettings { max_sessions, max_runs, max_team_runs, max_file_bytes, max_knowledge_bytes, .. } =
            self.settings;
        let (quota, limit) = match amount {
            QuotaAmount::Session => ("max_sessions", max_sessions),
            QuotaAmount::Run => ("max_runs", max_runs),
            QuotaAmount::TeamRun(_) => ("max_team_runs", max_team_runs.unwrap_or(u64::MAX)),
            QuotaAmount::File { .. } => ("max_file_bytes", max_file_bytes),
            QuotaAmount::Document { .. } => ("max_knowledge_bytes", max_knowledge_bytes),
        };
        if let Some(id) = self.store.reserve(who, amount, limit).await? {
            return Ok(QuotaReservation::new(self.store.clone(), id));
        }
        let message = match amount {
            QuotaAmount::Session => {
                format!("you have {limit} sessions, the maximum; wait until one expires, or ask the operator for more")
            }
            QuotaAmount::Run => {
                format!("you have {limit} active runs, the maximum; wait until one ends, or cancel one")
            }
            QuotaAmount::TeamRun(_) => format!(
                "this team has {limit} active runs, the maximum (quotas.max_team_runs); wait until one ends, or ask an \
                 administrator of this server to raise it"
            ),
            QuotaAmount::File { .. } => format!(
                "your session files exceed {limit} bytes in total; wait until sessions expire, or ask the operator"
            ),
            QuotaAmount::Document { .. } => {
                format!("the owner's knowledge bases exceed {limit} bytes in total; remove a document first")
            }
        };
        Err(QuotaError { quota, limit, frees_at: None, message }.into())
    }

    /// Reserves a run that a participant starts with a team, in the quotas of both.
    ///
    /// # Errors
    /// `quota_exceeded` if one of them has its maximum of active runs.
    pub async fn reserve_run(&self, who: ParticipantId, team: Uuid) -> Result<QuotaReservation, Problem> {
        let reserved = self.reserve(who, QuotaAmount::Run).await?;
        Ok(match self.settings.max_team_runs {
            Some(_) => reserved.and(self.reserve(who, QuotaAmount::TeamRun(team)).await?),
            None => reserved,
        })
    }

    /// Returns whether the session has an active run that counts toward a quota.
    ///
    /// # Errors
    /// Fails if the store does not respond.
    pub async fn has_counted_run(&self, session: SessionId) -> Result<bool, StoreError> {
        self.store.has_counted_run(session).await
    }

    /// Counts the content of a file toward a participant's quota.
    ///
    /// # Errors
    /// Fails if the store does not respond.
    pub async fn charge_file(&self, who: ParticipantId, session: SessionId, digest: &str) -> Result<(), StoreError> {
        self.store.charge_file(who, session, digest).await
    }

    /// Reserves `ms` milliseconds of run time for a program of a session. `caused_by` is the participant who started
    /// the run, if any. Returns the error of a quota, without a reservation, if one is exhausted.
    pub(crate) async fn reserve_python(
        &self,
        session: SessionId,
        caused_by: Option<ParticipantId>,
        ms: u64,
    ) -> Result<Result<PythonReservation, QuotaError>, StoreError> {
        let QuotaSettings { max_participant_python_hour_seconds, max_participant_python_day_seconds, .. } =
            self.settings;
        let QuotaSettings { max_session_python_hour_seconds, max_session_python_day_seconds, .. } = self.settings;
        let of_session = PythonAccount::Session(session);
        let mut windows = vec![
            ("max_session_python_hour_seconds", of_session, HOUR, max_session_python_hour_seconds),
            ("max_session_python_day_seconds", of_session, clock::DAY, max_session_python_day_seconds),
        ];
        if let Some(who) = caused_by {
            let of_participant = PythonAccount::Participant(who);
            windows.push((
                "max_participant_python_hour_seconds",
                of_participant,
                HOUR,
                max_participant_python_hour_seconds,
            ));
            windows.push((
                "max_participant_python_day_seconds",
                of_participant,
                clock::DAY,
                max_participant_python_day_seconds,
            ));
        }
        // Reserve before the check, so that two programs that start concurrently on two nodes count each other.
        let reserved = self.store.reserve_python(session, caused_by, ms).await?;
        for (quota, of, window, limit) in windows {
            let (used_ms, oldest) = self.store.python_ms(of, window, reserved.id).await?;
            if used_ms < limit.saturating_mul(1000) {
                continue;
            }
            self.store.end_python(reserved.id, 0).await?;
            let frees_at = oldest.map(|at| at.plus(window));
            let message = format!("programs have used all {limit} s of quotas.{quota}; continue without programs");
            return Ok(Err(QuotaError { quota, limit, frees_at, message }));
        }
        Ok(Ok(reserved))
    }

    /// Ends the reservation of a program that ran for `ms` milliseconds.
    pub(crate) async fn end_python(&self, reservation: Uuid, ms: u64) -> Result<(), StoreError> {
        self.store.end_python(reservation, ms).await
    }
}
