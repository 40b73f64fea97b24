//! Laws of budgets: a request to a model starts only while the usage in the log, plus the usage that the other requests
//! can add, is below the limits; the usage of a request that a crash cut off is counted before the request is retried;
//! and the approved budget and model are the ones that apply.

use std::collections::BTreeMap;
use std::sync::Arc;

use roundtable::kernel::gate::Outcome;
use roundtable::kernel::{Budget, Event, Fact, GateId, MessageId, TurnBound};

/// Usage and requests in progress in the part of a session's log that has been read.
#[derive(Default)]
pub struct BudgetLaws {
    budget: Option<Budget>,
    model: Option<Arc<str>>,
    /// Budget and model that the open gate proposes.
    proposed: Option<(GateId, Budget, Option<Arc<str>>)>,
    /// Budget and model that the next event must set.
    approved: Option<(Budget, Option<Arc<str>>)>,
    tokens: u64,
    cost_micros: u64,
    /// Bounds of the requests whose usage is not known yet.
    running: BTreeMap<MessageId, Option<TurnBound>>,
}

impl BudgetLaws {
    pub fn read(&mut self, event: &Event) -> Result<(), String> {
        if let Some((budget, model)) = self.approved.take() {
            let Fact::SessionUpdated { settings: Some(settings), .. } = &event.fact else {
                return Err(format!("{budget:?} was approved, and it is not set"));
            };
            if settings.budget != Some(budget) || settings.model != model {
                return Err(format!("{budget:?} and {model:?} were approved, and they are not set"));
            }
        }
        match &event.fact {
            Fact::SessionCreated { settings, .. } | Fact::SessionUpdated { settings: Some(settings), .. } => {
                (self.budget, self.model) = (settings.budget, settings.model.clone());
            }
            Fact::GateOpened { gate } => {
                self.proposed =
                    gate.budget.map(|budget| (gate.id, budget, gate.model.clone())).or(self.proposed.take());
            }
            Fact::GateRevised { gate, budget: Some(budget), model, .. } => {
                self.proposed = Some((*gate, *budget, model.clone()));
            }
            Fact::GateDecided { gate, outcome: Outcome::Approved, .. } => {
                let proposal = self.proposed.take_if(|(proposed, ..)| proposed == gate);
                let approved = proposal.filter(|_| self.budget.is_some());
                self.approved = approved.map(|(_, budget, model)| (budget, model.or_else(|| self.model.clone())));
            }
            Fact::UsageRecorded { message, input_tokens, output_tokens, cost_micros, .. } => {
                self.tokens += input_tokens + output_tokens;
                self.cost_micros += cost_micros;
                self.running.remove(message);
            }
            Fact::MessageCompleted { message, .. }
            | Fact::MessageAborted { message, .. }
            | Fact::AttemptFailed { message, .. } => drop(self.running.remove(message)),
            Fact::MessageStarted { message, .. } => return self.start(*message),
            _ => {}
        }
        Ok(())
    }

    fn start(&mut self, message: MessageId) -> Result<(), String> {
        let bound = self.budget.map(|budget| budget.turn_bound());
        let Some(budget) = self.budget else {
            self.running.insert(message, bound);
            return Ok(());
        };
        if self.running.contains_key(&message) {
            return Err("the usage of its earlier attempt is not counted".into());
        }
        let bounds = || self.running.values().flatten();
        let tokens = self.tokens + bounds().map(|bound| bound.tokens).sum::<u64>();
        let cost_micros = self.cost_micros + bounds().filter_map(|bound| bound.cost_micros).sum::<u64>();
        self.running.insert(message, bound);
        let is_exhausted = |limit: Option<u64>, used: u64| limit.is_some_and(|limit| used >= limit);
        if is_exhausted(budget.max_tokens, tokens) || is_exhausted(budget.max_cost_micros, cost_micros) {
            return Err(format!("{tokens} tokens at a cost of {cost_micros} are used or reserved, of {budget:?}"));
        }
        Ok(())
    }
}
