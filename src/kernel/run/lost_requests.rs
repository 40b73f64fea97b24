//! Cost of the requests to models that were in progress when a session was lost with its node or by a restart. Their
//! usage is unknown, so their bounds count toward the budget, unless they had not been sent.

use crate::draft::Draft;
use crate::session::title;
use crate::{Budget, MessageId, Run, RunningMessage, TurnBound, Usage};

/// Request to a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RequestKey {
    /// Message that the request writes or makes a title from.
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

/// Requests of a session that its last owner might have sent, as far as the quotas show them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SentRequests {
    /// Requests with a reservation.
    pub reserved: Vec<ReservedRequest>,
    /// True if every request is reserved before it is sent. False if only requests with a bound are: those that started
    /// after the session got a budget.
    pub are_all_reserved: bool,
}

/// Requests of a lost session. `sent` is `None` if any of them might have been sent.
#[derive(Clone, Copy)]
pub(crate) struct LostRequests<'a> {
    sent: Option<&'a SentRequests>,
}

impl<'a> LostRequests<'a> {
    pub(crate) fn new(sent: Option<&'a SentRequests>) -> Self {
        Self { sent }
    }

    /// Returns the usage that counts for a request: its bound if it might have been sent, otherwise nothing. If an
    /// unsent request counted, it could exceed a quota together with the requests that it waited for.
    ///
    /// `bound` is what the budget allowed when the request started. `None` if there was no budget, or if that is not
    /// known.
    fn usage(self, request: RequestKey, bound: Option<TurnBound>, budget: Budget) -> Usage {
        let or_budget = bound.unwrap_or_else(|| budget.turn_bound());
        let reserved = self.sent.and_then(|sent| sent.reserved.iter().find(|reserved| reserved.request == request));
        let TurnBound { tokens, cost_micros } = match (self.sent, reserved) {
            (_, Some(ReservedRequest { bound, .. })) => *bound,
            (Some(sent), None) if sent.are_all_reserved || bound.is_some() => return Usage::none(),
            (None | Some(_), None) => or_budget,
        };
        // The cost limit might have been added to the budget after the request was reserved.
        let cost_micros = cost_micros.or(or_budget.cost_micros).or(budget.turn_bound().cost_micros).unwrap_or(0);
        Usage { model: "".into(), input_tokens: tokens, output_tokens: 0, estimated: true, cost_micros }
    }

    /// Records the usage of a turn's request. Without a budget, records nothing.
    pub(crate) fn charge_turn(self, draft: &mut Draft, run: &Run, running: &RunningMessage) {
        if let Some(budget) = draft.view().settings.budget {
            let RunningMessage { message, attempt, bound, .. } = *running;
            let usage = self.usage(RequestKey { message, attempt }, bound, budget);
            let participant = run.started_by.map(|(id, _)| id);
            draft.emit(usage.recorded(message, run.id, running.agent.clone(), participant));
        }
    }

    /// Records the usage of the request for a title, and with it the end of the request.
    pub(crate) fn charge_title(self, draft: &mut Draft) {
        let view = draft.view();
        if let (Some(request), Some(budget)) = (view.title_request, view.settings.budget) {
            let usage = self.usage(RequestKey { message: request.message, attempt: 0 }, None, budget);
            title::record_usage(draft, request.run, request.message, &usage);
        }
    }
}
