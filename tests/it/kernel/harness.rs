//! Harness for the kernel alone: commands in, facts out. After each command, it checks that the fold of the log equals
//! the live state.

use roundtable::kernel::gate::{Choice, Gate, Quorum};
use roundtable::kernel::*;
use uuid::Uuid;

pub(super) const OWNER: u128 = 1;

pub(super) struct KernelHarness {
    pub(super) state: State,
    pub(super) log: Vec<Event>,
    pub(super) now: u64,
    commands: u64,
}

/// Number of a participant who is a bot, even without the bot role.
pub(super) const BOT: u128 = 1000;

/// Number of a participant who is a guest.
pub(super) const GUEST: u128 = 2000;

pub(super) fn person(n: u128) -> Actor {
    let kind = if n == BOT { ActorKind::Bot } else { ActorKind::User };
    Actor { guest: n == GUEST, ..Actor::participant(ParticipantId(Uuid::from_u128(n)), kind, &format!("P{n}")) }
}

pub(super) fn id(n: u128) -> ParticipantId {
    ParticipantId(Uuid::from_u128(n))
}

pub(super) fn agent(name: &str) -> AgentId {
    name.parse().expect("an agent's id")
}

pub(super) fn team(roles: &[(&str, AgentRole)]) -> Team {
    let agents = roles.iter().map(|(name, role)| Agent { prompt: "work".into(), ..Agent::new(agent(name), *role) });
    let language = Language::En;
    Team {
        name: "bench".into(),
        title: "Bench".into(),
        flow: "review".into(),
        language,
        starters: vec![],
        agents: agents.collect(),
        steps: vec![],
        topology: None,
        origin: None,
    }
}

pub(super) fn say(text: &str) -> Command {
    Command::Say { text: text.into(), to: None, mode: Mode::Queue, files: vec![] }
}

/// Returns a command that resumes the session without knowing which requests were sent.
pub(super) fn recover() -> Command {
    Command::Recover { sent: None }
}

/// Returns a command that changes these settings and no others.
pub(super) fn set(settings: serde_json::Value) -> Command {
    Command::Set { title: None, settings: settings.as_object().cloned() }
}

pub(super) fn steer(text: &str) -> Command {
    Command::Say { text: text.into(), to: None, mode: Mode::Steer, files: vec![] }
}

pub(super) fn usage(estimated: bool) -> Usage {
    Usage { model: "demo/demo".into(), input_tokens: 10, output_tokens: 5, estimated, cost_micros: 3 }
}

/// Returns an unfinished attempt, which costs something only if output has begun.
fn unfinished(message: MessageId, text: &str) -> PartialMessage {
    PartialMessage { message, text: text.into(), usage: (!text.is_empty()).then(|| usage(true)) }
}

impl KernelHarness {
    /// Creates a session with one generator, one reviewer, one optimizer, and an owner.
    pub(super) fn new() -> Self {
        Self::with(
            team(&[("Gen", AgentRole::Generator), ("Rev", AgentRole::Reviewer), ("Opt", AgentRole::Optimizer)]),
            Settings::default(),
        )
    }

    pub(super) fn with(team: Team, settings: Settings) -> Self {
        let session = SessionId(Uuid::from_u128(9));
        let mut harness = Self { state: State::new(session), log: vec![], now: 1_000, commands: 0 };
        harness.ok(OWNER, Command::Create { title: "Bench".into(), team, settings });
        harness
    }

    pub(super) fn envelope(&mut self, by: u128, command: Command) -> Envelope {
        self.commands += 1;
        let id = format!("c_{}", self.commands).parse().expect("a command id");
        let by = CommandSender::Participant { actor: person(by), id, granted_role: None, max_role: None };
        Envelope { at: Timestamp::from_millis(self.now), by, command }
    }

    pub(super) fn decide(&mut self, envelope: &Envelope) -> Result<Vec<String>, Rejection> {
        let before = self.state.clone();
        match decide(&self.state, envelope) {
            Err(rejection) => {
                assert_eq!(self.state, before, "a rejection leaves no trace");
                Err(rejection)
            }
            Ok(CommandOutcome::Repeated(_)) => Ok(vec!["repeated".into()]),
            Ok(CommandOutcome::Events { events, next }) => {
                for event in &events {
                    assert_eq!(event.seq, self.state.seq() + 1, "gapless");
                    evolve(&mut self.state, event);
                }
                assert_eq!(self.state, *next, "the next state is what the events fold into");
                self.log.extend(events.iter().cloned());
                self.now += 1;
                Ok(events.iter().map(name).collect())
            }
        }
    }

    pub(super) fn submit(&mut self, by: u128, command: Command) -> Result<Vec<String>, Rejection> {
        let envelope = self.envelope(by, command);
        self.decide(&envelope)
    }

    pub(super) fn ok(&mut self, by: u128, command: Command) -> Vec<String> {
        self.submit(by, command).expect("accepted")
    }

    pub(super) fn submit_as_orchestrator(&mut self, command: Command) -> Vec<String> {
        let envelope =
            Envelope { at: Timestamp::from_millis(self.now), by: CommandSender::Orchestrator { cause: None }, command };
        self.decide(&envelope).expect("the shell is never refused")
    }

    pub(super) fn enter(&mut self, who: u128, role: Role) {
        self.ok(who, Command::Enter { role });
    }

    /// Returns the agents that are writing now, in order.
    pub(super) fn writing_agents(&self) -> Vec<String> {
        let run = self.state.view().active_run();
        run.map_or(vec![], |run| run.running.iter().map(|running| running.agent.to_string()).collect())
    }

    /// Completes the turn of the first agent that is writing, with this text.
    pub(super) fn finish(&mut self, text: &str) -> Vec<String> {
        let running = self.state.view().active_run().expect("a run").running.first().expect("somebody writes").clone();
        self.finish_message(running.message, running.attempt, text)
    }

    pub(super) fn finish_message(&mut self, message: MessageId, attempt: u32, text: &str) -> Vec<String> {
        let (text, usage) = (text.into(), usage(false));
        self.submit_as_orchestrator(Command::TurnCompleted {
            message,
            attempt,
            text,
            calls: vec![],
            usage,
            truncated: false,
            output_file: None,
        })
    }

    /// Does the same as [`Self::finish`], but with a text that was truncated at the model's token limit.
    pub(super) fn finish_truncated(&mut self, text: &str) -> Vec<String> {
        let running = self.state.view().active_run().expect("a run").running.first().expect("somebody writes").clone();
        let (text, usage) = (text.into(), usage(false));
        let (message, attempt) = (running.message, running.attempt);
        self.submit_as_orchestrator(Command::TurnCompleted {
            message,
            attempt,
            text,
            calls: vec![],
            usage,
            truncated: true,
            output_file: None,
        })
    }

    pub(super) fn fail(&mut self, retry_in_ms: Option<u64>) -> Vec<String> {
        let running = self.state.view().active_run().expect("a run").running.first().expect("somebody writes").clone();
        let error = AttemptError { code: "model_unavailable".into(), message: "down".into() };
        let left = unfinished(running.message, "so f");
        self.submit_as_orchestrator(Command::TurnFailed { attempt: running.attempt, error, retry_in_ms, left })
    }

    pub(super) fn control(&self) -> u64 {
        self.state.view().active_run().expect("a run").controls.first().expect("a control").id
    }

    /// Carries out the pending control as the orchestrator does, with the text written so far.
    pub(super) fn stop(&mut self, partial: &str) -> Vec<String> {
        let control = self.control();
        let mut names = self.submit_as_orchestrator(Command::Acknowledge { control });
        let messages = &self.state.view().active_run().expect("a run").running;
        let left = messages.iter().map(|running| unfinished(running.message, partial)).collect();
        names.extend(self.submit_as_orchestrator(Command::Stopped { control, left }));
        names
    }

    /// Returns the id of the newest run, or an unused id if there is no run.
    pub(super) fn run(&self) -> RunId {
        self.state.view().run.as_ref().map_or(RunId(self.state.seq() + 1), |run| run.id)
    }

    pub(super) fn pause(&self) -> Command {
        Command::Pause { run: self.run() }
    }

    pub(super) fn resume(&self) -> Command {
        Command::Resume { run: self.run() }
    }

    pub(super) fn interrupt(&self, text: Option<&str>) -> Command {
        Command::Interrupt { run: self.run(), step: None, message: None, text: text.map(Into::into) }
    }

    pub(super) fn cancel(&self, reason: Option<&str>) -> Command {
        Command::Cancel { run: self.run(), reason: reason.map(Into::into) }
    }

    pub(super) fn gate(&self) -> Gate {
        self.state.view().gates.first().expect("an open gate").clone()
    }

    pub(super) fn vote(&mut self, by: u128, choice: Choice, comment: Option<&str>) -> Result<Vec<String>, Rejection> {
        let gate = self.gate();
        self.submit(
            by,
            Command::Vote {
                gate: gate.id,
                rev: gate.rev,
                choice,
                comment: comment.map(Into::into),
                edit: None,
                standing: None,
            },
        )
    }

    pub(super) fn phase(&self) -> Phase {
        self.state.view().run.as_ref().expect("a run").phase
    }

    /// Runs from the first message to the open gate.
    pub(super) fn reach_gate(&mut self) {
        self.ok(OWNER, say("write tests"));
        self.finish("cases");
        self.finish("remarks");
        assert_eq!(self.phase(), Phase::Waiting);
    }

    pub(super) fn texts(&self) -> Vec<String> {
        self.state.view().messages.iter().map(|message| format!("{}: {}", message.by.name, message.text)).collect()
    }
}

pub(super) fn settings(approval: Quorum) -> Settings {
    Settings { approval, ..Settings::default() }
}

/// Returns the event's name on the wire.
pub(super) fn name(event: &Event) -> String {
    let value = serde_json::to_value(event).expect("an event is JSON");
    value["event"].as_str().expect("a name").to_owned()
}
