//! The law of redaction: no redacted content remains anywhere. In random histories of every flow, all participants and
//! agents mark everything that they write with a unique word; after a redaction, no event contains a mark of the
//! redacted content, and neither does the state.
//!
//! `ERASURE_SEEDS=10000 cargo test --test it kernel::erasure` runs that many histories.

use roundtable::kernel::call::{Call, CallSourceKind, CallState, Permission, Risk, StandingArguments, StandingTerms};
use roundtable::kernel::gate::{Choice, CommentTarget, FileLine, Gate, GateAction, GateKind};
use roundtable::kernel::*;
use serde_json::{Value, json};
use servers::random::Random;

use super::flows::team_of;
use super::harness::*;
use super::redaction::{remaining_places, rewrite};
use crate::sim::laws;

/// Number of histories in a normal test run.
const HISTORIES: u64 = 150;
const STEPS: usize = 60;
const PEOPLE: u64 = 3;

/// Returns the prefix of a person's marks.
fn person_prefix(who: u128) -> String {
    format!("W{who}w")
}

/// Returns the prefix of the marks in an agent's message.
fn agent_prefix(message: MessageId) -> String {
    format!("A{}a", message.0)
}

struct RandomHistory {
    harness: KernelHarness,
    dice: Random,
    marks: u64,
    /// Messages of people, each with its mark.
    messages: Vec<(MessageId, String)>,
    /// Marks that must no longer appear anywhere.
    erased_marks: Vec<String>,
}

impl RandomHistory {
    fn new(seed: u64) -> Self {
        use AgentRole::{Executor, Generator, Optimizer, Planner, Reviewer, Router, Summarizer, Worker};
        let mut dice = Random::new(seed);
        let teams: [(&str, &[(&str, AgentRole)]); 6] = [
            ("react", &[("W", Worker)]),
            ("brain", &[("P", Planner), ("A", Executor), ("B", Executor)]),
            ("plan_solve", &[("P", Planner), ("E", Executor), ("S", Summarizer)]),
            ("investigate", &[("P", Planner)]),
            ("router", &[("R", Router), ("W", Worker), ("P", Planner), ("E", Executor), ("S", Summarizer)]),
            ("review", &[("G", Generator), ("R", Reviewer), ("O", Optimizer)]),
        ];
        let (flow, roles) = *dice.pick(&teams);
        let mut team = team_of(flow, roles);
        team.agents.iter_mut().for_each(|agent| agent.tools = vec!["*".into()]);
        let settings =
            Settings { max_messages_per_run: 60, max_steps_per_run: 60, max_repairs: 1, ..Settings::default() };
        let mut harness = KernelHarness::with(team, settings);
        harness.enter(2, Role::Owner);
        harness.enter(3, Role::Owner);
        Self { harness, dice, marks: 0, messages: vec![], erased_marks: vec![] }
    }

    fn mark(&mut self, prefix: &str) -> String {
        self.marks += 1;
        format!("{prefix}{}z", self.marks)
    }

    /// Does outstanding work or lets a person act, at random.
    fn step(&mut self) {
        if self.dice.chance(35) || !self.advance() {
            self.submit_random_command();
        }
        let known = self.messages.len();
        for event in self.harness.log.iter().rev().take(12) {
            if let (Fact::MessagePosted { message, text, .. }, Some(_)) = (&event.fact, event.by.participant_id())
                && !self.messages[..known].iter().any(|(known_message, _)| known_message == message)
                && let Some(mark) = text.split(|c: char| !c.is_ascii_alphanumeric()).find(|word| word.ends_with('z'))
            {
                self.messages.push((*message, mark.to_owned()));
            }
        }
    }

    fn advance(&mut self) -> bool {
        let Some(run) = self.harness.state.view().active_run().cloned() else { return false };
        let stops = |control: &&Control| control.verb.stops_work();
        let calls = || run.tool_rounds.iter().flat_map(|round| &round.calls);
        let of = |state: CallState| calls().find(|call| call.state == state).cloned();
        if let Some(control) = run.controls.iter().find(stops) {
            self.stop(control.id, &run);
        } else if let Some(call) = of(CallState::Proposed) {
            self.check_call(&call);
        } else if let Some(call) = of(CallState::Started).filter(|_| self.dice.chance(70)) {
            self.end(&call);
        } else if let Some(running) = run.running.iter().find(|running| running.retry_at.is_none()).cloned() {
            self.turn(&running);
        } else if let Some(gate) = self.harness.state.view().gates.first().cloned() {
            self.decide(&gate);
        } else if run.paused {
            let _ = self.harness.submit(OWNER, self.harness.resume());
        } else {
            self.harness.now += 60_000;
            self.harness.submit_as_orchestrator(Command::DeadlineReached);
        }
        true
    }

    fn stop(&mut self, control: u64, run: &Run) {
        self.harness.submit_as_orchestrator(Command::Acknowledge { control });
        let left = run.running.iter().map(|running| PartialMessage {
            message: running.message,
            text: format!("so far {}", agent_prefix(running.message)).into(),
            usage: None,
        });
        self.harness.submit_as_orchestrator(Command::Stopped { control, left: left.collect() });
    }

    fn check_call(&mut self, call: &Call) {
        let permission = *self.dice.pick(&[Permission::Allow, Permission::Ask, Permission::Ask, Permission::Deny]);
        let check = match self.dice.below(12) {
            0 => CallCheck::Impossible(AttemptError {
                code: "arguments_invalid".into(),
                message: format!("not that: {}", call.arguments).into(),
            }),
            _ => CallCheck::Known {
                permission,
                idempotent: false,
                risk: Risk::Medium,
                reads_only: false,
                result_sources: CallSourceKind::unknown(),
                schema: json!({ "type": "object" }),
            },
        };
        self.harness.submit_as_orchestrator(Command::CallChecked { call: call.id, check });
    }

    /// Ends the call. Its result repeats the arguments.
    fn end(&mut self, call: &Call) {
        let (id, attempt) = (call.id, call.attempt);
        let has_gate = self.harness.state.view().gates.iter().any(|gate| gate.call == Some(id));
        if self.dice.chance(20) && !has_gate {
            let inquiry = Inquiry {
                from: "paint".into(),
                message: format!("about {}?", call.arguments).into(),
                schema: json!({ "type": "string" }),
                link: None,
            };
            self.harness.submit_as_orchestrator(Command::OpenInquiry { call: id, attempt, inquiry });
            return;
        }
        if self.dice.chance(10) {
            self.harness.submit_as_orchestrator(recover());
            return;
        }
        let reply = self.harness.state.view().decided.iter().rev().find(|gate| gate.call == Some(id)).cloned();
        let reply = reply.and_then(|gate| gate.decision.as_ref()?.message);
        let reply = reply.and_then(|id| self.harness.state.view().message(id).map(|posted| posted.text.clone()));
        let text = format!("did {} {}", call.arguments, reply.unwrap_or_default());
        let result = match self.dice.chance(80) {
            true => Ok(text.as_str().into()),
            false => Err(AttemptError { code: "tool_failed".into(), message: text.into() }),
        };
        self.harness.submit_as_orchestrator(Command::CallEnded { call: id, attempt, result });
    }

    fn turn(&mut self, running: &RunningMessage) {
        let own = agent_prefix(running.message);
        if self.dice.chance(8) {
            let (message, attempt) = (running.message, running.attempt);
            let error = AttemptError { code: "model_failed".into(), message: format!("no: {own}").into() };
            let left = PartialMessage { message, text: own.as_str().into(), usage: None };
            let retry_in_ms = self.dice.chance(50).then_some(10);
            self.harness.submit_as_orchestrator(Command::TurnFailed { attempt, error, retry_in_ms, left });
            return;
        }
        let mark = self.mark(&own);
        let (text, calls) = self.answer(running, &mark);
        let usage = Usage { model: "m".into(), input_tokens: 1, output_tokens: 1, estimated: false, cost_micros: 0 };
        let limits = FileLimits { versions: 50, bytes: 10_000 };
        let is_stored = running.task == Task::Structure && self.dice.chance(70);
        let output_file = is_stored.then(|| {
            let file = super::files::file("structured-output.json", &text);
            Box::new(StructuredOutputFile { file, limits })
        });
        let (message, attempt, text) = (running.message, running.attempt, text.into());
        self.harness.submit_as_orchestrator(Command::TurnCompleted {
            message,
            attempt,
            text,
            calls,
            usage,
            truncated: false,
            output_file,
        });
    }

    fn answer(&mut self, running: &RunningMessage, mark: &str) -> (String, Vec<ProposedCall>) {
        let tool_call =
            |name: &str, arguments: Value| ProposedCall { name: name.into(), arguments: arguments.to_string().into() };
        if self.dice.chance(12) {
            return (format!("{{nonsense {mark}"), vec![]);
        }
        let step = json!({ "action": mark, "reason": mark, "tool_name": "put", "tool_params": { "what": mark } });
        let ask = json!({ "action": "request_input", "question": mark, "context": mark });
        let go_on = json!({ "action": "continue", "analysis": mark, "reason": mark, "next_steps": [step] });
        let brain = json!({
            "title": mark, "estimated_time": mark, "risks": [mark],
            "steps": [{ "agent": "A", "action": mark, "reason": mark }, { "agent": "B", "action": format!("then {mark}") }],
        });
        let flow =
            self.harness.state.view().active_run().map(|run| run.route.as_ref().unwrap_or(&run.flow).to_string());
        let flow = flow.unwrap_or_default();
        let shaped = match (running.task, &*flow) {
            (Task::Plan, "brain") => Some(brain),
            (Task::Plan, "investigate") => Some(self.dice.pick(&[go_on, ask]).clone()),
            (Task::Decide, "brain") => {
                let next = *self.dice.pick(&["continue", "retry", "skip", "end"]);
                Some(json!({ "next_action": next, "reason": mark, "instruction": mark, "analysis": mark }))
            }
            (Task::Decide, _) => {
                let adjust = json!({ "action": "adjust_plan", "reason": mark });
                Some(self.dice.pick(&[go_on, ask, adjust, json!({ "action": "synthesize" })]).clone())
            }
            (Task::Structure, _) => {
                let wrong = json!({ "note": mark, "level": mark });
                Some(self.dice.pick(&[json!({ "note": mark }), wrong]).clone())
            }
            (Task::Summarize, "investigate") => Some(json!({ "root_cause": mark, "suggestions": [mark] })),
            (Task::Route, _) => Some(json!({ "flow": self.dice.pick(&["react", "plan_solve"]), "reason": mark })),
            _ => None,
        };
        if let Some(shaped) = shaped {
            return (shaped.to_string(), vec![]);
        }
        let calls = match self.dice.below(8) {
            0 => vec![tool_call(
                "plan",
                json!({ "command": "create", "title": mark, "items": [mark, format!("more {mark}")] }),
            )],
            1 => vec![tool_call("plan", json!({ "command": "mark_item", "item_index": 0, "item_notes": mark }))],
            2 => vec![tool_call("plan", json!({ "command": "update", "items": [format!("again {mark}")] }))],
            3 => vec![tool_call("plan", json!({ "command": "finish" }))],
            4 => vec![tool_call("ask_people", json!({ "question": mark, "context": mark }))],
            5 => vec![
                tool_call("put", json!({ "what": mark })),
                tool_call(&format!("fly_{mark}"), json!({ "what": mark })),
            ],
            _ => vec![],
        };
        (format!("words {mark}"), calls)
    }

    fn any_person(&mut self) -> u128 {
        u128::from(1 + self.dice.below(PEOPLE))
    }

    fn decide(&mut self, gate: &Gate) {
        let who = self.any_person();
        let mark = self.mark(&person_prefix(who));
        let (id, rev) = (gate.id, gate.rev);
        let vote = |choice, comment: Option<String>, edit: Option<Value>| Command::Vote {
            gate: id,
            rev,
            choice,
            comment: comment.map(Into::into),
            edit: edit.and_then(|edit| serde_json::value::to_raw_value(&edit).ok()),
            standing: None,
        };
        let command = match self.dice.below(8) {
            6 => {
                let path = (*self.dice.pick(&["", "/items/0/action", "/what"])).into();
                let target = self.commented_line().unwrap_or(CommentTarget::Subject { path, line: None });
                Command::Comment { gate: id, rev, target, text: format!("why {mark}").into() }
            }
            7 if !gate.threads.is_empty() => {
                let target = CommentTarget::Thread(gate.threads[0].place.thread);
                Command::Comment { gate: id, rev, target, text: format!("because {mark}").into() }
            }
            0 if gate.allow.contains(&GateAction::Respond) => {
                Command::Answer { rev: None, gate: id, text: format!("rather {mark}").into() }
            }
            1 => vote(Choice::Reject, Some(format!("no {mark}")), None),
            3 if gate.kind == GateKind::Tool => Command::Vote {
                gate: id,
                rev,
                choice: Choice::Approve,
                comment: None,
                edit: None,
                standing: Some(StandingTerms {
                    arguments: StandingArguments::Same,
                    this_run: false,
                    until: None,
                    max_uses: Some(3),
                }),
            },
            2 if gate.kind == GateKind::Tool => vote(Choice::Approve, None, Some(json!({ "what": mark }))),
            2 if gate.kind == GateKind::Plan => {
                let plan = self.harness.state.view().run.as_ref().and_then(|run| run.plan.clone());
                let mut plan = serde_json::to_value(plan).expect("JSON");
                let step = json!({ "action": format!("first {mark}"), "reason": mark });
                plan["items"].as_array_mut().into_iter().for_each(|items| items.push(step.clone()));
                plan["title"] = json!(mark);
                vote(Choice::Approve, None, Some(plan))
            }
            3 => vote(Choice::Approve, Some(format!("yes {mark}")), None),
            _ if gate.kind == GateKind::Question => {
                Command::Answer { rev: None, gate: id, text: format!("it is {mark}").into() }
            }
            _ => vote(Choice::Approve, None, None),
        };
        let _ = self.harness.submit(who, command);
    }

    /// In half of the cases, returns a line of a person's file, with that person's mark.
    fn commented_line(&mut self) -> Option<CommentTarget> {
        let files: Vec<_> = self.harness.state.view().current_files().cloned().collect();
        let file = (!files.is_empty() && self.dice.chance(50)).then(|| self.dice.pick(&files).clone())?;
        let text = Some(self.mark(&person_prefix(file.by.participant_id()?.0.as_u128())).into());
        Some(CommentTarget::File { file: file.id, line: Some(FileLine { number: 1, text }) })
    }

    fn request(&mut self, mark: &str) -> Option<std::sync::Arc<MessageRequest>> {
        let note = json!({ "type": "string", "description": mark });
        let schema = json!({ "properties": { "note": note, "level": { "enum": ["high"] } }, "required": ["note"] });
        let context = json!({ "key": mark }).as_object().cloned().unwrap_or_default();
        MessageRequest::of(context, self.dice.chance(70).then_some(schema), None)
    }

    fn submit_random_command(&mut self) {
        let who = self.any_person();
        let mark = self.mark(&person_prefix(who));
        let add = |name: &str, content: &str| {
            let limits = FileLimits { versions: 50, bytes: 10_000 };
            Command::AddFile { file: super::files::file(name, content), limits }
        };
        let command = match self.dice.below(17) {
            0 => Command::Set { title: Some(format!("About {mark}").into()), settings: None },
            1 => add(&format!("{mark}.md"), &mark),
            2 => match self.dice.chance(50).then(|| self.harness.state.view().files.last().cloned()).flatten() {
                Some(file) => add(&file.name, &mark),
                None => add("shared.md", &mark),
            },
            3 => match self.harness.state.view().files.first().cloned() {
                Some(file) => Command::RemoveFile { name: file.name.parse().expect("a name") },
                None => say(&format!("@people {mark}")),
            },
            4 => self.harness.cancel(Some(&format!("enough {mark}"))),
            5 => self.harness.interrupt(Some(&format!("stop {mark}"))),
            6 => steer(&format!("mind {mark}")),
            7 => say(&format!("@P2x @P{} {mark}", 20 + who)),
            8 => match self.messages.last().cloned() {
                Some((message, erased_mark)) => {
                    let redact = Command::Redact {
                        target: RedactionTarget::Message(message),
                        reason: Some(format!("since {mark}").into()),
                    };
                    if self.harness.submit(who, redact).is_ok_and(|names| !names.is_empty()) {
                        self.erased_marks.push(erased_mark);
                        rewrite(&mut self.harness);
                    }
                    return;
                }
                None => say(&format!("@people {mark}")),
            },
            9 => say(&format!("@people {mark}")),
            10 | 11 => Command::Start {
                flow: None,
                input: format!("do it {mark}").into(),
                files: vec![],
                earlier: vec![],
                request: self.request(&mark),
            },
            _ => say(&format!("do it {mark}")),
        };
        let _ = self.harness.submit(who, command);
    }

    /// Ends the run, if there is one.
    fn end_run(&mut self) {
        let _ = self.harness.submit(OWNER, self.harness.cancel(None));
        if let Some(run) = self.harness.state.view().active_run().cloned()
            && let Some(control) = run.controls.iter().find(|control| control.verb == ControlVerb::Cancel)
        {
            self.stop(control.id, &run);
        }
        assert!(self.harness.state.view().active_run().is_none(), "it is over");
    }

    /// Redacts something. Returns the marks that must disappear with it.
    fn redact(&mut self) -> Vec<String> {
        let agents = self.harness.log.iter().filter_map(|event| match &event.fact {
            Fact::MessageStarted { message, .. } => Some(*message),
            _ => None,
        });
        let agents: Vec<MessageId> = agents.collect();
        let (target, marks) = match self.dice.below(4) {
            0 if !agents.is_empty() => {
                let message = *self.dice.pick(&agents);
                (RedactionTarget::Message(message), vec![agent_prefix(message)])
            }
            1 if !self.messages.is_empty() => {
                let (message, mark) = self.dice.pick(&self.messages).clone();
                (RedactionTarget::Message(message), vec![mark])
            }
            2 => (RedactionTarget::Session, ["W1w", "W2w", "W3w", "\"put\""].map(str::to_owned).to_vec()),
            _ => {
                let who = self.any_person();
                let target = RedactionTarget::Participant { participant: id(who), content: true };
                (target, vec![person_prefix(who), format!("\"P{who}\"")])
            }
        };
        let session = target == RedactionTarget::Session;
        self.harness.ok(4, Command::Enter { role: Role::Owner });
        let redact = Command::Redact { target, reason: None };
        let by_another = self.harness.submit(4, redact).expect("is accepted");
        if !by_another.is_empty() {
            rewrite(&mut self.harness);
        }
        let agents = agents.iter().filter(|_| session).map(|message| agent_prefix(*message));
        marks.into_iter().chain(agents).chain(self.erased_marks.clone()).collect()
    }
}

#[test]
fn redacted_content_is_nowhere() {
    let number = |name: &str| std::env::var(name).ok()?.parse::<u64>().ok();
    let only = number("ERASURE_SEED");
    let seeds = only.map_or(0..number("ERASURE_SEEDS").unwrap_or(HISTORIES), |seed| seed..seed + 1);
    let mut redacted = 0;
    for seed in seeds {
        let mut history = RandomHistory::new(seed);
        for _ in 0..STEPS {
            history.step();
            let state = &history.harness.state;
            let stands = state.view().active_run().is_some_and(|run| run.phase == Phase::Pending);
            assert!(!stands || state.is_unfinished(), "seed {seed}: the run waits for nothing\nERASURE_SEED={seed}");
        }
        history.end_run();
        let before: Vec<_> = history.harness.log.iter().map(|event| (event.seq, name(event))).collect();
        let marks = history.redact();
        let after = history.harness.log.iter().take(before.len()).map(|event| (event.seq, name(event)));
        assert!(after.eq(before), "seed {seed}: numbers and names of events stay");
        for mark in &marks {
            let left = remaining_places(&history.harness, mark);
            assert!(left.is_empty(), "seed {seed}: {mark} is left of {marks:?} in {left:#?}\nERASURE_SEED={seed}");
        }
        let written = serde_json::to_string(&history.harness.state.snapshot()).expect("writes");
        let restored = serde_json::from_str::<Snapshot>(&written).expect("reads").restore();
        assert_eq!(restored.as_ref(), Some(&history.harness.state), "seed {seed}: kept state = state");
        let violations = laws::violations(history.harness.state.view().session, &history.harness.log);
        assert!(violations.is_empty(), "seed {seed}: {violations:#?}");
        redacted += history.harness.log.iter().filter(|event| event.redacted.is_some()).count();
    }
    assert!(redacted > 0 || only.is_some());
}
