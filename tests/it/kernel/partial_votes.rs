//! Votes on parts: some of the calls that are waiting, or some items of a plan. The session runs exactly what was
//! approved, at the revision that was voted on.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use roundtable::kernel::gate::{BatchedVote, Choice, Gate, GateKind};
use roundtable::kernel::plan::Plan;
use roundtable::kernel::*;
use serde_json::json;

use super::call_gates::{gates, vote, worker};
use super::flows::team_of;
use super::harness::*;
use super::scripted_runner::{ModelResponse, ScriptedRunner, text_response, tool_call};
use super::votes::batched_vote;

const CALLS: usize = 5;

/// Calls `put` five times in one turn, then says that it is done.
fn call_five_times(view: &View, running: &RunningMessage) -> ModelResponse {
    let run = view.active_run().expect("a run");
    if run.tool_rounds_of(&running.assignment()).next().is_some() {
        return text_response("done");
    }
    ("".into(), (0..CALLS).map(|n| tool_call("put", json!({ "what": n.to_string() }))).collect())
}

/// Returns a runner at the gates about five calls, each of which needs the approval of two of the five people.
fn run_until_gates() -> ScriptedRunner {
    let mut runner = ScriptedRunner::new(worker(), call_five_times).ask_before_calls();
    for (who, role) in [(2, Role::Reviewer), (3, Role::Reviewer), (4, Role::Member), (5, Role::Owner)] {
        runner.harness.enter(who, role);
    }
    runner.harness.ok(OWNER, set(json!({ "approval_rules": [{ "quorum": { "kind": "at_least", "n": 2 } }] })));
    runner.begin("do it");
    while gates(&runner).len() < CALLS {
        assert!(runner.step());
    }
    runner
}

/// Returns a runner at the gate about a plan of five items.
fn run_until_plan_gate() -> ScriptedRunner {
    let script = |_: &View, running: &RunningMessage| match running.task {
        Task::Plan => {
            let steps: Vec<_> = (0..CALLS).map(|n| json!({ "agent": "A", "action": n.to_string() })).collect();
            text_response(&json!({ "steps": steps }).to_string())
        }
        Task::Decide => text_response("{\"next_action\":\"continue\",\"reason\":\"ok\"}"),
        _ => text_response("done"),
    };
    let mut runner =
        ScriptedRunner::new(team_of("brain", &[("P", AgentRole::Planner), ("A", AgentRole::Executor)]), script);
    runner.begin("do it");
    while gates(&runner).is_empty() {
        assert!(runner.step());
    }
    runner
}

fn plan(runner: &ScriptedRunner) -> Plan {
    runner.harness.state.view().run.as_ref().and_then(|run| run.plan.clone()).expect("a plan")
}

/// Returns the actions that agents executed, in order.
fn executed(runner: &ScriptedRunner) -> Vec<String> {
    let plan = plan(runner);
    let results = &runner.harness.state.view().run.as_ref().expect("a run").task_results;
    let action = |task: &Task| match task {
        Task::Execute { number, .. } => plan.item(*number).map(|item| item.action.to_string()),
        _ => None,
    };
    results.iter().filter_map(|done| action(&done.assignment.task)).collect()
}

/// Action of a person.
#[derive(Debug, Clone)]
enum VoterAction {
    /// A batch with a choice, or none, for each of the calls. If stale, one of the votes is for an older revision.
    Batch { who: u128, choices: Vec<Option<Choice>>, stale: bool },
    /// An edit of the arguments of a call, with the editor's approval.
    Edit { who: u128, call: usize, what: u8 },
    /// Withdraws a vote.
    Withdraw { who: u128, call: usize },
    /// Lets another person vote on this person's behalf, or ends that.
    Delegate { who: u128, to: Option<u128> },
}

fn any_action() -> impl Strategy<Value = VoterAction> {
    let choice = || prop::option::of(prop::sample::select(vec![Choice::Approve, Choice::Approve, Choice::Reject]));
    let batch = (2..6u128, prop::collection::vec(choice(), CALLS), prop::bool::weighted(0.1));
    prop_oneof![
        4 => batch.prop_map(|(who, choices, stale)| VoterAction::Batch { who, choices, stale }),
        1 => (2..6u128, 0..CALLS, any::<u8>()).prop_map(|(who, call, what)| VoterAction::Edit { who, call, what }),
        2 => (2..6u128, 0..CALLS).prop_map(|(who, call)| VoterAction::Withdraw { who, call }),
        1 => (2..6u128, prop::option::of(1..6u128)).prop_map(|(who, to)| VoterAction::Delegate { who, to }),
    ]
}

/// Votes on one call, tracked independently of the kernel.
struct CallVotes {
    rev: u32,
    what: String,
    votes: BTreeMap<u128, Choice>,
    /// `true` if two people approved; `false` if so many rejected that two approvals are no longer possible.
    approved: Option<bool>,
}

impl CallVotes {
    fn new(rev: u32, what: String, votes: BTreeMap<u128, Choice>) -> Self {
        Self { rev, what, votes, approved: None }
    }

    fn is_over(&self) -> bool {
        self.approved.is_some()
    }

    /// Decides on the call if no further vote can change the outcome. Does not wait for a person who has not voted but
    /// has a delegate, unless the delegate has one, too.
    fn settle(&mut self, delegates: &BTreeMap<u128, u128>) {
        let votes = &self.votes;
        let delegate = |who: u128| delegates.get(&who).filter(|_| !votes.contains_key(&who));
        let represented = |who: &u128| delegate(*who).is_some_and(|to| delegate(*to).is_none());
        let open = (1..6).filter(|who| !represented(who) && !votes.contains_key(who)).count();
        let approvals = votes.values().filter(|vote| **vote == Choice::Approve).count();
        self.approved = self.approved.or((approvals >= 2).then_some(true));
        self.approved = self.approved.or((approvals + open < 2).then_some(false));
    }
}

/// Performs the action in the session and in the ledgers. Neither changes if any vote of a batch cannot count.
fn perform(
    runner: &mut ScriptedRunner,
    first: &[Gate],
    ledgers: &mut [CallVotes],
    delegates: &mut BTreeMap<u128, u128>,
    act: &VoterAction,
) {
    match act {
        VoterAction::Batch { who, choices, stale } => {
            let chosen: Vec<_> = choices.iter().enumerate().filter_map(|(at, choice)| Some((at, (*choice)?))).collect();
            let last = chosen.last().map(|(at, _)| *at);
            let ballot = |(at, choice): &(usize, Choice)| {
                let old = u32::from(*stale && Some(*at) == last);
                BatchedVote { rev: ledgers[*at].rev - old, ..batched_vote(&first[*at], *choice) }
            };
            let votes = chosen.iter().map(ballot).collect();
            let counts = !chosen.is_empty() && !stale && chosen.iter().all(|(at, _)| !ledgers[*at].is_over());
            let before = runner.harness.log.len();
            let done = runner.harness.submit(*who, Command::VoteBatch { votes });
            assert_eq!(done.is_ok(), counts, "{act:?}: {done:?}");
            if counts {
                for (at, choice) in chosen {
                    ledgers[at].votes.insert(*who, choice);
                }
            } else {
                assert_eq!(runner.harness.log.len(), before, "a part of a refused batch counted");
            }
        }
        VoterAction::Edit { who, call, what } => {
            let ledger = &mut ledgers[*call];
            let what = format!("{call} edited {what} at {}", ledger.rev);
            let gate = Gate { rev: ledger.rev, ..first[*call].clone() };
            let done = runner.harness.submit(*who, vote(&gate, Choice::Approve, Some(json!({ "what": what }))));
            assert_eq!(done.is_ok(), !ledger.is_over(), "{done:?}");
            if !ledger.is_over() {
                *ledger = CallVotes::new(ledger.rev + 1, what, BTreeMap::from([(*who, Choice::Approve)]));
            }
        }
        VoterAction::Withdraw { who, call } => {
            let ledger = &mut ledgers[*call];
            let done = runner.harness.submit(*who, Command::WithdrawVote { gate: first[*call].id });
            assert_eq!(done.is_ok(), !ledger.is_over(), "{done:?}");
            if !ledger.is_over() {
                ledger.votes.remove(who);
            }
        }
        VoterAction::Delegate { who, to } => {
            let done = runner.harness.submit(*who, Command::DelegateVotes { to: to.map(id), until: None });
            assert_eq!(done.is_ok(), *to != Some(*who), "{done:?}");
            match to {
                None => _ = delegates.remove(who),
                Some(to) if to != who => _ = delegates.insert(*who, *to),
                Some(_) => {}
            }
        }
    }
    ledgers.iter_mut().for_each(|ledger| ledger.settle(delegates));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_dispatched_calls_are_exactly_those_approved_at_the_voted_revision(
        acts in prop::collection::vec(any_action(), 1..25),
    ) {
        let mut runner = run_until_gates();
        let first = gates(&runner);
        let ledger = |n: usize| CallVotes::new(1, n.to_string(), BTreeMap::new());
        let mut ledgers: Vec<_> = (0..CALLS).map(ledger).collect();
        let mut delegates = BTreeMap::new();
        for act in &acts {
            perform(&mut runner, &first, &mut ledgers, &mut delegates, act);
            // Excludes the gates about rules that the votes suggest.
            let of_calls = gates(&runner).into_iter().filter(|gate| gate.kind == GateKind::Tool);
            let open: BTreeSet<_> = of_calls.map(|gate| gate.id).collect();
            let undecided = first.iter().zip(&ledgers).filter(|(_, ledger)| !ledger.is_over());
            prop_assert_eq!(open, undecided.map(|(gate, _)| gate.id).collect::<BTreeSet<_>>(), "after {:?}", act);
        }
        // Everyone rejects the remaining calls.
        for (gate, ledger) in first.iter().zip(&ledgers).filter(|(_, ledger)| !ledger.is_over()) {
            for who in [OWNER, 2, 3, 4, 5] {
                let _ = runner.harness.submit(who, vote(&Gate { rev: ledger.rev, ..gate.clone() }, Choice::Reject, None));
            }
        }
        runner.finish_run(None);
        let approved: BTreeMap<_, _> =
            ledgers.iter().filter(|ledger| ledger.approved == Some(true)).map(|ledger| (ledger.what.clone(), 1)).collect();
        prop_assert_eq!(&runner.put, &approved);
    }

    #[test]
    fn the_executed_items_are_exactly_those_that_were_left_in_the_plan(
        kept in prop::collection::vec(any::<bool>(), CALLS),
    ) {
        prop_assume!(kept.contains(&true));
        let mut runner = run_until_plan_gate();
        let gate = runner.harness.gate();
        prop_assert_eq!(gate.kind, GateKind::Plan);
        let mut edited = plan(&runner);
        let mut kept = kept.iter();
        edited.items.retain(|_| *kept.next().expect("one for each item"));
        let wanted: Vec<_> = edited.items.iter().map(|item| item.action.to_string()).collect();
        runner.harness.ok(OWNER, vote(&gate, Choice::Approve, Some(json!(edited))));
        runner.finish_run(None);
        prop_assert_eq!(executed(&runner), wanted);
    }
}
