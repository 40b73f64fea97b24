//! A test bench for complete runs: models that answer by a script, tools that count their effects, people who answer
//! every gate, and possible interruptions. The next action is always read from the state, as by a server that has just
//! started.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use roundtable::kernel::call::{Call, CallSourceKind, CallState, Permission, Risk};
use roundtable::kernel::gate::{Choice, Gate, GateKind};
use roundtable::kernel::*;
use serde_json::json;

use super::harness::*;

/// Response of a model.
pub(super) type Line = (String, Vec<ProposedCall>);

/// Responses of the models.
pub(super) type PlayScript = fn(&View, &Item) -> Line;

/// Interruption between two events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Blow {
    /// The node dies. A call that was sent to a tool has happened, or not.
    Crash { sent_happened: bool },
    /// A person stops the agents, and lets them continue.
    Interrupt,
    /// A person pauses, and resumes.
    Pause,
    /// A person sets a small budget, and raises it at each gate.
    Budget,
}

pub(super) struct Play {
    pub(super) stage: KernelHarness,
    script: PlayScript,
    /// Arguments of the tool `put`, with their counts.
    pub(super) put: BTreeMap<String, u32>,
    /// Number of commands so far.
    pub(super) moves: usize,
    permission: Permission,
    /// Risk of all calls.
    pub(super) risk: Risk,
    /// Kinds of sources of all results.
    pub(super) result_sources: BTreeSet<CallSourceKind>,
    /// True if calls only read.
    pub(super) reads_only: bool,
    /// Position of the call that is denied, whatever the rules say about the others.
    denied: Option<usize>,
    /// Number of calls that the rules were checked for.
    judged: usize,
    /// The flow's own call that was stopped after it was sent.
    pub(super) stopped: Option<CallId>,
    /// Responses for one kind of task.
    special: Option<(Task, PlayScript)>,
}

pub(super) fn wanted(name: &str, arguments: serde_json::Value) -> ProposedCall {
    ProposedCall { name: name.into(), arguments: arguments.to_string().into() }
}

pub(super) fn words(text: &str) -> Line {
    (text.into(), vec![])
}

/// Puts `what` once, then reports it.
pub(super) fn puts(run: &Run, item: &Item, what: &str) -> Line {
    let own = item.assignment();
    let done = run.tool_rounds_of(&own).flat_map(|round| &round.calls).find(|call| call.state == CallState::Completed);
    match done.and_then(|call| call.output.as_ref()) {
        Some(output) => words(&format!("put {output}")),
        None => ("let me see".into(), vec![wanted("put", json!({ "what": what }))]),
    }
}

impl Play {
    pub(super) fn new(team: Team, script: PlayScript) -> Self {
        let settings = Settings { max_messages_per_run: 200, ..Settings::default() };
        let stage = KernelHarness::with(team, settings);
        let (permission, put) = (Permission::Allow, BTreeMap::new());
        Self {
            stage,
            script,
            put,
            moves: 0,
            permission,
            risk: Risk::Medium,
            result_sources: BTreeSet::new(),
            reads_only: false,
            denied: None,
            judged: 0,
            stopped: None,
            special: None,
        }
    }

    pub(super) fn asking(mut self) -> Self {
        self.permission = Permission::Ask;
        self
    }

    pub(super) fn denying(mut self) -> Self {
        self.permission = Permission::Deny;
        self
    }

    /// Makes the rules deny the call at this position.
    pub(super) fn denying_at(mut self, place: usize) -> Self {
        self.denied = Some(place);
        self
    }

    pub(super) fn begin(&mut self, text: &str) {
        self.stage.ok(OWNER, say(text));
        self.moves += 1;
    }

    fn run(&self) -> Option<Run> {
        self.stage.state.view().active_run().cloned()
    }

    fn calls(&self, state: CallState) -> Vec<Call> {
        let calls = self.run().map_or(vec![], |run| run.tool_rounds);
        calls.into_iter().flat_map(|round| round.calls).filter(|call| call.state == state).collect()
    }

    /// Plays to the end of the run, and interrupts it with `blow` after this many commands.
    pub(super) fn finish_run(&mut self, blow: Option<(usize, Blow)>) {
        let mut blow = blow;
        while self.run().is_some() {
            if let Some((_, kind)) = blow.filter(|(at, _)| *at == self.moves) {
                blow = None;
                self.strike(kind);
                continue;
            }
            self.go_on();
            self.moves += 1;
            assert!(self.moves < 500, "it comes to no end: {:?}", self.run());
        }
    }

    /// Does one more thing. Returns whether there was something to do.
    pub(super) fn step(&mut self) -> bool {
        let goes_on = self.run().is_some();
        self.go_on();
        goes_on
    }

    /// Does the next outstanding work.
    fn go_on(&mut self) {
        let Some(run) = self.run() else { return };
        let stops = |control: &&Control| control.verb.stops_work();
        if let Some(control) = run.controls.iter().find(stops) {
            let control = control.id;
            self.stage.shell(Command::Acknowledge { control });
            self.stage.shell(Command::Stopped { control, left: vec![] });
        } else if self.judge() {
        } else if let Some(call) = self.calls(CallState::Started).first() {
            let result = Ok(self.happen(call).into());
            self.stage.shell(Command::CallEnded { call: call.id, attempt: call.attempt, result });
        } else if let Some(item) = run.items.iter().find(|item| item.retry_at.is_none()) {
            self.turn(item);
        } else if run.paused {
            self.stage.ok(OWNER, self.stage.resume());
        } else {
            let gate = self.stage.gate();
            self.decide(&gate);
        }
    }

    /// Checks the rules for the first proposed call. Returns whether there is one.
    pub(super) fn judge(&mut self) -> bool {
        let Some(call) = self.calls(CallState::Proposed).first().map(|call| call.id) else { return false };
        let schema = json!({ "type": "object", "required": ["what"] });
        self.judged += 1;
        let denied = self.denied == Some(self.judged);
        let permission = if denied { Permission::Deny } else { self.permission };
        let check = CallCheck::Known {
            permission,
            idempotent: false,
            risk: self.risk,
            reads_only: self.reads_only,
            result_sources: self.result_sources.clone(),
            schema,
        };
        self.stage.shell(Command::CallChecked { call, check });
        true
    }

    /// Completes the item's turn with the model's answer.
    pub(super) fn turn(&mut self, item: &Item) {
        let special = self.special.filter(|(task, _)| *task == item.task).map(|(_, script)| script);
        let (text, calls) = special.unwrap_or(self.script)(self.stage.state.view(), item);
        let usage = Usage { model: "m".into(), input_tokens: 1, output_tokens: 1, estimated: false, cost_micros: 0 };
        let (message, attempt) = (item.message, item.attempt);
        self.stage.shell(Command::TurnCompleted {
            message,
            attempt,
            text: text.into(),
            calls,
            usage,
            truncated: false,
        });
    }

    /// Makes models answer this task from another script.
    pub(super) fn script_of(&mut self, task: Task, script: PlayScript) {
        self.special = Some((task, script));
    }

    /// Carries out the call as the tool does.
    fn happen(&mut self, call: &Call) -> Arc<str> {
        let arguments: serde_json::Value = serde_json::from_str(&call.arguments).expect("JSON");
        let what = arguments["what"].as_str().unwrap_or_else(|| panic!("{call:?}")).to_owned();
        *self.put.entry(what.clone()).or_default() += 1;
        what.into()
    }

    fn decide(&mut self, gate: &Gate) {
        let (gate_id, rev) = (gate.id, gate.rev);
        let approve =
            Command::Vote { gate: gate_id, rev, choice: Choice::Approve, comment: None, edit: None, standing: None };
        let command = match gate.kind {
            GateKind::Feedback if self.run().is_some_and(|run| run.round.interrupted) => say("go on"),
            GateKind::Feedback => approve,
            GateKind::Question => Command::Answer { rev: None, gate: gate_id, text: "blue".into() },
            GateKind::Plan | GateKind::Tool | GateKind::Budget | GateKind::Rule | GateKind::Command => approve,
            GateKind::Uncertain => {
                // People check whether it has happened.
                let call = gate.call.and_then(|id| self.run()?.call(id).cloned()).expect("a call");
                let arguments: serde_json::Value = serde_json::from_str(&call.arguments).expect("JSON");
                let what = arguments["what"].as_str().expect("a word");
                match self.put.get(what) {
                    Some(_) => Command::Answer { rev: None, gate: gate_id, text: what.into() },
                    None => approve,
                }
            }
        };
        self.stage.ok(OWNER, command);
    }

    fn strike(&mut self, blow: Blow) {
        match blow {
            Blow::Crash { sent_happened } => {
                for call in self.calls(CallState::Started) {
                    if sent_happened {
                        self.happen(&call);
                    }
                }
                // Another node reads the log.
                let mut state = State::new(self.stage.state.view().session);
                self.stage.log.iter().for_each(|event| evolve(&mut state, event));
                assert_eq!(state, self.stage.state, "state is a fold of the log");
                self.stage.shell(Command::Recover);
            }
            // Nothing to stop unless work is in progress.
            Blow::Interrupt => {
                let of_flow = |run: Run, call| run.tool_round_of(call).is_some_and(|round| round.message.is_none());
                let sent = self.calls(CallState::Started).first().map(|call| call.id);
                self.stopped = sent.filter(|call| self.run().is_some_and(|run| of_flow(run, *call)));
                let _ = self.stage.does(OWNER, self.stage.interrupt(None));
            }
            Blow::Budget => drop(self.stage.does(OWNER, set(json!({ "budget": { "max_tokens": 1 } })))),
            Blow::Pause => {
                let _ = self.stage.does(OWNER, self.stage.pause());
            }
        }
    }

    /// Returns the outcome of the run: how it ended, its last text, and the states of its items.
    pub(super) fn result(&self) -> String {
        let view = self.stage.state.view();
        let run = view.run.as_ref().expect("a run");
        let answer = run.final_message.and_then(|id| view.message(id)).map_or("", |message| &message.text);
        let items = run.plan.as_ref().map_or(vec![], |plan| plan.items.iter().map(|item| item.state).collect());
        format!("{:?} {answer:?} {items:?} {:?}", run.phase, run.output)
    }

    pub(super) fn names(&self) -> Vec<String> {
        self.stage.log.iter().map(name).collect()
    }
}
