//! Quotas: how much one participant, and one session, may have and use. Amounts are counted in the database, so that all
//! nodes enforce one quota.
//!
//! An amount is looked up before the act that adds to it. Acts that come at the same moment may exceed a quota together, by
//! as much as the rate limits let through at once.

mod ceilings;
mod meter;
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
pub use settings::QuotaSettings;
pub use store::{PythonUse, QuotaStore, ReservedPython};

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

    /// Whether a participant may create one more session.
    ///
    /// # Errors
    /// `quota_exceeded`.
    pub async fn check_sessions(&self, who: ParticipantId) -> Result<(), Problem> {
        let limit = self.settings.max_sessions;
        if self.store.sessions(who).await? < limit {
            return Ok(());
        }
        let message =
            format!("you have created {limit} sessions that still exist; they expire when nothing happens in them");
        Err(QuotaExceeded { quota: "max_sessions", limit, frees_at: None, message }.into())
    }

    /// Whether the runs that a participant has begun leave room for one more.
    ///
    /// # Errors
    /// `quota_exceeded`.
    pub async fn check_runs(&self, who: ParticipantId) -> Result<(), Problem> {
        let limit = self.settings.max_runs;
        if self.store.runs(who).await? < limit {
            return Ok(());
        }
        let message = format!("{limit} runs that you began are under way; wait until one ends, or cancel one");
        Err(QuotaExceeded { quota: "max_runs", limit, frees_at: None, message }.into())
    }

    /// Whether a participant may add a file of this size to a session.
    ///
    /// # Errors
    /// `quota_exceeded`.
    pub async fn check_file(&self, who: ParticipantId, bytes: u64) -> Result<(), Problem> {
        let limit = self.settings.max_file_bytes;
        if self.store.file_bytes(who).await?.saturating_add(bytes) <= limit {
            return Ok(());
        }
        let message = format!(
            "the files that you have added to sessions may have {limit} bytes together; theirs end with the sessions"
        );
        Err(QuotaExceeded { quota: "max_file_bytes", limit, frees_at: None, message }.into())
    }

    /// Count the content of a file as a participant's.
    ///
    /// # Errors
    /// Where the store does not answer.
    pub async fn charge_file(&self, who: ParticipantId, session: SessionId, digest: &str) -> Result<(), StoreError> {
        self.store.charge_file(who, session, digest).await
    }

    /// Whether the knowledge bases of an owner have room for a document of this size.
    ///
    /// # Errors
    /// `quota_exceeded`.
    pub async fn check_document(&self, owner: ParticipantId, bytes: u64) -> Result<(), Problem> {
        let limit = self.settings.max_knowledge_bytes;
        if self.store.knowledge_bytes(owner).await?.saturating_add(bytes) <= limit {
            return Ok(());
        }
        let message =
            format!("all knowledge bases of one owner have {limit} bytes together at most; remove a document first");
        Err(QuotaExceeded { quota: "max_knowledge_bytes", limit, frees_at: None, message }.into())
    }

    /// Reserve this much time for a program of a session that a participant caused, where no quota is used up.
    async fn reserve(
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
