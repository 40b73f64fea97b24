//! Quotas: how much one participant, and one session, may have and use. Amounts are counted in the database, so that all
//! nodes enforce one quota.
//!
//! An act reserves what it will add before it begins, so that acts which come at the same moment exceed no quota together.
//! Only words that are said while a run is under way reserve nothing: where that run ends before they are written, they begin
//! the next one uncounted.

mod ceilings;
mod meter;
mod reservation;
mod settings;
mod store;

use std::sync::Arc;

use serde_json::json;

use crate::clock::{self, HOUR};
use crate::kernel::{ParticipantId, SessionId, Timestamp};
use crate::protocol::{Code, Problem};
use crate::store::StoreError;

pub use ceilings::SettingCeilings;
pub use meter::{PythonMeter, RunningProgram};
pub use reservation::QuotaReservation;
pub use settings::QuotaSettings;
pub use store::{PythonUse, QuotaAmount, QuotaStore, ReservedPython};

/// One quota was used up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuotaExceeded {
    /// Name of the setting that says how much there is.
    pub quota: &'static str,
    /// How much there is.
    pub limit: u64,
    /// When some of it is free again; absent: once something is removed or ends.
    pub frees_at: Option<Timestamp>,
    /// What happened and what to do.
    pub message: String,
}

impl From<QuotaExceeded> for Problem {
    fn from(QuotaExceeded { quota, limit, frees_at, message }: QuotaExceeded) -> Self {
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

/// The quotas of a server.
#[derive(Clone)]
pub struct Quotas {
    store: Arc<dyn QuotaStore>,
    settings: QuotaSettings,
}

impl Quotas {
    /// Quotas of these settings, counted in this store.
    pub fn new(store: Arc<dyn QuotaStore>, settings: QuotaSettings) -> Self {
        Self { store, settings }
    }

    /// The settings.
    pub fn settings(&self) -> &QuotaSettings {
        &self.settings
    }

    /// Reserve what an act of a participant will add.
    ///
    /// # Errors
    /// `quota_exceeded`.
    pub async fn reserve(&self, who: ParticipantId, amount: QuotaAmount<'_>) -> Result<QuotaReservation, Problem> {
        let QuotaSettings { max_sessions, max_runs, max_file_bytes, max_knowledge_bytes, .. } = self.settings;
        let (quota, limit) = match amount {
            QuotaAmount::Session => ("max_sessions", max_sessions),
            QuotaAmount::Run => ("max_runs", max_runs),
            QuotaAmount::File { .. } => ("max_file_bytes", max_file_bytes),
            QuotaAmount::Document { .. } => ("max_knowledge_bytes", max_knowledge_bytes),
        };
        if let Some(id) = self.store.reserve(who, amount, limit).await? {
            return Ok(QuotaReservation::new(self.store.clone(), id));
        }
        let message = match amount {
            QuotaAmount::Session => {
                format!("you have created {limit} sessions that still exist; they expire when nothing happens in them")
            }
            QuotaAmount::Run => {
                format!("{limit} runs that you began are under way; wait until one ends, or cancel one")
            }
            QuotaAmount::File { .. } => format!(
                "the files that you have added to sessions may have {limit} bytes together; theirs end with the sessions"
            ),
            QuotaAmount::Document { .. } => {
                format!("all knowledge bases of one owner have {limit} bytes together at most; remove a document first")
            }
        };
        Err(QuotaExceeded { quota, limit, frees_at: None, message }.into())
    }

    /// Whether a run is under way in a session that counts in somebody's quota.
    ///
    /// # Errors
    /// If the store does not answer.
    pub async fn has_counted_run(&self, session: SessionId) -> Result<bool, StoreError> {
        self.store.has_counted_run(session).await
    }

    /// Count the content of a file as a participant's.
    ///
    /// # Errors
    /// If the store does not answer.
    pub async fn charge_file(&self, who: ParticipantId, session: SessionId, digest: &str) -> Result<(), StoreError> {
        self.store.charge_file(who, session, digest).await
    }

    /// Reserve this much time for a program of a session that a participant caused, where no quota is used up.
    async fn reserve_python(
        &self,
        session: SessionId,
        caused_by: Option<ParticipantId>,
        ms: u64,
    ) -> Result<Result<ReservedPython, QuotaExceeded>, StoreError> {
        let QuotaSettings { participant_python_hour_seconds, participant_python_day_seconds, .. } = self.settings;
        let QuotaSettings { session_python_hour_seconds, session_python_day_seconds, .. } = self.settings;
        let of_session = PythonUse::Session(session);
        let mut windows = vec![
            ("session_python_hour_seconds", of_session, HOUR, session_python_hour_seconds),
            ("session_python_day_seconds", of_session, clock::DAY, session_python_day_seconds),
        ];
        if let Some(who) = caused_by {
            let of_participant = PythonUse::Participant(who);
            windows.push(("participant_python_hour_seconds", of_participant, HOUR, participant_python_hour_seconds));
            windows.push((
                "participant_python_day_seconds",
                of_participant,
                clock::DAY,
                participant_python_day_seconds,
            ));
        }
        // Reserved first: of two programs that begin at once on two nodes each sees the other.
        let reserved = self.store.reserve_python(session, caused_by, ms).await?;
        for (quota, of, window, limit) in windows {
            let (used_ms, oldest) = self.store.python_ms(of, window, reserved.id).await?;
            if used_ms < limit.saturating_mul(1000) {
                continue;
            }
            self.store.end_python(reserved.id, 0).await?;
            let frees_at = oldest.map(|at| at.plus(window));
            let message = format!("programs have run for {limit} s, as long as the setting quotas.{quota} allows");
            return Ok(Err(QuotaExceeded { quota, limit, frees_at, message }));
        }
        Ok(Ok(reserved))
    }
}
