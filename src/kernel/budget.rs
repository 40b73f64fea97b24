//! Budgets: limits on the combined usage of all model requests of a session.
//!
//! Before an attempt at a turn starts, the usage in the log and the bounds of all requests in progress are added up and
//! compared with the budget. A request that starts while that sum is below the limit can exceed the limit by at most
//! its own bound. When the budget is spent, a gate asks people to raise it, optionally together with a change to a
//! cheaper model, or to end the run.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::call::digest;
use super::draft::Draft;
use super::gate::{Gate, GateKind, Outcome};
use super::{
    AbortReason, AttemptError, Fact, FinishReason, Language, Rejection, Run, RunningMessage, Settings, View, driver,
    gate,
};

/// Error code of an attempt that a quota of the server holds until the quota renews. The number of such attempts is not
/// limited. After a restart or a pause, the attempt is repeated immediately, because the operator might have raised the
/// quota.
pub const QUOTA_EXCEEDED: &str = "quota_exceeded";

/// Limits on a session's usage of models, over its whole log. At least one of `max_tokens` and `max_cost_micros` is
/// set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Budget {
    /// Maximum number of tokens in all requests and responses, 1 to 10^15. Absent: no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = Budget::MAX))]
    pub max_tokens: Option<u64>,
    /// Maximum cost of all requests, in millionths of the configured currency, 1 to 10^15. Models without prices cost
    /// nothing. Absent: no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = Budget::MAX))]
    pub max_cost_micros: Option<u64>,
    /// Maximum number of tokens in one request and its response, 10000 to 10^8. Longer conversations are truncated to
    /// fit. Default 100000.
    #[schemars(range(min = Budget::MIN_TURN_TOKENS, max = Budget::MAX_TURN_TOKENS))]
    pub max_turn_tokens: u64,
    /// Maximum cost of one request, in millionths of the configured currency, 1 to 10^15. Default 1000000. Requests are
    /// truncated to fit only if `max_cost_micros` is set.
    #[schemars(range(min = 1, max = Budget::MAX))]
    pub max_turn_cost_micros: u64,
}

/// New limits of a budget and a model for the agents, as a participant proposes them at a budget gate. Absent fields
/// keep the previous proposal.
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct BudgetEdit {
    max_tokens: Option<u64>,
    max_cost_micros: Option<u64>,
    /// Empty: the agents keep their models.
    model: Option<Arc<str>>,
}

/// Upper bound on the usage of one attempt at a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TurnBound {
    /// Maximum number of tokens in the request and its response together.
    pub tokens: u64,
    /// Maximum cost in millionths of the configured currency. Absent: the budget does not limit cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_micros: Option<u64>,
}

/// Tokens and cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Spending {
    tokens: u64,
    cost_micros: u64,
}

impl Spending {
    fn add(self, tokens: u64, cost_micros: u64) -> Self {
        let cost_micros = self.cost_micros.saturating_add(cost_micros);
        Self { tokens: self.tokens.saturating_add(tokens), cost_micros }
    }
}

impl Default for Budget {
    fn default() -> Self {
        Self { max_tokens: None, max_cost_micros: None, max_turn_tokens: 100_000, max_turn_cost_micros: 1_000_000 }
    }
}

impl Budget {
    const MAX: u64 = 1_000_000_000_000_000;
    /// A request for a title always fits within this bound.
    const MIN_TURN_TOKENS: u64 = 10_000;
    const MAX_TURN_TOKENS: u64 = 100_000_000;

    /// Checks the budget. The error message is for the sender of the budget.
    pub fn check(&self) -> Result<(), &'static str> {
        let limits = [self.max_tokens, self.max_cost_micros];
        if limits == [None, None] {
            return Err("budget must have max_tokens or max_cost_micros; leave budget out for no limit");
        }
        if !limits
            .into_iter()
            .flatten()
            .chain([self.max_turn_cost_micros])
            .all(|limit| (1..=Self::MAX).contains(&limit))
        {
            return Err("max_tokens, max_cost_micros and max_turn_cost_micros of a budget must be between 1 and 10^15");
        }
        if !(Self::MIN_TURN_TOKENS..=Self::MAX_TURN_TOKENS).contains(&self.max_turn_tokens) {
            return Err("max_turn_tokens of a budget must be between 10000 and 100000000");
        }
        Ok(())
    }

    /// Returns the bound of one request.
    pub fn turn_bound(&self) -> TurnBound {
        let cost_micros = self.max_cost_micros.map(|_| self.max_turn_cost_micros);
        TurnBound { tokens: self.max_turn_tokens, cost_micros }
    }

    /// Returns the BLAKE3 hash of the budget and the model that people decide on, in hexadecimal.
    pub(crate) fn digest(&self, model: Option<&str>) -> Arc<str> {
        let Self { max_tokens, max_cost_micros, max_turn_tokens, max_turn_cost_micros } = self;
        digest(&format!("{max_tokens:?} {max_cost_micros:?} {max_turn_tokens} {max_turn_cost_micros} {model:?}"))
    }

    /// Returns the number of further requests that may start after this usage.
    fn remaining_requests(&self, used: Spending) -> usize {
        let of = |limit: Option<u64>, used: u64, bound: u64| {
            limit.map_or(u64::MAX, |limit| limit.saturating_sub(used).div_ceil(bound))
        };
        let tokens = of(self.max_tokens, used.tokens, self.max_turn_tokens);
        let cost = of(self.max_cost_micros, used.cost_micros, self.max_turn_cost_micros);
        usize::try_from(tokens.min(cost)).unwrap_or(usize::MAX)
    }

    /// Returns the budget with each reached limit doubled until requests may start again.
    fn with_raised_limits(self, used: Spending) -> Self {
        let raise = |limit: Option<u64>, used: u64| {
            limit.map(|limit| {
                let mut raised = limit;
                while raised <= used && raised < Self::MAX {
                    raised = raised.saturating_mul(2).min(Self::MAX);
                }
                raised
            })
        };
        let max_tokens = raise(self.max_tokens, used.tokens);
        Self { max_tokens, max_cost_micros: raise(self.max_cost_micros, used.cost_micros), ..self }
    }
}

/// Returns the session's usage according to its log.
fn spent(view: &View) -> Spending {
    view.usage_by_agent.iter().fold(Spending::default(), |sum, totals| {
        sum.add(totals.input_tokens.saturating_add(totals.output_tokens), totals.cost_micros)
    })
}

/// Returns the maximum usage of the requests in progress.
fn reserved(view: &View, budget: &Budget) -> Spending {
    let messages = view.active_run().map_or(&[][..], |run| &run.running);
    let running = messages.iter().filter(|message| message.retry_at.is_none()).map(|message| message.bound);
    let titles = view.title_request.iter().map(|_| None);
    running.chain(titles).fold(Spending::default(), |sum, bound| {
        let now = budget.turn_bound();
        let bound = bound.unwrap_or(now);
        // A request that began before costs were limited has no cost bound of its own.
        sum.add(bound.tokens, bound.cost_micros.or(now.cost_micros).unwrap_or(0))
    })
}

/// Returns the number of further requests to models that may start now.
pub(crate) fn remaining_requests(view: &View) -> usize {
    view.settings.budget.map_or(usize::MAX, |budget| {
        let (spent, reserved) = (spent(view), reserved(view, &budget));
        budget.remaining_requests(spent.add(reserved.tokens, reserved.cost_micros))
    })
}

/// Returns the number of requests that may start after a restart, when no earlier request is still in progress.
pub(crate) fn remaining_requests_after_loss(view: &View) -> usize {
    view.settings.budget.map_or(usize::MAX, |budget| budget.remaining_requests(spent(view)))
}

/// Returns whether the run waits only for room in the budget: no request and no call is in progress, and an attempt or
/// the next turn of a task is due.
pub(crate) fn is_waiting_for_budget(view: &View, run: &Run) -> bool {
    let mut open = run.tool_rounds.iter().filter(|round| !round.closed).peekable();
    let due = !run.running.is_empty() || open.peek().is_some();
    due && remaining_requests(view) == 0
        && run.running.iter().all(|message| message.retry_at.is_some())
        && open.all(|round| round.message.is_some() && round.is_over())
}

/// Closes the gate about the budget if requests may start again, because a change to the settings made room without a
/// decision.
pub(crate) fn close_gate(draft: &mut Draft) {
    let view = draft.view();
    let open = view.gates.iter().find(|gate| gate.kind == GateKind::Budget).map(|gate| gate.id);
    if let Some(gate) = open.filter(|_| remaining_requests(view) > 0) {
        draft.emit(Fact::GateClosed { gate });
    }
}

/// Opens a gate about the budget, if the session has one and its recorded usage leaves no room for a request.
pub(crate) fn open_gate(draft: &mut Draft) {
    let view = draft.view();
    let Some(budget) = view.settings.budget else { return };
    let (used, language) = (spent(view), view.team.language);
    // Only a request for a title uses the remaining budget, and it ends soon.
    if budget.remaining_requests(used) > 0 {
        return;
    }
    let proposed = budget.with_raised_limits(used);
    let context = [
        budget.max_tokens.zip(proposed.max_tokens).map(|(limit, raised)| match language {
            Language::Zh => format!("已使用 {} 个 token，上限为 {limit}；批准后上限为 {raised}", used.tokens),
            Language::En => format!("{} of {limit} tokens are used; approval sets the limit to {raised}", used.tokens),
        }),
        budget.max_cost_micros.zip(proposed.max_cost_micros).map(|(limit, raised)| {
            let (used, limit, raised) = (amount(used.cost_micros), amount(limit), amount(raised));
            match language {
                Language::Zh => format!("已花费 {used}，上限为 {limit}；批准后上限为 {raised}"),
                Language::En => format!("A cost of {used} of {limit} is used; approval sets the limit to {raised}"),
            }
        }),
    ];
    let context = context.into_iter().flatten().collect::<Vec<_>>().join("\n");
    gate::opening::open_budget(draft, proposed, context);
}

/// Returns an amount in units of the currency.
fn amount(micros: u64) -> String {
    format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000)
}

/// Returns the model that an edit proposes at a gate about the budget, so that a caller that knows the models can check
/// it.
pub fn proposed_model(edit: &str) -> Option<Arc<str>> {
    serde_json::from_str::<BudgetEdit>(edit).ok()?.model.filter(|model| !model.is_empty())
}

/// Parses an edit of the proposed budget and model.
pub(crate) fn read_edit(
    view: &View,
    proposed: &Budget,
    model: Option<&Arc<str>>,
    edit: &str,
) -> Result<(Budget, Option<Arc<str>>), Rejection> {
    let wanted: BudgetEdit =
        serde_json::from_str(edit).map_err(|error| Rejection::Invalid(format!("edit: {error}").into()))?;
    if wanted == BudgetEdit::default() {
        let text = "the edit changes nothing; name max_tokens, max_cost_micros or model, or vote without an edit";
        return Err(Rejection::Invalid(text.into()));
    }
    let edited = Budget {
        max_tokens: wanted.max_tokens.or(proposed.max_tokens),
        max_cost_micros: wanted.max_cost_micros.or(proposed.max_cost_micros),
        ..*proposed
    };
    let model = wanted.model.or_else(|| model.cloned()).filter(|model| !model.is_empty());
    let settings = Settings { budget: Some(edited), model: model.clone(), ..Settings::default() };
    settings.check().map_err(|message| Rejection::Invalid(message.into()))?;
    let used = spent(view);
    if edited.remaining_requests(used) == 0 {
        let message = format!(
            "the session has already used {} tokens at a cost of {}; set a higher limit, or vote against it to end the run",
            used.tokens,
            amount(used.cost_micros)
        );
        return Err(Rejection::Invalid(message.into()));
    }
    Ok((edited, model))
}

/// Applies the decision of a gate about the budget: the new limits and the model of the agents, or the end of the run.
pub(crate) fn apply_decision(draft: &mut Draft, gate: &Gate, outcome: Outcome) {
    let Some(raised) = gate.budget else { return };
    match (outcome, draft.view().settings.budget) {
        // Applies exactly the approved values (law 11), even if a participant has changed the bound of a request in the
        // meantime.
        (Outcome::Approved, Some(_)) => {
            let before = &draft.view().settings;
            let model = gate.model.clone().or_else(|| before.model.clone());
            let mut changed = vec!["budget".into()];
            changed.extend((model != before.model).then(|| "model".into()));
            let settings = Settings { budget: Some(raised), model, ..before.clone() };
            draft.emit(Fact::SessionUpdated { title: None, settings: Some(settings), changed });
        }
        (Outcome::Approved, None) => {}
        (Outcome::Rejected | Outcome::Responded | Outcome::Withdrawn, _) => end_run(draft),
    }
}

/// Ends the run. Nothing is in progress in the run while the gate is open.
pub(crate) fn end_run(draft: &mut Draft) {
    let Some(run) = draft.view().active_run().cloned() else { return };
    let reason = AbortReason::Failed;
    for RunningMessage { message, step, agent, attempt, .. } in run.running {
        draft.emit(Fact::MessageAborted { message, run: run.id, step, agent, attempt, text: "".into(), reason });
    }
    if let Some(step) = run.step {
        draft.emit(Fact::StepSkipped { step, run: run.id, reason });
    }
    for open in &run.controls {
        draft.emit(Fact::ControlEffective { control: open.id, run: run.id, verb: open.verb });
    }
    driver::finish(draft, run.id, FinishReason::Budget, None);
}

/// Postpones an attempt that a restart interrupted, until the budget allows another request.
pub(crate) fn postpone_attempt(draft: &mut Draft, run: &Run, running: RunningMessage) {
    let text = match draft.view().team.language {
        Language::Zh => "预算已用完，提高预算后会再次请求",
        Language::En => "the budget of the session is spent; the request is repeated once people raise it",
    };
    let error = AttemptError { code: "budget_spent".into(), message: text.into() };
    let RunningMessage { step, message, agent, attempt, .. } = running;
    let (run, retry_at) = (run.id, Some(draft.at()));
    draft.emit(Fact::AttemptFailed { step, run, message, agent, attempt, error, retry_at, permanent: false });
}
