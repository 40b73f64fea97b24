//! Property of budgets: whatever people and models do, and whenever a takeover happens, spending exceeds a budget by at
//! most the upper bound on one request.

use std::collections::BTreeMap;

use proptest::prelude::*;
use roundtable::kernel::gate::{Choice, GateKind};
use roundtable::kernel::*;
use serde_json::json;

use super::budget::{BOUND, MICROS_PER_TOKEN, finish_turn, reviewers, settings_with_budget, total_tokens, usage_of};
use super::call_gates::vote;
use super::harness::*;

#[derive(Debug, Clone)]
enum BudgetAction {
    Say(&'static str),
    Finish(usize),
    Fail(usize, bool),
    Vote(Choice, Option<u64>),
    Raise(u64),
    Interrupt,
    Pause,
    Stop,
    Title,
    Restart,
    Wait(u64),
}

fn any_action() -> impl Strategy<Value = BudgetAction> {
    prop_oneof![
        2 => prop::sample::select(vec!["write", "@Rev more", "@all again", "approve"]).prop_map(BudgetAction::Say),
        6 => any::<usize>().prop_map(BudgetAction::Finish),
        2 => (any::<usize>(), any::<bool>()).prop_map(|(which, again)| BudgetAction::Fail(which, again)),
        2 => Just(BudgetAction::Vote(Choice::Approve, None)),
        1 => Just(BudgetAction::Vote(Choice::Reject, None)),
        1 => (1..3 * BOUND).prop_map(|more| BudgetAction::Vote(Choice::Approve, Some(more))),
        1 => (1..2 * BOUND).prop_map(BudgetAction::Raise),
        1 => Just(BudgetAction::Interrupt),
        1 => Just(BudgetAction::Pause),
        2 => Just(BudgetAction::Stop),
        1 => Just(BudgetAction::Title),
        2 => Just(BudgetAction::Restart),
        2 => (0..5_000u64).prop_map(BudgetAction::Wait),
    ]
}

/// Simulates a provider's charges: each request is charged its randomly drawn amount when it is sent, even if its
/// response is lost.
struct FakeProvider {
    /// True if the budget limits the cost, false if it limits the tokens.
    limits_cost: bool,
    seen: usize,
    draws: Vec<u64>,
    requests: BTreeMap<(MessageId, u32), u64>,
    titles: u64,
}

impl FakeProvider {
    /// Sends the requests that the new events lead to.
    fn serve(&mut self, harness: &KernelHarness) {
        for event in &harness.log[self.seen..] {
            let draw = self.draws[(event.seq as usize) % self.draws.len()];
            match &event.fact {
                Fact::MessageStarted { message, attempt, .. } => drop(self.requests.insert((*message, *attempt), draw)),
                Fact::RunStarted { .. }
                    if harness.state.view().title_request.is_some_and(|of| event.run == Some(of.run)) =>
                {
                    self.titles += BOUND;
                }
                _ => {}
            }
        }
        self.seen = harness.log.len();
    }

    fn used(&self, running: &RunningMessage) -> Usage {
        usage_of(self.requests[&(running.message, running.attempt)])
    }

    fn total(&self) -> u64 {
        self.requests.values().sum::<u64>() + self.titles
    }

    /// Returns the fields of a budget with this limit, in tokens or as the cost of that many tokens.
    fn budget(&self, max_tokens: u64) -> serde_json::Value {
        match self.limits_cost {
            true => json!({ "max_cost_micros": max_tokens * MICROS_PER_TOKEN }),
            false => json!({ "max_tokens": max_tokens }),
        }
    }

    /// Returns the current limit, in tokens.
    fn limit(&self, harness: &KernelHarness) -> u64 {
        let budget = harness.state.view().settings.budget.expect("a budget");
        match self.limits_cost {
            true => budget.max_cost_micros.expect("a limit") / MICROS_PER_TOKEN,
            false => budget.max_tokens.expect("a limit"),
        }
    }
}

fn perform(harness: &mut KernelHarness, act: &BudgetAction, provider: &FakeProvider) {
    let view = harness.state.view().clone();
    let run = view.active_run().cloned();
    let messages: Vec<RunningMessage> =
        run.iter().flat_map(|run| &run.running).filter(|running| running.retry_at.is_none()).cloned().collect();
    let pick = |which: usize| messages.get(which % messages.len().max(1));
    match act.clone() {
        BudgetAction::Say(text) => drop(harness.submit(OWNER, say(text))),
        BudgetAction::Finish(which) => {
            let Some(running) = pick(which) else { return };
            finish_turn(harness, running, provider.used(running));
        }
        BudgetAction::Fail(which, again) => {
            let Some(running) = pick(which) else { return };
            let error = AttemptError { code: "model_stream_cut".into(), message: "cut".into() };
            let left =
                PartialMessage { message: running.message, text: "so".into(), usage: Some(provider.used(running)) };
            let retry_in_ms = again.then_some(1_000);
            harness.submit_as_orchestrator(Command::TurnFailed { attempt: running.attempt, error, retry_in_ms, left });
        }
        BudgetAction::Vote(choice, more) => {
            let Some(gate) = view.gates.first() else { return };
            let edit = more.filter(|_| gate.kind == GateKind::Budget);
            let edit = edit.map(|more| provider.budget(provider.limit(harness).max(total_tokens(harness)) + more));
            drop(harness.submit(OWNER, vote(gate, choice, edit)));
        }
        BudgetAction::Raise(more) => {
            let mut budget = provider.budget(provider.limit(harness) + more);
            budget["max_turn_tokens"] = json!(BOUND);
            budget["max_turn_cost_micros"] = json!(BOUND * MICROS_PER_TOKEN);
            drop(harness.submit(OWNER, set(json!({ "budget": budget }))));
        }
        BudgetAction::Interrupt => drop(harness.submit(OWNER, harness.interrupt(None))),
        BudgetAction::Pause if run.as_ref().is_some_and(|run| run.paused) => {
            drop(harness.submit(OWNER, harness.resume()))
        }
        BudgetAction::Pause => drop(harness.submit(OWNER, harness.pause())),
        BudgetAction::Stop => {
            let Some(control) = run.and_then(|run| run.controls.first().map(|control| control.id)) else { return };
            harness.submit_as_orchestrator(Command::Acknowledge { control });
            let left = |running: &RunningMessage| {
                let usage = Some(provider.used(running));
                PartialMessage { message: running.message, text: "so".into(), usage }
            };
            harness.submit_as_orchestrator(Command::Stopped { control, left: messages.iter().map(left).collect() });
        }
        BudgetAction::Title => {
            if let Some(TitleRequest { run, message }) = view.title_request {
                harness.submit_as_orchestrator(Command::TitleMade {
                    run,
                    message,
                    title: None,
                    usage: Some(usage_of(BOUND)),
                });
            }
        }
        BudgetAction::Restart => drop(harness.submit_as_orchestrator(recover())),
        BudgetAction::Wait(millis) => {
            harness.now += millis;
            harness.submit_as_orchestrator(Command::DeadlineReached);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn spending_never_passes_a_budget_by_more_than_the_bound_of_one_turn(
        acts in prop::collection::vec(any_action(), 1..60),
        draws in prop::collection::vec(prop_oneof![Just(BOUND), 0..BOUND], 1..7),
        max_tokens in 1..6 * BOUND,
        topology in any::<bool>(),
        limits_cost in any::<bool>(),
    ) {
        let nodes: &[(&str, &str, &[&str])] = &[("a", "round_robin", &["x", "y", "z"]), ("b", "round_robin", &["x", "y"])];
        let team = if topology { super::topology::team(nodes, &[], "parallel") } else { reviewers() };
        let mut settings = settings_with_budget(max_tokens);
        if limits_cost {
            let max_cost_micros = Some(max_tokens * MICROS_PER_TOKEN);
            let max_turn_cost_micros = BOUND * MICROS_PER_TOKEN;
            settings.budget = Some(Budget { max_cost_micros, max_turn_cost_micros, ..Budget::default() });
        }
        let mut harness = KernelHarness::with(team, settings);
        let mut provider = FakeProvider { limits_cost, seen: 0, draws, requests: BTreeMap::new(), titles: 0 };
        for act in &acts {
            perform(&mut harness, act, &provider);
            provider.serve(&harness);
            let limit = provider.limit(&harness);
            prop_assert!(provider.total() <= limit + BOUND, "{} of {limit} after {act:?}", provider.total());
            let view = harness.state.view();
            if let Some(run) = view.active_run() {
                let goes_on = !view.gates.is_empty() || run.paused || run.stopping() || view.title_request.is_some();
                prop_assert!(goes_on || !run.running.is_empty(), "the run waits for nothing after {act:?}");
            }
        }
    }
}
