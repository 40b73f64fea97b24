//! Budgets: no request starts once a budget is spent, people raise it or end the run, and neither parallel work nor a
//! takeover exceeds it by more than the bound of one request.

use std::collections::BTreeMap;

use proptest::prelude::*;
use roundtable::kernel::gate::{Choice, Gate, GateAction, GateKind, SubjectId};
use roundtable::kernel::*;
use serde_json::{Value, json};

use super::call_gates::{self, vote};
use super::harness::*;

const BOUND: u64 = 10_000;

fn budget(max_tokens: u64) -> Settings {
    let budget = Budget { max_tokens: Some(max_tokens), max_turn_tokens: BOUND, ..Budget::default() };
    Settings { budget: Some(budget), ..Settings::default() }
}

fn reviewers() -> Team {
    team(&[
        ("Gen", AgentRole::Generator),
        ("Rev", AgentRole::Reviewer),
        ("Rev2", AgentRole::Reviewer),
        ("Opt", AgentRole::Optimizer),
    ])
}

/// A session with a budget and a run in progress. It has a title, so that no title is requested.
fn begun(max_tokens: u64) -> KernelHarness {
    let mut stage = KernelHarness::with(reviewers(), budget(max_tokens));
    stage.ok(OWNER, Command::Set { title: Some("Ours".into()), settings: None });
    stage.ok(OWNER, say("write tests"));
    stage
}

/// Finishes the first agent that writes, with this token usage.
fn use_tokens(stage: &mut KernelHarness, tokens: u64) -> Vec<String> {
    let items = &stage.state.view().active_run().expect("a run").items;
    let item = items.iter().find(|item| item.retry_at.is_none()).expect("somebody writes").clone();
    let usage = used(tokens);
    let (message, attempt, text, calls) = (item.message, item.attempt, "text".into(), vec![]);
    stage.shell(Command::TurnCompleted { message, attempt, text, calls, usage, truncated: false })
}

fn used(tokens: u64) -> Usage {
    Usage { model: "m".into(), input_tokens: tokens, output_tokens: 0, estimated: false, cost_micros: tokens * 2 }
}

fn spent(stage: &KernelHarness) -> u64 {
    stage.state.view().usage_by_agent.iter().map(|totals| totals.input_tokens + totals.output_tokens).sum()
}

fn limit(stage: &KernelHarness) -> Option<u64> {
    stage.state.view().settings.budget.and_then(|budget| budget.max_tokens)
}

fn gate_of(stage: &KernelHarness) -> Gate {
    let gate = stage.gate();
    assert_eq!(gate.kind, GateKind::Budget);
    gate
}

#[test]
fn a_spent_budget_asks_before_the_next_request() {
    let mut stage = begun(20_000);
    use_tokens(&mut stage, 9_000);
    assert_eq!(stage.writing(), ["Rev", "Rev2"], "there is room for two requests");
    use_tokens(&mut stage, 9_000);
    use_tokens(&mut stage, 9_000);
    assert_eq!(stage.gate().kind, GateKind::Feedback, "people are asked about results without a request");
    stage.ok(OWNER, say("more"));
    let gate = gate_of(&stage);
    assert_eq!((stage.phase(), stage.writing().len(), spent(&stage)), (Phase::Waiting, 0, 27_000));
    assert_eq!(gate.allow, [GateAction::Approve, GateAction::Edit, GateAction::Reject]);
    assert_eq!(gate.subject.as_ref().map(|subject| subject.id), Some(SubjectId::Run(stage.run())));
    assert_eq!(gate.budget.and_then(|budget| budget.max_tokens), Some(40_000));
    assert_eq!(gate.context.as_deref(), Some("27000 of 20000 tokens are used; approval sets the limit to 40000"));

    let names = stage.ok(OWNER, vote(&gate, Choice::Approve, None));
    assert_eq!(names[..3], ["gate.voted", "gate.decided", "session.updated"]);
    assert_eq!(limit(&stage), Some(40_000));
    let updated = stage.log.iter().rev().find_map(|event| match &event.fact {
        Fact::SessionUpdated { changed, .. } => Some(changed.clone()),
        _ => None,
    });
    assert_eq!(updated, Some(vec!["budget".into()]));
}

#[test]
fn parallel_requests_start_only_while_all_of_them_fit() {
    let mut stage = begun(15_000);
    use_tokens(&mut stage, 6_000);
    assert_eq!(stage.writing(), ["Rev"], "the other one would pass the limit by more than one request");
    use_tokens(&mut stage, 1_000);
    assert_eq!(stage.writing(), ["Rev2"], "it follows");
}

#[test]
fn a_retry_waits_for_the_request_beside_it_if_both_do_not_fit() {
    let mut stage = begun(20_000);
    use_tokens(&mut stage, 6_000);
    assert_eq!(stage.writing(), ["Rev", "Rev2"]);
    let item = stage.state.view().active_run().expect("a run").items[0].clone();
    let error = AttemptError { code: "model_stream_cut".into(), message: "cut".into() };
    let left = PartialMessage { message: item.message, text: "so".into(), usage: Some(used(4_000)) };
    stage.shell(Command::TurnFailed { attempt: 1, error, retry_in_ms: Some(2_000), left });
    stage.now += 3_000;
    assert_eq!(stage.state.next_due(), None, "10000 are spent, and the other request can use 10000");
    assert_eq!(stage.shell(Command::DeadlineReached), [""; 0]);
    use_tokens(&mut stage, 1_000);
    assert!(stage.state.next_due().is_some(), "now 9000 are left");
    assert_eq!(stage.shell(Command::DeadlineReached), ["message.started"]);
}

#[test]
fn an_edit_names_another_limit_and_not_one_that_is_spent() {
    let mut stage = begun(5_000);
    use_tokens(&mut stage, 9_000);
    let gate = gate_of(&stage);
    for wrong in
        [json!({ "max_tokens": 9_000 }), json!({ "max_turn_tokens": 1 }), json!({ "max_tokens": 0 }), json!([1])]
    {
        let refused = stage.does(OWNER, vote(&gate, Choice::Approve, Some(wrong.clone())));
        assert!(matches!(refused, Err(Rejection::Invalid(_))), "{wrong}");
    }
    let names = stage.ok(OWNER, vote(&gate, Choice::Approve, Some(json!({ "max_tokens": 9_001 }))));
    assert_eq!(names[..4], ["gate.revised", "gate.voted", "gate.decided", "session.updated"]);
    assert_eq!((limit(&stage), stage.writing()), (Some(9_001), vec!["Rev".to_owned()]));
}

#[test]
fn a_cheaper_model_is_decided_with_the_budget() {
    let mut stage = begun(5_000);
    stage.enter(2, Role::Reviewer);
    stage.ok(OWNER, set(json!({ "approval": { "kind": "at_least", "n": 2 } })));
    use_tokens(&mut stage, 9_000);
    let gate = gate_of(&stage);
    let refused = stage.does(OWNER, vote(&gate, Choice::Approve, Some(json!({ "model": "x".repeat(201) }))));
    assert!(matches!(refused, Err(Rejection::Invalid(_))), "{refused:?}");
    stage.ok(OWNER, vote(&gate, Choice::Approve, Some(json!({ "model": "hand/small" }))));
    let revised = gate_of(&stage);
    assert_eq!((revised.model.as_deref(), revised.budget), (Some("hand/small"), gate.budget));
    let digest = |gate: &Gate| gate.subject.as_ref().map(|subject| subject.digest.clone());
    assert_ne!(digest(&revised), digest(&gate), "the votes are about the model too");
    assert_eq!(stage.state.view().settings.model, None, "one vote of two");

    let names = stage.ok(2, vote(&revised, Choice::Approve, None));
    assert_eq!(names[..3], ["gate.voted", "gate.decided", "session.updated"]);
    let view = stage.state.view();
    assert_eq!((view.settings.model.as_deref(), limit(&stage)), (Some("hand/small"), Some(10_000)));
    let updated = stage.log.iter().rev().find_map(|event| match &event.fact {
        Fact::SessionUpdated { changed, .. } => Some(changed.clone()),
        _ => None,
    });
    assert_eq!(updated, Some(vec!["budget".into(), "model".into()]));
    let request = |stage: &KernelHarness| {
        let view = stage.state.view();
        roundtable::agent::turn_request(view, &view.active_run().expect("a run").items[0]).model
    };
    assert_eq!(request(&stage).as_deref(), Some("hand/small"));
    stage.ok(OWNER, set(json!({ "model": null })));
    assert_eq!(request(&stage), None, "an owner gives the agents their models back");
}

#[test]
fn a_later_edit_keeps_or_drops_the_proposed_model() {
    let mut stage = begun(5_000);
    stage.enter(2, Role::Reviewer);
    stage.ok(OWNER, set(json!({ "approval": { "kind": "at_least", "n": 2 } })));
    use_tokens(&mut stage, 9_000);
    for (edit, model) in [
        (json!({ "model": "hand/small" }), Some("hand/small")),
        (json!({ "max_tokens": 50_000 }), Some("hand/small")),
        (json!({ "model": "" }), None),
    ] {
        let gate = gate_of(&stage);
        stage.ok(OWNER, vote(&gate, Choice::Approve, Some(edit)));
        assert_eq!(gate_of(&stage).model.as_deref(), model);
    }
    assert_eq!(gate_of(&stage).budget.and_then(|budget| budget.max_tokens), Some(50_000));
}

#[test]
fn a_vote_counts_for_the_limit_that_it_saw() {
    let mut stage = begun(5_000);
    stage.enter(2, Role::Reviewer);
    stage.enter(3, Role::Reviewer);
    let rules = json!([{ "gate": "budget", "quorum": { "kind": "at_least", "n": 2 }, "separate_duties": true }]);
    stage.ok(OWNER, set(json!({ "approval_rules": rules })));
    use_tokens(&mut stage, 9_000);
    let gate = gate_of(&stage);
    let own = stage.does(OWNER, vote(&gate, Choice::Approve, None));
    assert!(matches!(own, Err(Rejection::Forbidden { .. })), "who started the run does not raise its budget: {own:?}");
    stage.ok(2, vote(&gate, Choice::Approve, None));
    stage.ok(OWNER, vote(&gate, Choice::Approve, Some(json!({ "max_tokens": 50_000 }))));
    let stale = stage.does(3, vote(&gate, Choice::Approve, None));
    assert_eq!(stale, Err(Rejection::StaleRevision { given: 1, current: 2 }));
    let revised = gate_of(&stage);
    assert_ne!(
        revised.subject.as_ref().map(|subject| &subject.digest),
        gate.subject.as_ref().map(|subject| &subject.digest)
    );
    stage.ok(3, vote(&revised, Choice::Approve, None));
    assert_eq!(limit(&stage), Some(5_000), "the first vote was for another limit");
    stage.ok(2, vote(&revised, Choice::Approve, None));
    assert_eq!(limit(&stage), Some(50_000));
}

#[test]
fn a_vote_against_ends_the_run() {
    let mut stage = begun(5_000);
    use_tokens(&mut stage, 9_000);
    let gate = gate_of(&stage);
    let names = stage.ok(OWNER, vote(&gate, Choice::Reject, None));
    assert_eq!(names, ["gate.voted", "gate.decided", "run.finished"]);
    let ended = |event: &Event| matches!(event.fact, Fact::RunFinished { reason: FinishReason::Budget, .. });
    assert!(stage.log.last().is_some_and(ended));
    // The budget holds for the whole log.
    stage.ok(OWNER, say("again"));
    assert_eq!((gate_of(&stage).run, stage.writing().len()), (Some(stage.run()), 0));
}

#[test]
fn nobody_spends_more_by_silence() {
    let mut stage = begun(5_000);
    stage.ok(OWNER, set(json!({ "gate_seconds": 5, "approval": { "kind": "veto" } })));
    use_tokens(&mut stage, 9_000);
    gate_of(&stage);
    stage.now += 6_000;
    assert_eq!(stage.shell(Command::DeadlineReached), ["gate.expired", "run.finished"]);
    assert_eq!(limit(&stage), Some(5_000));
}

#[test]
fn other_settings_close_the_gate_without_a_decision() {
    for raised in [json!({ "max_tokens": 1_000_000 }), Value::Null] {
        let mut stage = begun(5_000);
        use_tokens(&mut stage, 9_000);
        gate_of(&stage);
        let names = stage.ok(OWNER, set(json!({ "budget": raised })));
        assert_eq!(names[..2], ["session.updated", "gate.closed"]);
        assert_eq!(stage.writing(), ["Rev", "Rev2"]);
    }
}

#[test]
fn a_limit_on_the_cost_asks_too() {
    let mut stage = begun(1);
    use_tokens(&mut stage, 9_000);
    let budget = json!({ "max_cost_micros": 1_000_000, "max_turn_cost_micros": 500_000 });
    stage.ok(OWNER, set(json!({ "budget": budget })));
    assert_eq!(stage.writing(), ["Rev", "Rev2"]);
    let bound = stage.state.view().active_run().expect("a run").items[0].bound;
    assert_eq!(bound, Some(TurnBound { tokens: 100_000, cost_micros: Some(500_000) }));
    use_tokens(&mut stage, 491_001);
    use_tokens(&mut stage, 491_000);
    stage.ok(OWNER, say("more"));
    let gate = gate_of(&stage);
    let words = "A cost of 1.982002 of 1.000000 is used; approval sets the limit to 2.000000";
    assert_eq!(gate.context.as_deref(), Some(words));
}

#[test]
fn a_retry_and_the_turn_after_a_call_wait_too() {
    let mut stage = begun(5_000);
    let item = stage.state.view().active_run().expect("a run").items[0].clone();
    let error = AttemptError { code: "model_stream_cut".into(), message: "cut".into() };
    let left = PartialMessage { message: item.message, text: "so".into(), usage: Some(used(6_000)) };
    stage.shell(Command::TurnFailed { attempt: 1, error, retry_in_ms: Some(2_000), left });
    let gate = gate_of(&stage);
    assert_eq!(stage.state.next_due(), None, "nobody is woken for a retry that cannot start");
    stage.ok(OWNER, vote(&gate, Choice::Approve, None));
    stage.now += 2_000;
    assert_eq!(stage.shell(Command::DeadlineReached), ["message.started"]);
    stage.ok(OWNER, set(json!({ "budget": { "max_tokens": 1 } })));
    use_tokens(&mut stage, 10);
    let gate = gate_of(&stage);
    stage.ok(OWNER, vote(&gate, Choice::Reject, None));

    let mut play = super::play::Play::new(call_gates::worker(), call_gates::twice);
    play.stage.ok(OWNER, set(json!({ "budget": { "max_tokens": 1 } })));
    play.begin("do it");
    while play.stage.state.view().gates.is_empty() {
        assert!(play.step());
    }
    let gate = gate_of(&play.stage);
    assert_eq!(play.put.len(), 2, "what the agent called is made");
    play.stage.ok(OWNER, vote(&gate, Choice::Reject, None));
    assert_eq!(play.stage.phase(), Phase::Completed);
}

#[test]
fn a_takeover_counts_the_bound_of_what_it_lost() {
    let mut stage = begun(20_000);
    use_tokens(&mut stage, 1_000);
    assert_eq!(stage.writing(), ["Rev", "Rev2"]);
    stage.shell(Command::Recover);
    assert_eq!(spent(&stage), 21_000);
    let gate = gate_of(&stage);
    assert!(stage.state.view().active_run().expect("a run").items.iter().all(|item| item.retry_at.is_some()));
    assert!(!stage.state.is_unfinished(), "only people can go on");
    stage.ok(OWNER, vote(&gate, Choice::Approve, None));
    assert!(stage.state.is_unfinished());
    stage.now += 1;
    assert_eq!(stage.shell(Command::DeadlineReached), ["message.started", "message.started"]);

    // Without a budget, the cost of lost requests is unknown and not counted.
    let mut stage = KernelHarness::new();
    stage.ok(OWNER, say("write"));
    stage.shell(Command::Recover);
    assert_eq!((spent(&stage), stage.writing().len()), (0, 1));
}

#[test]
fn a_request_for_a_title_reserves_its_bound_until_it_ends() {
    let requested = |max_tokens: u64| {
        let mut stage = KernelHarness::with(reviewers(), budget(max_tokens));
        stage.ok(OWNER, say("write tests"));
        stage
    };
    assert_eq!(requested(BOUND).state.view().title_request, None, "a turn comes first");
    let mut stage = requested(20_000);
    let TitleRequest { run, message } = stage.state.view().title_request.expect("is requested");
    use_tokens(&mut stage, 9_000);
    assert_eq!(stage.writing(), ["Rev"], "the title has the other place");
    use_tokens(&mut stage, 9_000);
    assert_eq!(stage.writing(), [""; 0]);
    assert!(stage.state.view().gates.is_empty(), "there is room as soon as the title is made");
    stage.shell(Command::TitleMade { run, message, title: None, usage: None });
    assert_eq!((stage.state.view().title_request, stage.writing()), (None, vec!["Rev2".to_owned()]));

    let mut stage = requested(20_000);
    stage.shell(Command::Recover);
    assert_eq!((spent(&stage), stage.state.view().title_request), (20_000, None), "the title and the turn are lost");
}

#[derive(Debug, Clone)]
enum BudgetAct {
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

fn act() -> impl Strategy<Value = BudgetAct> {
    prop_oneof![
        2 => prop::sample::select(vec!["write", "@Rev more", "@all again", "approve"]).prop_map(BudgetAct::Say),
        6 => any::<usize>().prop_map(BudgetAct::Finish),
        2 => (any::<usize>(), any::<bool>()).prop_map(|(which, again)| BudgetAct::Fail(which, again)),
        2 => Just(BudgetAct::Vote(Choice::Approve, None)),
        1 => Just(BudgetAct::Vote(Choice::Reject, None)),
        1 => (1..3 * BOUND).prop_map(|more| BudgetAct::Vote(Choice::Approve, Some(more))),
        1 => (1..2 * BOUND).prop_map(BudgetAct::Raise),
        1 => Just(BudgetAct::Interrupt),
        1 => Just(BudgetAct::Pause),
        2 => Just(BudgetAct::Stop),
        1 => Just(BudgetAct::Title),
        2 => Just(BudgetAct::Restart),
        2 => (0..5_000u64).prop_map(BudgetAct::Wait),
    ]
}

/// Simulates the charges of a provider: each request uses its drawn amount when it is sent, even if its response is
/// lost.
struct BudgetModel {
    seen: usize,
    draws: Vec<u64>,
    requests: BTreeMap<(MessageId, u32), u64>,
    titles: u64,
}

impl BudgetModel {
    /// Sends the requests that the new events lead to.
    fn serve(&mut self, stage: &KernelHarness) {
        for event in &stage.log[self.seen..] {
            let draw = self.draws[(event.seq as usize) % self.draws.len()];
            match &event.fact {
                Fact::MessageStarted { message, attempt, .. } => drop(self.requests.insert((*message, *attempt), draw)),
                Fact::RunStarted { .. }
                    if stage.state.view().title_request.is_some_and(|of| event.run == Some(of.run)) =>
                {
                    self.titles += BOUND;
                }
                _ => {}
            }
        }
        self.seen = stage.log.len();
    }

    fn used(&self, item: &Item) -> Usage {
        used(self.requests[&(item.message, item.attempt)])
    }

    fn total(&self) -> u64 {
        self.requests.values().sum::<u64>() + self.titles
    }
}

fn perform(stage: &mut KernelHarness, act: &BudgetAct, provider: &BudgetModel) {
    let view = stage.state.view().clone();
    let run = view.active_run().cloned();
    let items: Vec<Item> =
        run.iter().flat_map(|run| &run.items).filter(|item| item.retry_at.is_none()).cloned().collect();
    let pick = |which: usize| items.get(which % items.len().max(1));
    match act.clone() {
        BudgetAct::Say(text) => drop(stage.does(OWNER, say(text))),
        BudgetAct::Finish(which) => {
            let Some(item) = pick(which) else { return };
            let (message, attempt, usage) = (item.message, item.attempt, provider.used(item));
            let (text, calls, truncated) = ("text".into(), vec![], false);
            stage.shell(Command::TurnCompleted { message, attempt, text, calls, usage, truncated });
        }
        BudgetAct::Fail(which, again) => {
            let Some(item) = pick(which) else { return };
            let error = AttemptError { code: "model_stream_cut".into(), message: "cut".into() };
            let left = PartialMessage { message: item.message, text: "so".into(), usage: Some(provider.used(item)) };
            let retry_in_ms = again.then_some(1_000);
            stage.shell(Command::TurnFailed { attempt: item.attempt, error, retry_in_ms, left });
        }
        BudgetAct::Vote(choice, more) => {
            let Some(gate) = view.gates.first() else { return };
            let edit = more.filter(|_| gate.kind == GateKind::Budget);
            let edit = edit.map(|more| json!({ "max_tokens": limit(stage).unwrap_or(0).max(spent(stage)) + more }));
            drop(stage.does(OWNER, vote(gate, choice, edit)));
        }
        BudgetAct::Raise(more) => {
            let budget = json!({ "max_tokens": limit(stage).expect("a limit") + more, "max_turn_tokens": BOUND });
            drop(stage.does(OWNER, set(json!({ "budget": budget }))));
        }
        BudgetAct::Interrupt => drop(stage.does(OWNER, stage.interrupt(None))),
        BudgetAct::Pause if run.as_ref().is_some_and(|run| run.paused) => drop(stage.does(OWNER, stage.resume())),
        BudgetAct::Pause => drop(stage.does(OWNER, stage.pause())),
        BudgetAct::Stop => {
            let Some(control) = run.and_then(|run| run.controls.first().map(|control| control.id)) else { return };
            stage.shell(Command::Acknowledge { control });
            let usage = |item: &Item| Some(provider.used(item));
            let left = |item: &Item| PartialMessage { message: item.message, text: "so".into(), usage: usage(item) };
            stage.shell(Command::Stopped { control, left: items.iter().map(left).collect() });
        }
        BudgetAct::Title => {
            if let Some(TitleRequest { run, message }) = view.title_request {
                stage.shell(Command::TitleMade { run, message, title: None, usage: Some(used(BOUND)) });
            }
        }
        BudgetAct::Restart => drop(stage.shell(Command::Recover)),
        BudgetAct::Wait(millis) => {
            stage.now += millis;
            stage.shell(Command::DeadlineReached);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn spending_never_passes_a_budget_by_more_than_the_bound_of_one_turn(
        acts in prop::collection::vec(act(), 1..60),
        draws in prop::collection::vec(prop_oneof![Just(BOUND), 0..BOUND], 1..7),
        max_tokens in 1..6 * BOUND,
        topology in any::<bool>(),
    ) {
        let nodes: &[(&str, &str, &[&str])] = &[("a", "round_robin", &["x", "y", "z"]), ("b", "round_robin", &["x", "y"])];
        let team = if topology { super::topology::team(nodes, &[], "parallel") } else { reviewers() };
        let mut stage = KernelHarness::with(team, budget(max_tokens));
        let mut provider = BudgetModel { seen: 0, draws, requests: BTreeMap::new(), titles: 0 };
        for act in &acts {
            perform(&mut stage, act, &provider);
            provider.serve(&stage);
            let limit = limit(&stage).expect("a limit");
            prop_assert!(provider.total() <= limit + BOUND, "{} of {limit} after {act:?}", provider.total());
            let view = stage.state.view();
            if let Some(run) = view.active_run() {
                let goes_on = !view.gates.is_empty() || run.paused || run.stopping() || view.title_request.is_some();
                prop_assert!(goes_on || !run.items.is_empty(), "the run waits for nothing after {act:?}");
            }
        }
    }
}
