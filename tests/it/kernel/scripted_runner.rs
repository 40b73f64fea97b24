//! A test bench for complete runs: models that follow a script, tools that count their effects, people who answer every
//! gate, and possible interruptions. The next action is always derived from the state, as on a server that has just
//! started.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use roundtable::kernel::call::{Call, CallSourceKind, CallState, Permission, Risk};
use roundtable::kernel::gate::{Choice, Gate, GateKind};
use roundtable::kernel::*;
use serde_json::json;

use super::harness::*;

/// Response of a model.
pub(super) type ModelResponse = (String, Vec<ProposedCall>);

/// Responses of the models.
pub(super) type ModelScript = fn(&View, &RunningMessage) -> ModelResponse;

/// Interruption between two events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Interruption {
    /// The node dies. `sent_happened` states whether a call that was sent to a tool has happened.
    Crash { sent_happened: bool },
    /// A person stops the agents, and lets them continue.
    Interrupt,
    /// A person pauses the run, and resumes it.
    Pause,
    /// A person sets a small budget, and raises it at each gate.
    Budget,
}

pub(super) struct ScriptedRunner {
    pub(super) harness: KernelHarness,
    script: ModelScript,
    /// Number of calls of the tool `put` with each argument.
    pub(super) put: BTreeMap<String, u32>,
    /// Number of commands so far.
    pub(super) commands: usize,
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
    checked_calls: usize,
    /// The flow's own call that was stopped after it was sent.
    pub(super) stopped: Option<CallId>,
    /// Responses for one kind of task.
    task_script: Option<(Task, ModelScript)>,
}

pub(super) fn tool_call(name: &str, arguments: serde_json::Value) -> ProposedCall {
    ProposedCall { name: name.into(), arguments: arguments.to_string().into() }
}

pub(super) fn text_response(text: &str) -> ModelResponse {
    (text.into(), vec![])
}

/// Calls `put` with `what` once, then reports the result.
pub(super) fn put_once(run: &Run, running: &RunningMessage, what: &str) -> ModelResponse {
    let own = running.assignment();
    let done = run.tool_rounds_of(&own).flat_map(|round| &round.calls).find(|call| call.state == CallState::Completed);
    match done.and_then(|call| call.output.as_ref()) {
        Some(output) => text_response(&format!("put {output}")),
        None => ("let me see".into(), vec![tool_call("put", json!({ "what": what }))]),
    }
}

impl ScriptedRunner {
    pub(super) fn new(team: Team, script: ModelScript) -> Self {
        let settings = Settings { max_messages_per_run: 200, ..Settings::default() };
        let harness = KernelHarness::with(team, settings);
        let (permission, put) = (Permission::Allow, BTreeMap::new());
        Self {
            harness,
            script,
            put,
            commands: 0,
            permission,
            risk: Risk::Medium,
            result_sources: BTreeSet::new(),
            reads_only: false,
            denied: None,
            checked_calls: 0,
            stopped: None,
            task_script: None,
        }
    }

    pub(super) fn ask_before_calls(mut self) -> Self {
        self.permission = Permission::Ask;
        self
    }

    pub(super) fn deny_calls(mut self) -> Self {
        self.permission = Permission::Deny;
        self
    }

    /// Makes the rules deny the call at this position.
    pub(super) fn deny_call_at(mut self, place: usize) -> Self {
        self.denied = Some(place);
        self
    }

    pub(super) fn begin(&mut self, text: &str) {
        self.harness.ok(OWNER, say(text));
        self.commands += 1;
    }

    fn run(&self) -> Option<Run> {
        self.harness.state.view().active_run().cloned()
    }

    fn calls(&self, state: CallState) -> Vec<Call> {
        let calls = self.run().map_or(vec![], |run| run.tool_rounds);
        calls.into_iter().flat_map(|round| round.calls).filter(|call| call.state == state).collect()
    }

    /// Completes the run, and applies the `interruption`, if any, after its number of commands.
    pub(super) fn finish_run(&mut self, interruption: Option<(usize, Interruption)>) {
        let mut interruption = interruption;
        while self.run().is_some() {
            if let Some((_, kind)) = interruption.filter(|(at, _)| *at == self.commands) {
                interruption = None;
                self.interrupt_with(kind);
                continue;
            }
            self.advance();
            self.commands += 1;
            assert!(self.commands < 500, "it comes to no end: {:?}", self.run());
        }
    }

    /// Does the next piece of work. Returns whether there was any.
    pub(super) fn step(&mut self) -> bool {
        let goes_on = self.run().is_some();
        self.advance();
        goes_on
    }

    /// Does the next piece of outstanding work.
    fn advance(&mut self) {
        let Some(run) = self.run() else { return };
        let stops = |control: &&Control| control.verb.stops_work();
        if let Some(control) = run.controls.iter().find(stops) {
            let control = control.id;
            self.harness.submit_as_orchestrator(Command::Acknowledge { control });
            self.harness.submit_as_orchestrator(Command::Stopped { control, left: vec![] });
        } else if self.check_next_call() {
        } else if let Some(call) = self.calls(CallState::Started).first() {
            let result = Ok(self.execute_call(call).into());
            self.harness.submit_as_orchestrator(Command::CallEnded { call: call.id, attempt: call.attempt, result });
        } else if let Some(running) = run.running.iter().find(|running| running.retry_at.is_none()) {
            self.turn(running);
        } else if run.paused {
            self.harness.ok(OWNER, self.harness.resume());
        } else {
            let gate = self.harness.gate();
            self.decide(&gate);
        }
    }

    /// Checks the rules for the first proposed call. Returns whether there is one.
    pub(super) fn check_next_call(&mut self) -> bool {
        let Some(call) = self.calls(CallState::Proposed).first().map(|call| call.id) else { return false };
        let schema = json!({ "type": "object", "required": ["what"] });
        self.checked_calls += 1;
        let denied = self.denied == Some(self.checked_calls);
        let permission = if denied { Permission::Deny } else { self.permission };
        let check = CallCheck::Known {
            permission,
            idempotent: false,
            risk: self.risk,
            reads_only: self.reads_only,
            result_sources: self.result_sources.clone(),
            schema,
        };
        self.harness.submit_as_orchestrator(Command::CallChecked { call, check });
        true
    }

    /// Completes the message's turn with the model's response.
    pub(super) fn turn(&mut self, running: &RunningMessage) {
        let task_script = self.task_script.filter(|(task, _)| *task == running.task).map(|(_, script)| script);
        let (text, calls) = task_script.unwrap_or(self.script)(self.harness.state.view(), running);
        let usage = Usage { model: "m".into(), input_tokens: 1, output_tokens: 1, estimated: false, cost_micros: 0 };
        let (message, attempt) = (running.message, running.attempt);
        self.harness.submit_as_orchestrator(Command::TurnCompleted {
            message,
            attempt,
            text: text.into(),
            calls,
            usage,
            truncated: false,
            output_file: None,
        });
    }

    /// Makes models respond to this task with another script.
    pub(super) fn set_task_script(&mut self, task: Task, script: ModelScript) {
        self.task_script = Some((task, script));
    }

    /// Carries out the call as the tool does.
    fn execute_call(&mut self, call: &Call) -> Arc<str> {
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
                // People check whether the call has happened.
                let call = gate.call.and_then(|id| self.run()?.call(id).cloned()).expect("a call");
                let arguments: serde_json::Value = serde_json::from_str(&call.arguments).expect("JSON");
                let what = arguments["what"].as_str().expect("a word");
                match self.put.get(what) {
                    Some(_) => Command::Answer { rev: None, gate: gate_id, text: what.into() },
                    None => approve,
                }
            }
        };
        self.harness.ok(OWNER, command);
    }

    pub(super) fn interrupt_with(&mut self, interruption: Interruption) {
        match interruption {
            Interruption::Crash { sent_happened } => {
                for call in self.calls(CallState::Started) {
                    if sent_happened {
                        self.execute_call(&call);
                    }
                }
                // Another node reads the log.
                let mut state = State::new(self.harness.state.view().session);
                self.harness.log.iter().for_each(|event| evolve(&mut state, event));
                assert_eq!(state, self.harness.state, "state is a fold of the log");
                self.harness.submit_as_orchestrator(recover());
            }
            // There is nothing to stop unless work is in progress.
            Interruption::Interrupt => {
                let of_flow = |run: Run, call| run.tool_round_of(call).is_some_and(|round| round.message.is_none());
                let sent = self.calls(CallState::Started).first().map(|call| call.id);
                self.stopped = sent.filter(|call| self.run().is_some_and(|run| of_flow(run, *call)));
                let _ = self.harness.submit(OWNER, self.harness.interrupt(None));
            }
            Interruption::Budget => drop(self.harness.submit(OWNER, set(json!({ "budget": { "max_tokens": 1 } })))),
            Interruption::Pause => {
                let _ = self.harness.submit(OWNER, self.harness.pause());
            }
        }
    }

    /// Returns the outcome of the run: how it ended, its last text, and the states of its items.
    pub(super) fn result(&self) -> String {
        let view = self.harness.state.view();
        let run = view.run.as_ref().expect("a run");
        let answer = run.final_message.and_then(|id| view.message(id)).map_or("", |message| &message.text);
        let items = run.plan.as_ref().map_or(vec![], |plan| plan.items.iter().map(|item| item.state).collect());
        format!("{:?} {answer:?} {items:?} {:?}", run.phase, run.output)
    }

    pub(super) fn names(&self) -> Vec<String> {
        self.harness.log.iter().map(name).collect()
    }
}
