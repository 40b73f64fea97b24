//! Run time of programs, which counts toward quotas.

use std::time::Duration;

use tokio::time::Instant;
use tracing::Instrument;
use uuid::Uuid;

use crate::kernel::{ParticipantId, SessionId};
use crate::quotas::Quotas;
use crate::tool::ToolError;

/// Meter for the run time of one session's programs. The default meter counts nothing.
#[derive(Clone, Default)]
pub struct PythonMeter(Option<MeterScope>);

#[derive(Clone)]
struct MeterScope {
    quotas: Quotas,
    session: SessionId,
    caused_by: Option<ParticipantId>,
}

/// Measurement of a running program. Dropping this value ends the measurement and saves the run time.
pub struct RunningProgram {
    began: Instant,
    reserved: Option<(Quotas, Uuid)>,
}

impl PythonMeter {
    /// Creates the meter for a session's programs, in a run that this participant started.
    pub fn new(quotas: Quotas, session: SessionId, caused_by: Option<ParticipantId>) -> Self {
        Self(Some(MeterScope { quotas, session, caused_by }))
    }

    /// Reserves the run time of a program that runs for at most `max_duration`, and starts measuring it.
    ///
    /// # Errors
    /// Fails with `quota_exceeded` and a message for the agent, or with `tool_failed` if the database does not respond.
    pub async fn begin(&self, max_duration: Duration) -> Result<RunningProgram, ToolError> {
        let Some(MeterScope { quotas, session, caused_by }) = &self.0 else {
            return Ok(RunningProgram { began: Instant::now(), reserved: None });
        };
        let ms = u64::try_from(max_duration.as_millis()).unwrap_or(u64::MAX);
        match quotas.reserve_python(*session, *caused_by, ms).await {
            Ok(Ok(reserved)) => {
                Ok(RunningProgram { began: Instant::now(), reserved: Some((quotas.clone(), reserved.id)) })
            }
            Ok(Err(exceeded)) => {
                let free = exceeded.frees_at.map(|at| format!("; some of it is available again at {at}"));
                let free = free.unwrap_or_default();
                Err(ToolError::new("quota_exceeded", format!("{}{free}", exceeded.message)))
            }
            Err(error) => {
                let message = "the program's run time cannot be counted now; retry later";
                Err(ToolError::new("tool_failed", message).caused_by(error))
            }
        }
    }
}

impl Drop for RunningProgram {
    fn drop(&mut self) {
        let Some((quotas, id)) = self.reserved.take() else { return };
        let ms = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        // If this write fails, the whole reservation counts, so that no program runs uncounted.
        let saved = async move {
            if let Err(error) = quotas.end_python(id, ms).await {
                tracing::warn!(%error, "run time of a program not saved; the whole reservation counts");
            }
        };
        tokio::spawn(saved.in_current_span());
    }
}
