//! Votes on parts: some of the waiting calls, or some items of a plan. The session runs exactly what was approved, at
//! the revision that was voted on.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use roundtable::kernel::gate::{BatchedVote, Choice, Gate, GateKind};
use roundtable::kernel::plan::Plan;
use roundtable::kernel::*;
use serde_json::json;

use super::call_gates::{gates, vote, worker};
use super::flows::team_of;
use super::harness::*;
use super::play::{Line, Play, wanted, words};
use super::votes::batched;

const CALLS: usize = 5;

/// Calls `put` five times in one turn, then says that it is done.
fn five(view: &View, item: &Item) -> Line {
    let run = view.active_run().expect("a run");
    if run.tool_rounds_of(&item.assignment()).next().is_some() {
        return words("done");
    }
    ("".into(), (0..CALLS).map(|n| wanted("put", json!({ "what": n.to_string() }))).collect())
}

/// A play at the gates about five calls, each of which needs two of the five people.
fn asked() -> Play {
    let mut play = Play::new(worker(), five).asking();
    for (who, role) in [(2, Role::Reviewer), (3, Role::Reviewer), (4, Role::Member), (5, Role::Owner)] {
        play.stage.enter(who, role);
    }
    play.stage.ok(OWNER, set(json!({ "approval_rules": [{ "quorum": { "kind": "at_least", "n": 2 } }] })));
    play.begin("do it");
    while gates(&play).len() < CALLS {
        assert!(play.step());
    }
    play
}

/// A play at the gate about a plan of five items.
fn planned() -> Play {
    let script = |_: &View, item: &Item| match item.task {
        Task::Plan => {
            let steps: Vec<_> = (0..CALLS).map(|n| json!({ "agent": "A", "action": n.to_string() })).collect();
            words(&json!({ "steps": steps }).to_string())
        }
        Task::Decide => words("{\"next_action\":\"continue\",\"reason\":\"ok\"}"),
        _ => words("done"),
    };
    let mut play = Play::new(team_of("brain", &[("P", AgentRole::Planner), ("A", AgentRole::Executor)]), script);
    play.begin("do it");
    while gates(&play).is_empty() {
        assert!(play.step());
    }
    play
}

fn plan(play: &Play) -> Plan {
    play.stage.state.view().run.as_ref().and_then(|run| run.plan.clone()).expect("a plan")
}

/// Returns the actions that agents executed, in order.
fn executed(play: &Play) -> Vec<String> {
    let plan = plan(play);
    let results = &play.stage.state.view().run.as_ref().expect("a run").task_results;
    let action = |task: &Task| match task {
        Task::Execute { number, .. } => plan.item(*number).map(|item| item.action.to_string()),
        _ => None,
    };
    results.iter().filter_map(|done| action(&done.assignment.task)).collect()
}

/// One act of a person.
#[derive(Debug, Clone)]
enum VoterAct {
    /// A batch with a choice, or none, for each of the calls. If stale, one of the votes is for an older revision.
    Batch { who: u128, choices: Vec<Option<Choice>>, stale: bool },
    /// An edit of the arguments of a call, with the editor's approval.
    Edit { who: u128, call: usize, what: u8 },
    /// Withdraws a vote.
    Withdraw { who: u128, call: usize },
    /// Lets another person vote on their behalf, or ends that.
    Delegate { who: u128, to: Option<u128> },
}

fn act() -> impl Strategy<Value = VoterAct> {
    let choice = || prop::option::of(prop::sample::select(vec![Choice::Approve, Choice::Approve, Choice::Reject]));
    let batch = (2..6u128, prop::collection::vec(choice(), CALLS), prop::bool::weighted(0.1));
    prop_oneof![
        4 => batch.prop_map(|(who, choices, stale)| VoterAct::Batch { who, choices, stale }),
        1 => (2..6u128, 0..CALLS, any::<u8>()).prop_map(|(who, call, what)| VoterAct::Edit { who, call, what }),
        2 => (2..6u128, 0..CALLS).prop_map(|(who, call)| VoterAct::Withdraw { who, call }),
        1 => (2..6u128, prop::option::of(1..6u128)).prop_map(|(who, to)| VoterAct::Delegate { who, to }),
    ]
}

/// Votes about one call, tracked independently of the kernel.
struct Ledger {
    rev: u32,
    what: String,
    votes: BTreeMap<u128, Choice>,
    /// `true` if two people approved; `false` if so many rejected that two approvals are no longer possible.
    approved: Option<bool>,
}

impl Ledger {
    fn new(rev: u32, what: String, votes: BTreeMap<u128, Choice>) -> Self {
        Self { rev, what, votes, approved: None }
    }

    fn is_over(&self) -> bool {
        self.approved.is_some()
    }

    /// Decides the call if no further vote can change the outcome. A person with a delegate who has not voted is not
    /// waited for, unless their delegate has one, too.
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

/// Performs the act in the session and in the ledgers. Neither changes if one vote of a batch cannot count.
fn perform(
    play: &mut Play,
    first: &[Gate],
    ledgers: &mut [Ledger],
    delegates: &mut BTreeMap<u128, u128>,
    act: &VoterAct,
) {
    match act {
        VoterAct::Batch { who, choices, stale } => {
            let chosen: Vec<_> = choices.iter().enumerate().filter_map(|(at, choice)| Some((at, (*choice)?))).collect();
            let last = chosen.last().map(|(at, _)| *at);
            let ballot = |(at, choice): &(usize, Choice)| {
                let old = u32::from(*stale && Some(*at) == last);
                BatchedVote { rev: ledgers[*at].rev - old, ..batched(&first[*at], *choice) }
            };
            let votes = chosen.iter().map(ballot).collect();
            let counts = !chosen.is_empty() && !stale && chosen.iter().all(|(at, _)| !ledgers[*at].is_over());
            let before = play.stage.log.len();
            let done = play.stage.does(*who, Command::VoteBatch { votes });
            assert_eq!(done.is_ok(), counts, "{act:?}: {done:?}");
            if counts {
                for (at, choice) in chosen {
                    ledgers[at].votes.insert(*who, choice);
                }
            } else {
                assert_eq!(play.stage.log.len(), before, "a part of a refused batch counted");
            }
        }
        VoterAct::Edit { who, call, what } => {
            let ledger = &mut ledgers[*call];
            let what = format!("{call} edited {what} at {}", ledger.rev);
            let gate = Gate { rev: ledger.rev, ..first[*call].clone() };
            let done = play.stage.does(*who, vote(&gate, Choice::Approve, Some(json!({ "what": what }))));
            assert_eq!(done.is_ok(), !ledger.is_over(), "{done:?}");
            if !ledger.is_over() {
                *ledger = Ledger::new(ledger.rev + 1, what, BTreeMap::from([(*who, Choice::Approve)]));
            }
        }
        VoterAct::Withdraw { who, call } => {
            let ledger = &mut ledgers[*call];
            let done = play.stage.does(*who, Command::WithdrawVote { gate: first[*call].id });
            assert_eq!(done.is_ok(), !ledger.is_over(), "{done:?}");
            if !ledger.is_over() {
                ledger.votes.remove(who);
            }
        }
        VoterAct::Delegate { who, to } => {
            let done = play.stage.does(*who, Command::DelegateVotes { to: to.map(id), until: None });
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
        acts in prop::collection::vec(act(), 1..25),
    ) {
        let mut play = asked();
        let first = gates(&play);
        let ledger = |n: usize| Ledger::new(1, n.to_string(), BTreeMap::new());
        let mut ledgers: Vec<_> = (0..CALLS).map(ledger).collect();
        let mut delegates = BTreeMap::new();
        for act in &acts {
            perform(&mut play, &first, &mut ledgers, &mut delegates, act);
            // Without the gates about rules that the votes suggest.
            let of_calls = gates(&play).into_iter().filter(|gate| gate.kind == GateKind::Tool);
            let open: BTreeSet<_> = of_calls.map(|gate| gate.id).collect();
            let undecided = first.iter().zip(&ledgers).filter(|(_, ledger)| !ledger.is_over());
            prop_assert_eq!(open, undecided.map(|(gate, _)| gate.id).collect::<BTreeSet<_>>(), "after {:?}", act);
        }
        // Everyone rejects the others.
        for (gate, ledger) in first.iter().zip(&ledgers).filter(|(_, ledger)| !ledger.is_over()) {
            for who in [OWNER, 2, 3, 4, 5] {
                let _ = play.stage.does(who, vote(&Gate { rev: ledger.rev, ..gate.clone() }, Choice::Reject, None));
            }
        }
        play.finish_run(None);
        let approved: BTreeMap<_, _> =
            ledgers.iter().filter(|ledger| ledger.approved == Some(true)).map(|ledger| (ledger.what.clone(), 1)).collect();
        prop_assert_eq!(&play.put, &approved);
    }

    #[test]
    fn the_executed_items_are_exactly_those_that_were_left_in_the_plan(
        kept in prop::collection::vec(any::<bool>(), CALLS),
    ) {
        prop_assume!(kept.contains(&true));
        let mut play = planned();
        let gate = play.stage.gate();
        prop_assert_eq!(gate.kind, GateKind::Plan);
        let mut edited = plan(&play);
        let mut kept = kept.iter();
        edited.items.retain(|_| *kept.next().expect("one for each item"));
        let wanted: Vec<_> = edited.items.iter().map(|item| item.action.to_string()).collect();
        play.stage.ok(OWNER, vote(&gate, Choice::Approve, Some(json!(edited))));
        play.finish_run(None);
        prop_assert_eq!(executed(&play), wanted);
    }
}
