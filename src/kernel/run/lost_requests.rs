//! Cost of the requests to models that were in progress when a session was lost with its node or by a restart. Their
//! usage is unknown, so their bounds count toward the budget, unless they had not been sent.

use crate::draft::Draft;
use crate::session::title;
use crate::{MessageId, Run, RunningMessage, TurnBound, Usage};

/// Request to a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RequestKey {
    /// Message that the request writes or names.
    pub message: MessageId,
    /// Attempt at the message. 0 for a title.
    pub attempt: u32,
}

/// Request to a model with the upper bound on its usage that is reserved for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReservedRequest {
    /// Message and attempt.
    pub request: RequestKey,
    /// Upper bound on its usage.
    pub bound: TurnBound,
}

/// Requests of a lost session, given those that might have been sent. `None` means all.
#[derive(Clone, Copy)]
pub(crate) struct LostRequests<'a> {
    sent: Option<&'a [ReservedRequest]>,
}

impl<'a> LostRequests<'a> {
    pub(crate) fn new(sent: Option<&'a [ReservedRequest]>) -> Self {
        Self { sent }
    }

    /// Returns the usage that counts for a request: what is reserved for it, or `bound` if that is not known. An unsent
    /// request counts nothing: together, it and the requests that it waited for could exceed a quota.
    fn usage(self, request: RequestKey, bound: TurnBound) -> Usage {
        let reserved =
            |sent: &[ReservedRequest]| sent.iter().find(|sent| sent.request == request).map(|sent| sent.bound);
        let Some(TurnBound { tokens, cost_micros }) = self.sent.map_or(Some(bound), reserved) else {
            return Usage::none();
        };
        let cost_micros = cost_micros.unwrap_or(0);
        Usage { model: "".into(), input_tokens: tokens, output_tokens: 0, estimated: true, cost_micros }
    }

    /// Records the usage of a turn's request. Without a budget, records nothing.
    pub(crate) fn charge_turn(self, draft: &mut Draft, run: &Run, running: &RunningMessage) {
        if let Some(budget) = draft.view().settings.budget {
            let RunningMessage { message, attempt, .. } = *running;
            let bound = running.bound.unwrap_or_else(|| budget.turn_bound());
            let usage = self.usage(RequestKey { message, attempt }, bound);
            let participant = run.started_by.map(|(id, _)| id);
            draft.emit(usage.recorded(message, run.id, running.agent.clone(), participant));
        }
    }

    /// Records the usage of the request for a title, and with it the end of the request.
    pub(crate) fn charge_title(self, draft: &mut Draft) {
        let view = draft.view();
        if let (Some(request), Some(budget)) = (view.title_request, view.settings.budget) {
            let key = RequestKey { message: request.message, attempt: 0 };
            let usage = self.usage(key, budget.turn_bound());
            title::record_usage(draft, request.run, request.message, &usage);
        }
    }
}
