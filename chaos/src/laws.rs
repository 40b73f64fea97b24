//! Laws for the calls, gates, plans and nodes in any session's log, whatever faults occurred while it was written. The
//! simulation (`tests/it/sim`) checks its logs against the same laws.

use std::collections::BTreeMap;
use std::sync::Arc;

use roundtable::kernel::call::Permission;
use roundtable::kernel::gate::{Gate, GateKind, Outcome};
use roundtable::kernel::schema::output_schema::OutputSchema;
use roundtable::kernel::{self, CallId, Event, Fact, GateId, RunId, SessionId, State, Task};

use super::budget_laws::BudgetLaws;
use super::node_laws::NodeLaws;
use super::permission_laws::PermissionLaws;
use super::vote_laws::VoteLaws;

/// Number of a revision, and the digest of its content.
type Revision = (u32, Arc<str>);

/// A tool call in the log.
#[derive(Default)]
struct LoggedCall {
    run: Option<RunId>,
    needs_approval: bool,
    idempotent: bool,
    attempt: u32,
    /// Revision of the call that a decision allows to be sent once.
    permit: Option<Revision>,
    is_over: bool,
}

/// A gate in the log.
struct OpenGate {
    run: Option<RunId>,
    /// True if a run or a call waits for the gate.
    holds_work: bool,
    kind: GateKind,
    call: Option<CallId>,
    rev: u32,
    digest: Option<Arc<str>>,
    is_over: bool,
}

/// State of a reader that checks a log event by event.
struct LogReader {
    state: State,
    calls: BTreeMap<CallId, LoggedCall>,
    gates: BTreeMap<GateId, OpenGate>,
    /// Newest plan of a run: the run, the revision, and the digest of the content.
    plan: Option<(RunId, u32, Arc<str>)>,
    nodes: NodeLaws,
    permissions: PermissionLaws,
    budget: BudgetLaws,
    votes: VoteLaws,
}

/// Returns descriptions of the violations in a session's log.
pub fn violations(session: SessionId, events: &[Event]) -> Vec<String> {
    let (calls, gates) = (BTreeMap::new(), BTreeMap::new());
    let (state, nodes, permissions) = (State::new(session), NodeLaws::default(), PermissionLaws::default());
    let (budget, votes) = (BudgetLaws::default(), VoteLaws::default());
    let mut reader = LogReader { state, calls, gates, plan: None, nodes, permissions, budget, votes };
    let violation = |event: &Event, reason: String| format!("seq {}: {reason}: {:?}", event.seq, event.fact);
    events.iter().filter_map(|event| reader.read(event).err().map(|reason| violation(event, reason))).collect()
}

fn require(holds: bool, reason: impl Into<String>) -> Result<(), String> {
    if holds { Ok(()) } else { Err(reason.into()) }
}

impl LogReader {
    /// Checks that no participant joins twice, knocks twice, or is declined without a knock.
    fn check_participant(&self, fact: &Fact) -> Result<(), String> {
        let view = self.state.view();
        match fact {
            Fact::ParticipantJoined { participant, .. } => {
                require(view.member(*participant).is_none(), "a member joins again")
            }
            Fact::ParticipantRenamed { participant, from, .. } => {
                let has = view.member(*participant).map(|member| &member.name);
                require(has == Some(from), "a rename has the wrong earlier name")
            }
            Fact::ParticipantKnocked { participant, .. } => {
                let is_new = view.member(*participant).is_none() && view.knock(*participant).is_none();
                require(
                    is_new && !view.refused.contains(participant),
                    "a member, a waiting or a declined participant knocks",
                )
            }
            Fact::ParticipantRefused { participant } => {
                require(view.knock(*participant).is_some(), "a participant is declined without a knock")
            }
            _ => Ok(()),
        }
    }

    fn read(&mut self, event: &Event) -> Result<(), String> {
        self.check_participant(&event.fact)?;
        kernel::evolve(&mut self.state, event);
        self.check_call(&event.fact)?;
        self.check_gate(&event.fact)?;
        self.check_output(&event.fact)?;
        self.check_revision()?;
        self.nodes.read(self.state.view(), &event.fact)?;
        self.permissions.read(event)?;
        self.budget.read(event)?;
        self.votes.read(event)?;
        if let Fact::RunFinished { run, .. } | Fact::RunFailed { run, .. } | Fact::RunCancelled { run, .. } =
            &event.fact
        {
            let open = self.calls.values().filter(|call| call.run == Some(*run) && !call.is_over).count();
            let waits = |gate: &&OpenGate| gate.run == Some(*run) && !gate.is_over && gate.holds_work;
            let gates = self.gates.values().filter(waits).count();
            require(open + gates == 0, format!("the run ends, with {open} calls and {gates} gates that do not"))?;
        }
        Ok(())
    }

    /// Checks that structured output matches the schema that the caller of the run provided.
    fn check_output(&self, fact: &Fact) -> Result<(), String> {
        let Fact::OutputProduced { message, output, .. } = fact else { return Ok(()) };
        let view = self.state.view();
        let written = view.message(*message).filter(|written| written.redacted.is_none());
        let request = view.run.as_ref().and_then(|run| run.request.as_ref());
        let schema = request.and_then(|request| request.output_schema.as_ref());
        match schema.filter(|_| written.is_some_and(|written| written.task == Task::Structure)) {
            Some(schema) => require(OutputSchema::compile(schema)?.check(output).is_ok(), "the output does not match"),
            None => Ok(()),
        }
    }

    /// Checks that a call has one outcome, is sent only if it is allowed, and is sent again only if it is idempotent or
    /// people approved this.
    fn check_call(&mut self, fact: &Fact) -> Result<(), String> {
        match fact {
            Fact::ToolProposed { call, run, .. } => {
                let before = self.calls.insert(*call, LoggedCall { run: Some(*run), ..LoggedCall::default() });
                require(before.is_none(), "it was proposed before")
            }
            Fact::ToolChecked { call, permission, idempotent, .. } => {
                let call = self.calls.entry(*call).or_default();
                (call.needs_approval, call.idempotent) = (*permission == Permission::Ask, *idempotent);
                Ok(())
            }
            Fact::ToolStarted { call, attempt, rev, digest, .. } => {
                let call = self.calls.entry(*call).or_default();
                require(!call.is_over, "it was over")?;
                require(*attempt == call.attempt + 1, "another attempt is next")?;
                let first = std::mem::replace(&mut call.attempt, *attempt) == 0;
                let wanted = (*rev, digest.clone());
                match call.permit.take() {
                    Some(permit) => require(permit == wanted, format!("what was allowed is {permit:?}")),
                    None if first => require(!call.needs_approval, "nobody allowed it"),
                    None => require(call.idempotent, "it was sent again, and nobody was asked"),
                }
            }
            Fact::ToolUncertain { call, attempt, .. } => {
                let call = self.calls.entry(*call).or_default();
                require(!call.is_over && call.attempt == *attempt && *attempt > 0, "it was over, or not sent")
            }
            Fact::ToolCompleted { call, attempt, .. } | Fact::ToolFailed { call, attempt, .. } => {
                let call = self.calls.entry(*call).or_default();
                require(!std::mem::replace(&mut call.is_over, true), "it has an outcome already")?;
                require(call.attempt == *attempt, "it is an older attempt's outcome")
            }
            _ => Ok(()),
        }
    }

    /// Checks that a gate ends once, with its newest revision, and that its decision is used once.
    fn check_gate(&mut self, fact: &Fact) -> Result<(), String> {
        let (id, rev) = match fact {
            Fact::GateOpened { gate } => {
                let before = self.gates.insert(gate.id, OpenGate::of(gate));
                return require(before.is_none(), "it was opened before");
            }
            Fact::GateRevised { gate, rev, .. }
            | Fact::GateVoted { gate, rev, .. }
            | Fact::GateDecided { gate, rev, .. } => (*gate, Some(*rev)),
            Fact::GateExpired { gate } | Fact::GateClosed { gate } => (*gate, None),
            _ => return Ok(()),
        };
        let Some(gate) = self.gates.get_mut(&id).filter(|gate| !gate.is_over) else {
            return Err("the gate is not open".into());
        };
        if let Fact::GateRevised { rev, digest, .. } = fact {
            require(*rev == gate.rev + 1, format!("revision {} is the newest", gate.rev))?;
            (gate.rev, gate.digest) = (*rev, Some(digest.clone()));
            return Ok(());
        }
        require(rev.is_none_or(|rev| rev == gate.rev), format!("revision {} is the newest", gate.rev))?;
        gate.is_over = !matches!(fact, Fact::GateVoted { .. });
        if let (Fact::GateDecided { outcome: Outcome::Approved, .. }, Some(call)) = (fact, gate.call) {
            require(gate.kind != GateKind::Question, "a question cannot be approved")?;
            let call = self.calls.entry(call).or_default();
            call.permit = gate.digest.clone().map(|digest| (gate.rev, digest));
        }
        Ok(())
    }

    /// Checks that revisions of a plan never decrease, and that a different plan has a different revision.
    fn check_revision(&mut self) -> Result<(), String> {
        let run = self.state.view().active_run();
        let Some((run, plan)) = run.and_then(|run| Some((run.id, run.plan.as_ref()?))) else { return Ok(()) };
        let current = (run, plan.rev, plan.digest());
        let before = self.plan.replace(current.clone()).filter(|before| before.0 == run);
        let Some((_, rev, digest)) = before else { return Ok(()) };
        require(
            current.1 > rev || current.1 == rev && current.2 == digest,
            format!("the plan was at revision {rev}, and is at {}", current.1),
        )
    }
}

impl OpenGate {
    fn of(gate: &Gate) -> Self {
        let digest = gate.subject.as_ref().map(|subject| subject.digest.clone());
        let holds_work = gate.holds_work();
        Self { run: gate.run, kind: gate.kind, holds_work, call: gate.call, rev: gate.rev, digest, is_over: false }
    }
}
