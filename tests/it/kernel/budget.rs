//! Budgets: no request starts once a budget is spent, people raise the budget or end the run, and neither parallel work
//! nor a takeover exceeds the budget by more than the upper bound on one request.

use std::sync::Arc;

use roundtable::kernel::gate::{Choice, Gate, GateAction, GateKind, SubjectId};
use roundtable::kernel::*;
use serde_json::{Value, json};

use super::call_gates::{self, vote};
use super::harness::*;

pub(super) const BOUND: u64 = 10_000;

/// Price of a token.
pub(super) const MICROS_PER_TOKEN: u64 = 2;

pub(super) fn settings_with_budget(max_tokens: u64) -> Settings {
    let budget = Budget { max_tokens: Some(max_tokens), max_turn_tokens: BOUND, ..Budget::default() };
    Settings { budget: Some(budget), ..Settings::default() }
}

pub(super) fn reviewers() -> Team {
    team(&[
        ("Gen", AgentRole::Generator),
        ("Rev", AgentRole::Reviewer),
        ("Rev2", AgentRole::Reviewer),
        ("Opt", AgentRole::Optimizer),
    ])
}

/// Starts a run in a session with a budget. The session has a title, so no title is requested.
fn start_run(max_tokens: u64) -> KernelHarness {
    let mut harness = KernelHarness::with(reviewers(), settings_with_budget(max_tokens));
    harness.ok(OWNER, Command::Set { title: Some("Ours".into()), settings: None });
    harness.ok(OWNER, say("write tests"));
    harness
}

/// Completes the turn of the first agent that is writing, with this token usage.
fn finish_with_usage(harness: &mut KernelHarness, tokens: u64) -> Vec<String> {
    let messages = &harness.state.view().active_run().expect("a run").running;
    let running = messages.iter().find(|running| running.retry_at.is_none()).expect("somebody writes").clone();
    finish_turn(harness, &running, usage_of(tokens))
}

/// Completes a turn with a text and no calls.
pub(super) fn finish_turn(harness: &mut KernelHarness, running: &RunningMessage, usage: Usage) -> Vec<String> {
    harness.submit_as_orchestrator(Command::TurnCompleted {
        message: running.message,
        attempt: running.attempt,
        text: "text".into(),
        calls: vec![],
        usage,
        truncated: false,
        output_file: None,
    })
}

pub(super) fn usage_of(tokens: u64) -> Usage {
    Usage {
        model: "m".into(),
        input_tokens: tokens,
        output_tokens: 0,
        estimated: false,
        cost_micros: tokens * MICROS_PER_TOKEN,
    }
}

pub(super) fn total_tokens(harness: &KernelHarness) -> u64 {
    harness.state.view().usage_by_agent.iter().map(|totals| totals.input_tokens + totals.output_tokens).sum()
}

fn token_limit(harness: &KernelHarness) -> Option<u64> {
    harness.state.view().settings.budget.and_then(|budget| budget.max_tokens)
}

fn budget_gate(harness: &KernelHarness) -> Gate {
    let gate = harness.gate();
    assert_eq!(gate.kind, GateKind::Budget);
    gate
}

#[test]
fn a_spent_budget_opens_a_gate_before_the_next_request() {
    let mut harness = start_run(20_000);
    finish_with_usage(&mut harness, 9_000);
    assert_eq!(harness.writing_agents(), ["Rev", "Rev2"], "there is room for two requests");
    finish_with_usage(&mut harness, 9_000);
    finish_with_usage(&mut harness, 9_000);
    assert_eq!(harness.gate().kind, GateKind::Feedback, "people are asked about results without a request");
    harness.ok(OWNER, say("more"));
    let gate = budget_gate(&harness);
    assert_eq!((harness.phase(), harness.writing_agents().len(), total_tokens(&harness)), (Phase::Waiting, 0, 27_000));
    assert_eq!(gate.allow, [GateAction::Approve, GateAction::Edit, GateAction::Reject]);
    assert_eq!(gate.subject.as_ref().map(|subject| subject.id), Some(SubjectId::Run(harness.run())));
    assert_eq!(gate.budget.and_then(|budget| budget.max_tokens), Some(40_000));
    assert_eq!(gate.context.as_deref(), Some("27000 of 20000 tokens are used; approval sets the limit to 40000"));

    let names = harness.ok(OWNER, vote(&gate, Choice::Approve, None));
    assert_eq!(names[..3], ["gate.voted", "gate.decided", "session.updated"]);
    assert_eq!(token_limit(&harness), Some(40_000));
    let updated = harness.log.iter().rev().find_map(|event| match &event.fact {
        Fact::SessionUpdated { changed, .. } => Some(changed.clone()),
        _ => None,
    });
    assert_eq!(updated, Some(vec!["budget".into()]));
}

#[test]
fn parallel_requests_start_only_while_all_of_them_fit() {
    let mut harness = start_run(15_000);
    finish_with_usage(&mut harness, 6_000);
    assert_eq!(harness.writing_agents(), ["Rev"], "the other one would pass the limit by more than one request");
    finish_with_usage(&mut harness, 1_000);
    assert_eq!(harness.writing_agents(), ["Rev2"], "it follows");
}

#[test]
fn a_retry_waits_for_a_parallel_request_if_both_do_not_fit() {
    let mut harness = start_run(20_000);
    finish_with_usage(&mut harness, 6_000);
    assert_eq!(harness.writing_agents(), ["Rev", "Rev2"]);
    let running = harness.state.view().active_run().expect("a run").running[0].clone();
    let error = AttemptError { code: "model_stream_cut".into(), message: "cut".into() };
    let left = PartialMessage { message: running.message, text: "so".into(), usage: Some(usage_of(4_000)) };
    harness.submit_as_orchestrator(Command::TurnFailed { attempt: 1, error, retry_in_ms: Some(2_000), left });
    harness.now += 3_000;
    assert_eq!(harness.state.next_due(), None, "10000 are spent, and the other request can use 10000");
    assert_eq!(harness.submit_as_orchestrator(Command::DeadlineReached), [""; 0]);
    finish_with_usage(&mut harness, 1_000);
    assert!(harness.state.next_due().is_some(), "now 9000 are left");
    assert_eq!(harness.submit_as_orchestrator(Command::DeadlineReached), ["message.started"]);
}

#[test]
fn an_edit_must_set_a_limit_that_is_not_spent() {
    let mut harness = start_run(5_000);
    finish_with_usage(&mut harness, 9_000);
    let gate = budget_gate(&harness);
    let of_tokens = |limit: u64| json!({ "max_tokens": limit });
    for wrong in [of_tokens(9_000), of_tokens(0), json!({ "max_turn_tokens": 1 }), json!({}), json!([1])] {
        let refused = harness.submit(OWNER, vote(&gate, Choice::Approve, Some(wrong.clone())));
        assert!(matches!(refused, Err(Rejection::Invalid(_))), "{wrong}");
    }
    let names = harness.ok(OWNER, vote(&gate, Choice::Approve, Some(json!({ "max_tokens": 9_001 }))));
    assert_eq!(names[..4], ["gate.revised", "gate.voted", "gate.decided", "session.updated"]);
    assert_eq!((token_limit(&harness), harness.writing_agents()), (Some(9_001), vec!["Rev".to_owned()]));
}

#[test]
fn a_cheaper_model_is_decided_with_the_budget() {
    let mut harness = start_run(5_000);
    harness.enter(2, Role::Reviewer);
    harness.ok(OWNER, set(json!({ "approval": { "kind": "at_least", "n": 2 } })));
    finish_with_usage(&mut harness, 9_000);
    let gate = budget_gate(&harness);
    let refused = harness.submit(OWNER, vote(&gate, Choice::Approve, Some(json!({ "model": "x".repeat(201) }))));
    assert!(matches!(refused, Err(Rejection::Invalid(_))), "{refused:?}");
    harness.ok(OWNER, vote(&gate, Choice::Approve, Some(json!({ "model": "hand/small" }))));
    let revised = budget_gate(&harness);
    assert_eq!((revised.model.as_deref(), revised.budget), (Some("hand/small"), gate.budget));
    let digest = |gate: &Gate| gate.subject.as_ref().map(|subject| subject.digest.clone());
    assert_ne!(digest(&revised), digest(&gate), "the votes are about the model too");
    assert_eq!(harness.state.view().settings.model, None, "one vote of two");

    let names = harness.ok(2, vote(&revised, Choice::Approve, None));
    assert_eq!(names[..3], ["gate.voted", "gate.decided", "session.updated"]);
    let view = harness.state.view();
    assert_eq!((view.settings.model.as_deref(), token_limit(&harness)), (Some("hand/small"), Some(10_000)));
    let updated = harness.log.iter().rev().find_map(|event| match &event.fact {
        Fact::SessionUpdated { changed, .. } => Some(changed.clone()),
        _ => None,
    });
    assert_eq!(updated, Some(vec!["budget".into(), "model".into()]));
    let request = |harness: &KernelHarness| {
        let view = harness.state.view();
        roundtable::agent::turn_request(view, &view.active_run().expect("a run").running[0]).model
    };
    assert_eq!(request(&harness).as_deref(), Some("hand/small"));
    harness.ok(OWNER, set(json!({ "model": null })));
    assert_eq!(request(&harness), None, "an owner gives the agents their models back");
}

#[test]
fn a_later_edit_keeps_or_drops_the_proposed_model() {
    let mut harness = start_run(5_000);
    harness.enter(2, Role::Reviewer);
    harness.ok(OWNER, set(json!({ "approval": { "kind": "at_least", "n": 2 } })));
    finish_with_usage(&mut harness, 9_000);
    for (edit, model) in [
        (json!({ "model": "hand/small" }), Some("hand/small")),
        (json!({ "max_tokens": 50_000 }), Some("hand/small")),
        (json!({ "model": "" }), None),
    ] {
        let gate = budget_gate(&harness);
        harness.ok(OWNER, vote(&gate, Choice::Approve, Some(edit)));
        assert_eq!(budget_gate(&harness).model.as_deref(), model);
    }
    assert_eq!(budget_gate(&harness).budget.and_then(|budget| budget.max_tokens), Some(50_000));
}

#[test]
fn a_vote_counts_for_the_limit_that_it_saw() {
    let mut harness = start_run(5_000);
    harness.enter(2, Role::Reviewer);
    harness.enter(3, Role::Reviewer);
    let rules = json!([{ "gate": "budget", "quorum": { "kind": "at_least", "n": 2 }, "separate_duties": true }]);
    harness.ok(OWNER, set(json!({ "approval_rules": rules })));
    finish_with_usage(&mut harness, 9_000);
    let gate = budget_gate(&harness);
    let own = harness.submit(OWNER, vote(&gate, Choice::Approve, None));
    assert!(matches!(own, Err(Rejection::Forbidden { .. })), "who started the run does not raise its budget: {own:?}");
    harness.ok(2, vote(&gate, Choice::Approve, None));
    harness.ok(OWNER, vote(&gate, Choice::Approve, Some(json!({ "max_tokens": 50_000 }))));
    let stale = harness.submit(3, vote(&gate, Choice::Approve, None));
    assert_eq!(stale, Err(Rejection::StaleRevision { given: 1, current: 2 }));
    let revised = budget_gate(&harness);
    assert_ne!(
        revised.subject.as_ref().map(|subject| &subject.digest),
        gate.subject.as_ref().map(|subject| &subject.digest)
    );
    harness.ok(3, vote(&revised, Choice::Approve, None));
    assert_eq!(token_limit(&harness), Some(5_000), "the first vote was for another limit");
    harness.ok(2, vote(&revised, Choice::Approve, None));
    assert_eq!(token_limit(&harness), Some(50_000));
}

#[test]
fn a_vote_against_ends_the_run() {
    let mut harness = start_run(5_000);
    finish_with_usage(&mut harness, 9_000);
    let gate = budget_gate(&harness);
    let names = harness.ok(OWNER, vote(&gate, Choice::Reject, None));
    assert_eq!(names, ["gate.voted", "gate.decided", "run.finished"]);
    let ended = |event: &Event| matches!(event.fact, Fact::RunFinished { reason: FinishReason::Budget, .. });
    assert!(harness.log.last().is_some_and(ended));
    // The budget applies to the whole log.
    harness.ok(OWNER, say("again"));
    assert_eq!((budget_gate(&harness).run, harness.writing_agents().len()), (Some(harness.run()), 0));
}

#[test]
fn silence_never_raises_a_budget() {
    let mut harness = start_run(5_000);
    harness.ok(OWNER, set(json!({ "gate_seconds": 5, "approval": { "kind": "veto" } })));
    finish_with_usage(&mut harness, 9_000);
    budget_gate(&harness);
    harness.now += 6_000;
    assert_eq!(harness.submit_as_orchestrator(Command::DeadlineReached), ["gate.expired", "run.finished"]);
    assert_eq!(token_limit(&harness), Some(5_000));
}

#[test]
fn a_changed_budget_closes_the_gate_without_a_decision() {
    for raised in [json!({ "max_tokens": 1_000_000 }), Value::Null] {
        let mut harness = start_run(5_000);
        finish_with_usage(&mut harness, 9_000);
        budget_gate(&harness);
        let names = harness.ok(OWNER, set(json!({ "budget": raised })));
        assert_eq!(names[..2], ["session.updated", "gate.closed"]);
        assert_eq!(harness.writing_agents(), ["Rev", "Rev2"]);
    }
}

#[test]
fn a_spent_cost_limit_opens_a_gate_too() {
    let mut harness = start_run(1);
    finish_with_usage(&mut harness, 9_000);
    let budget = json!({ "max_cost_micros": 1_000_000, "max_turn_cost_micros": 500_000 });
    harness.ok(OWNER, set(json!({ "budget": budget })));
    assert_eq!(harness.writing_agents(), ["Rev", "Rev2"]);
    let bound = harness.state.view().active_run().expect("a run").running[0].bound;
    assert_eq!(bound, Some(TurnBound { tokens: 100_000, cost_micros: Some(500_000) }));
    finish_with_usage(&mut harness, 491_001);
    finish_with_usage(&mut harness, 491_000);
    harness.ok(OWNER, say("more"));
    let gate = budget_gate(&harness);
    let text = "A cost of 1.982002 of 1.000000 is used; approval sets the limit to 2.000000";
    assert_eq!(gate.context.as_deref(), Some(text));
}

#[test]
fn a_retry_and_the_turn_after_a_call_wait_too() {
    let mut harness = start_run(5_000);
    let running = harness.state.view().active_run().expect("a run").running[0].clone();
    let error = AttemptError { code: "model_stream_cut".into(), message: "cut".into() };
    let left = PartialMessage { message: running.message, text: "so".into(), usage: Some(usage_of(6_000)) };
    harness.submit_as_orchestrator(Command::TurnFailed { attempt: 1, error, retry_in_ms: Some(2_000), left });
    let gate = budget_gate(&harness);
    assert_eq!(harness.state.next_due(), None, "nobody is woken for a retry that cannot start");
    harness.ok(OWNER, vote(&gate, Choice::Approve, None));
    harness.now += 2_000;
    assert_eq!(harness.submit_as_orchestrator(Command::DeadlineReached), ["message.started"]);
    harness.ok(OWNER, set(json!({ "budget": { "max_tokens": 1 } })));
    finish_with_usage(&mut harness, 10);
    let gate = budget_gate(&harness);
    harness.ok(OWNER, vote(&gate, Choice::Reject, None));

    let mut runner = super::scripted_runner::ScriptedRunner::new(call_gates::worker(), call_gates::call_twice);
    runner.harness.ok(OWNER, set(json!({ "budget": { "max_tokens": 1 } })));
    runner.begin("do it");
    while runner.harness.state.view().gates.is_empty() {
        assert!(runner.step());
    }
    let gate = budget_gate(&runner.harness);
    assert_eq!(runner.put.len(), 2, "what the agent called is made");
    runner.harness.ok(OWNER, vote(&gate, Choice::Reject, None));
    assert_eq!(runner.harness.phase(), Phase::Completed);
}

#[test]
fn a_takeover_charges_the_bound_of_lost_requests() {
    let mut harness = start_run(20_000);
    finish_with_usage(&mut harness, 1_000);
    assert_eq!(harness.writing_agents(), ["Rev", "Rev2"]);
    harness.submit_as_orchestrator(recover());
    assert_eq!(total_tokens(&harness), 21_000);
    let gate = budget_gate(&harness);
    assert!(harness.state.view().active_run().expect("a run").running.iter().all(|running| running.retry_at.is_some()));
    assert!(!harness.state.is_unfinished(), "only people can go on");
    harness.ok(OWNER, vote(&gate, Choice::Approve, None));
    assert!(harness.state.is_unfinished());
    harness.now += 1;
    assert_eq!(harness.submit_as_orchestrator(Command::DeadlineReached), ["message.started", "message.started"]);

    // Without a budget, the cost of lost requests is unknown and not counted.
    let mut harness = KernelHarness::new();
    harness.ok(OWNER, say("write"));
    harness.submit_as_orchestrator(recover());
    assert_eq!((total_tokens(&harness), harness.writing_agents().len()), (0, 1));
}

#[test]
fn a_takeover_charges_no_request_that_was_not_sent() {
    let untitled = || {
        let mut harness = KernelHarness::with(reviewers(), settings_with_budget(1_000_000));
        harness.ok(OWNER, say("write tests"));
        harness
    };
    let bound = TurnBound { tokens: BOUND / 2, cost_micros: Some(7) };
    let recover_sent = |sent: &[RequestKey], are_all_reserved: bool| {
        let reserved = sent.iter().map(|request| ReservedRequest { request: *request, bound }).collect();
        Command::Recover { sent: Some(Arc::new(SentRequests { reserved, are_all_reserved })) }
    };
    let total_cost = |harness: &KernelHarness| -> u64 {
        harness.state.view().usage_by_agent.iter().map(|totals| totals.cost_micros).sum()
    };
    let mut harness = untitled();
    finish_with_usage(&mut harness, 0);
    assert_eq!(harness.writing_agents(), ["Rev", "Rev2"]);
    let title = RequestKey { message: harness.state.view().title_request.expect("is requested").message, attempt: 0 };
    let running = harness.state.view().active_run().expect("a run").running[0].clone();
    let turn = RequestKey { message: running.message, attempt: running.attempt };
    harness.submit_as_orchestrator(recover_sent(&[turn, title], true));
    let reserved = (2 * bound.tokens, 14);
    assert_eq!((total_tokens(&harness), total_cost(&harness)), reserved, "less than the bound of the budget");
    assert_eq!(harness.writing_agents(), ["Rev", "Rev2"]);
    // The attempt that was sent has ended.
    harness.submit_as_orchestrator(recover_sent(&[turn, title], true));
    assert_eq!(total_tokens(&harness), 2 * bound.tokens);

    let mut harness = untitled();
    harness.submit_as_orchestrator(recover_sent(&[], true));
    assert_eq!(total_tokens(&harness), 0);
    assert_eq!(harness.state.view().title_request, None, "it has ended, and has used nothing");
}

#[test]
fn a_request_from_before_the_budget_may_have_been_sent_without_a_reservation() {
    let start = || {
        let mut harness = KernelHarness::with(reviewers(), Settings::default());
        harness.ok(OWNER, say("write tests"));
        let budget = json!({ "max_tokens": 1_000_000, "max_turn_tokens": BOUND, "max_cost_micros": 1_000_000 });
        harness.ok(OWNER, set(json!({ "budget": budget })));
        harness
    };
    let recover = |are_all_reserved| Command::Recover {
        sent: Some(Arc::new(SentRequests { are_all_reserved, ..SentRequests::default() })),
    };
    let mut harness = start();
    harness.submit_as_orchestrator(recover(false));
    let requests = total_tokens(&harness) / BOUND;
    assert!(requests >= 1, "the turn counts with the bound of the budget");
    // If monthly quotas limited the models, a sent turn would have a reservation.
    let mut harness = start();
    harness.submit_as_orchestrator(recover(true));
    assert_eq!(total_tokens(&harness), 0);

    // Only tokens were reserved, so the budget's upper bound is used as the cost.
    let mut harness = start();
    let running = harness.state.view().active_run().expect("a run").running[0].clone();
    let request = RequestKey { message: running.message, attempt: running.attempt };
    let bound = TurnBound { tokens: 5, cost_micros: None };
    let reserved = vec![ReservedRequest { request, bound }];
    let sent = Some(Arc::new(SentRequests { reserved, are_all_reserved: true }));
    harness.submit_as_orchestrator(Command::Recover { sent });
    let cost = harness.state.view().settings.budget.and_then(|budget| budget.turn_bound().cost_micros);
    let charged: u64 = harness.state.view().usage_by_agent.iter().map(|totals| totals.cost_micros).sum();
    assert_eq!((total_tokens(&harness), Some(charged)), (5, cost));
}

#[test]
fn a_request_for_a_title_reserves_its_bound_until_it_ends() {
    let requested = |max_tokens: u64| {
        let mut harness = KernelHarness::with(reviewers(), settings_with_budget(max_tokens));
        harness.ok(OWNER, say("write tests"));
        harness
    };
    assert_eq!(requested(BOUND).state.view().title_request, None, "a turn comes first");
    let mut harness = requested(20_000);
    let TitleRequest { run, message } = harness.state.view().title_request.expect("is requested");
    finish_with_usage(&mut harness, 9_000);
    assert_eq!(harness.writing_agents(), ["Rev"], "the title has the other place");
    finish_with_usage(&mut harness, 9_000);
    assert_eq!(harness.writing_agents(), [""; 0]);
    assert!(harness.state.view().gates.is_empty(), "there is room as soon as the title is made");
    harness.submit_as_orchestrator(Command::TitleMade { run, message, title: None, usage: None });
    assert_eq!((harness.state.view().title_request, harness.writing_agents()), (None, vec!["Rev2".to_owned()]));

    let mut harness = requested(20_000);
    harness.submit_as_orchestrator(recover());
    assert_eq!(
        (total_tokens(&harness), harness.state.view().title_request),
        (20_000, None),
        "the title and the turn are lost"
    );
}
