//! Reservations of the session's requests to models in the monthly quotas.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::sleep;
use uuid::Uuid;

use crate::backoff;
use crate::kernel::{
    Command, Language, MessageId, ParticipantId, RequestKey, SentRequests, SessionId, TurnBound, View,
};
use crate::quotas::{ModelSpender, QuotaError, Quotas};
use crate::store::Fence;
use crate::store_error::StoreError;

/// Delay in milliseconds after the first attempt that has to wait for requests in progress, and the upper bound on
/// later delays.
const WAIT_MS: (u64, u64) = (100, 5_000);
/// Number of attempts after which the wait of a request is logged. They take about ten seconds.
const LONG_WAIT_TRIES: u32 = 8;
/// Number of attempts to release a reservation. A reservation that is not released counts at its bound until the end of
/// the month.
const MAX_RELEASE_ATTEMPTS: u32 = 8;

/// Reservations of the session's requests that are in progress.
#[derive(Clone)]
pub(super) struct ModelSpending {
    quotas: Option<Quotas>,
    fence: Arc<Mutex<Fence>>,
    reserved: Arc<Mutex<HashMap<RequestKey, Uuid>>>,
}

/// Participant, session and team whose quotas a request counts toward, and the language of quota errors.
#[derive(Clone, Copy)]
pub(super) struct SpendingScope {
    spender: ModelSpender,
    language: Language,
}

impl SpendingScope {
    /// Creates the scope of a request of this session, for a participant.
    pub(super) fn new(view: &View, participant: Option<ParticipantId>) -> Self {
        let spender = ModelSpender { participant, session: view.session, team: view.team.account() };
        Self { spender, language: view.team.language }
    }
}

impl ModelSpending {
    pub(super) fn new(quotas: Option<&Quotas>, fence: Fence) -> Self {
        Self { quotas: quotas.cloned(), fence: Arc::new(Mutex::new(fence)), reserved: Arc::default() }
    }

    /// Sets the fence of a new claim. Waiting requests are reserved under this fence.
    pub(super) fn set_fence(&self, fence: Fence) {
        *self.fence.lock() = fence;
    }

    /// Returns the bound of a request: the lower of its budget's bound and the quotas' bound, separately for tokens and
    /// cost. `None` if neither has a bound.
    pub(super) fn bound(&self, of_budget: Option<TurnBound>) -> Option<TurnBound> {
        let of_quotas = self.quotas.as_ref().and_then(Quotas::turn_bound);
        match (of_budget, of_quotas) {
            (Some(budget), Some(quotas)) => {
                let costs = [budget.cost_micros, quotas.cost_micros];
                let tokens = budget.tokens.min(quotas.tokens);
                Some(TurnBound { tokens, cost_micros: costs.into_iter().flatten().min() })
            }
            (budget, quotas) => budget.or(quotas),
        }
    }

    /// Reserves the bound of an attempt at a turn. Waits while the rest of a quota is reserved for other requests.
    ///
    /// # Errors
    /// Fails if a quota is used up. The error describes that quota.
    pub(super) async fn reserve_turn(
        &self,
        key: RequestKey,
        scope: SpendingScope,
        bound: TurnBound,
    ) -> Result<(), QuotaError> {
        let mut tries = 0;
        while !self.reserve(key, scope, bound).await? {
            tries += 1;
            if tries == LONG_WAIT_TRIES {
                tracing::info!(request = ?key, "a request to a model has been waiting for its quota for seconds");
            }
            sleep(Duration::from_millis(backoff::delay_ms(tries, WAIT_MS.0, WAIT_MS.1))).await;
        }
        Ok(())
    }

    /// Reserves the bound of a request for a title, and returns whether there was room for it. Does not wait, because
    /// nothing waits for a title.
    pub(super) async fn reserve_title(&self, message: MessageId, scope: SpendingScope, bound: TurnBound) -> bool {
        matches!(self.reserve(RequestKey { message, attempt: 0 }, scope, bound).await, Ok(true))
    }

    async fn reserve(&self, key: RequestKey, scope: SpendingScope, bound: TurnBound) -> Result<bool, QuotaError> {
        let Some(quotas) = &self.quotas else { return Ok(true) };
        // Record the reservation before it is made, because a reservation whose reply is lost must be released too.
        let id = *self.reserved.lock().entry(key).or_insert_with(Uuid::now_v7);
        let (fence, SpendingScope { spender, language }) = (*self.fence.lock(), scope);
        match quotas.reserve_model((id, key), fence, spender, bound, language).await {
            Ok(admitted) => admitted,
            Err(error) => {
                tracing::warn!(%error, "a request to a model waits, because its quota cannot be checked");
                Ok(false)
            }
        }
    }

    /// Returns the requests that the last owner of the session might have sent. `None` without quotas, when that is not
    /// known.
    ///
    /// # Errors
    /// Fails if the store does not respond.
    pub(super) async fn sent_requests(&self, session: SessionId) -> Result<Option<Arc<SentRequests>>, StoreError> {
        let Some(quotas) = &self.quotas else { return Ok(None) };
        let fence = *self.fence.lock();
        Ok(Some(Arc::new(quotas.sent_requests(session, fence).await?)))
    }

    /// Returns a future that releases the reservations of the requests whose end this command records. Call it once the
    /// command is in the log. `None` without quotas.
    pub(super) fn settle(&self, command: &Command) -> Option<impl Future<Output = ()> + Send + use<>> {
        let quotas = self.quotas.clone()?;
        let ended = self.take_recorded(command);
        let work = async move {
            for reservation in ended {
                release(&quotas, reservation).await;
            }
        };
        Some(work)
    }

    fn take_recorded(&self, command: &Command) -> Vec<Uuid> {
        let mut reserved = self.reserved.lock();
        if let Command::Stopped { .. } = command {
            // After a stop, no request is still running, except for a title.
            let is_title = |request: &(RequestKey, Uuid)| request.0.attempt == 0;
            let (titles, turns): (HashMap<_, _>, HashMap<_, _>) = reserved.drain().partition(is_title);
            *reserved = titles;
            return turns.into_values().collect();
        }
        recorded_request(command).and_then(|key| reserved.remove(&key)).into_iter().collect()
    }
}

/// Returns the request whose end this command records.
fn recorded_request(command: &Command) -> Option<RequestKey> {
    if let Command::TurnCompleted { message, attempt, .. } = command {
        return Some(RequestKey { message: *message, attempt: *attempt });
    }
    if let Command::TurnFailed { attempt, left, .. } = command {
        return Some(RequestKey { message: left.message, attempt: *attempt });
    }
    if let Command::TitleMade { message, .. } = command {
        Some(RequestKey { message: *message, attempt: 0 })
    } else {
        None
    }
}

async fn release(quotas: &Quotas, reservation: Uuid) {
    for failures in 1..=MAX_RELEASE_ATTEMPTS {
        let Err(error) = quotas.release_model(reservation).await else { return };
        tracing::debug!(%error, failures, "reservation of a request to a model not released yet");
        sleep(Duration::from_millis(backoff::delay_ms(failures, 100, 60_000))).await;
    }
    tracing::warn!("a request to a model counts with its bound, because its reservation could not be released");
}
