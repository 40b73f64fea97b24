//! What facts change in a run's calls of tools.

use std::sync::Arc;

use super::run::done;
use crate::kernel::call::{Call, CallState, Exchange, Permission};
use crate::kernel::calls::refusal;
use crate::kernel::gate::{Gate, Outcome};
use crate::kernel::inner::{ASK_PEOPLE, PLAN};
use crate::kernel::{
    AgentId, Assignment, CallAnswer, CallId, CallMemory, ControlVerb, Done, Event, Fact, Item, MessageId, Run, StepId,
    Task, View,
};

/// Facts about calls alone.
pub(super) fn apply(run: &mut Run, event: &Event) {
    match &event.fact {
        Fact::ToolProposed { call, step, message, agent, task, name, arguments, .. } => {
            let call = proposed(*call, name, arguments);
            match run.exchanges.iter_mut().find(|exchange| message.is_some() && exchange.message == *message) {
                Some(exchange) => exchange.calls.push(call),
                None => run.exchanges.push(Exchange {
                    message: *message,
                    assignment: Assignment::new(agent, *task),
                    step: *step,
                    turn: 1,
                    calls: vec![call],
                    expected: 1,
                    closed: false,
                }),
            }
        }
        Fact::ToolJudged { call, permission, idempotent, .. } => change(run, *call, |call| {
            call.idempotent = *idempotent;
            if *permission == Permission::Allow {
                call.state = CallState::Allowed;
            }
        }),
        Fact::ToolStarted { call, attempt, .. } => change(run, *call, |call| {
            (call.state, call.attempt, call.started_at) = (CallState::Started, *attempt, Some(event.at));
        }),
        Fact::ToolUncertain { call, .. } => change(run, *call, |call| call.state = CallState::Uncertain),
        Fact::ToolCompleted { call, output, .. } => {
            change(run, *call, |call| {
                (call.state, call.output, call.ended_at) = (CallState::Completed, Some(output.clone()), Some(event.at));
            });
            end_of_step(run, *call);
        }
        Fact::ToolFailed { call, error, .. } => {
            let of_flow = run.exchange_of(*call).is_some_and(|exchange| exchange.message.is_none());
            let mut happened = false;
            change(run, *call, |call| {
                let sent = matches!(call.state, CallState::Started | CallState::Uncertain);
                happened = of_flow && sent && !call.idempotent;
                (call.state, call.error, call.ended_at) = (CallState::Failed, Some(error.clone()), Some(event.at));
            });
            // What somebody stopped is done when the run goes on, unless it may have happened already.
            let stopped = run.controls.iter().any(|open| open.verb == ControlVerb::Interrupt && open.acknowledged);
            if !stopped || happened {
                end_of_step(run, *call);
            }
        }
        Fact::GateOpened { gate } => {
            if let Some(id) = gate.call {
                change(run, id, |call| {
                    call.gate = Some(gate.id);
                    // What was sent is still under way, also where it asks something.
                    if call.state == CallState::Proposed {
                        call.state = CallState::Asked;
                    }
                });
            }
        }
        _ => {}
    }
}

/// The turn has called tools: its task goes on when they have answered.
pub(super) fn expect(run: &mut Run, item: &Item, calls: u32) {
    run.exchanges.push(Exchange {
        message: Some(item.message),
        assignment: item.assignment(),
        step: item.step,
        turn: item.turn,
        calls: vec![],
        expected: calls,
        closed: false,
    });
}

/// The agent reads the results that it waited for; which turn of its task this is.
pub(super) fn read(run: &mut Run, step: StepId, agent: &AgentId, task: Task) -> u32 {
    let own = |exchange: &&mut Exchange| exchange.assignment == Assignment::new(agent, task) && exchange.step == step;
    let own = run.exchanges.iter_mut().filter(own);
    own.map(|exchange| {
        exchange.closed = true;
        exchange.turn + 1
    })
    .max()
    .unwrap_or(1)
}

/// People allow it.
pub(super) fn allow(run: &mut Run, id: CallId) {
    change(run, id, |call| call.state = CallState::Allowed);
}

/// People's words end a call: whoever reads them as its result or its error reads whose they are.
pub(super) fn decided(view: &mut View, gate: &Gate, outcome: Outcome, message: Option<MessageId>) {
    let call = gate.call.and_then(|id| view.run.as_ref()?.call(id));
    // What is under way goes on with what it is told, and ends by itself.
    let (Some(call), Some(message)) = (call.filter(|call| call.state != CallState::Started), message) else { return };
    let refusal = match outcome {
        Outcome::Approved => return,
        Outcome::Responded => None,
        Outcome::Rejected => Some(refusal(gate.kind).into()),
    };
    let vote = gate.votes.iter().find(|vote| vote.message == Some(message));
    let voted = vote.map(|vote| (vote.by.clone(), vote.comment.clone().unwrap_or_else(|| "".into())));
    let said = || view.message(message).map(|said| (said.by.clone(), said.text.clone()));
    if let Some((by, text)) = voted.or_else(said) {
        let id = call.id;
        view.call_memory.end(id, CallAnswer { by, message, text, refusal });
    }
}

/// People change it.
pub(super) fn edit(run: &mut Run, id: CallId, rev: u32, arguments: &Arc<str>) {
    change(run, id, |call| (call.rev, call.arguments) = (rev, arguments.clone()));
}

/// Nobody waits for the calls of a task that is done.
pub(super) fn close(run: &mut Run, done: &Done) {
    let of_task = |exchange: &&mut Exchange| exchange.step == done.step && exchange.assignment == done.assignment;
    run.exchanges.iter_mut().filter(of_task).for_each(|exchange| exchange.closed = true);
}

/// The step is over in which a task was done: what tools said for it leaves the run, and the memory keeps of it what agents
/// of later steps read.
pub(super) fn put_away(run: &mut Run, memory: &mut CallMemory, step: StepId) {
    let done: Vec<Assignment> =
        run.done.iter().filter(|done| done.step == step).map(|done| done.assignment.clone()).collect();
    let of_step = |exchange: &&mut Exchange| {
        // What the flow itself called is a result that others read.
        exchange.message.is_some() && exchange.step == step && done.contains(&exchange.assignment)
    };
    let calls = run.exchanges.iter_mut().filter(of_step).flat_map(|exchange| &mut exchange.calls);
    for call in calls {
        let output = call.output.take();
        // The plan itself is in the run, and answers to questions are in the conversation.
        if let Some(output) = output.filter(|_| ![PLAN, ASK_PEOPLE].contains(&&*call.name)) {
            memory.keep(call.id, &output);
        }
    }
}

/// A call that the flow made is a task of its own. A planner's call of its plan is what its task was.
fn end_of_step(run: &mut Run, id: CallId) {
    let Some(exchange) = run.exchanges.iter().find(|exchange| exchange.calls.iter().any(|call| call.id == id)) else {
        return;
    };
    let planned = exchange.assignment.task == Task::Plan && exchange.is_over() && exchange.calls.iter().any(plans);
    if exchange.closed || !(exchange.message.is_none() || planned) {
        return;
    }
    let (assignment, step, message) = (exchange.assignment.clone(), exchange.step, exchange.message);
    if let Some(exchange) = run.exchanges.iter_mut().find(|exchange| exchange.calls.iter().any(|call| call.id == id)) {
        exchange.closed = true;
    }
    done(run, Done { assignment, step, message, call: Some(id), out_of_turns: false, failure: None });
}

fn plans(call: &Call) -> bool {
    &*call.name == PLAN && call.state == CallState::Completed
}

fn change(run: &mut Run, id: CallId, change: impl FnOnce(&mut Call)) {
    let mut calls = run.exchanges.iter_mut().flat_map(|exchange| &mut exchange.calls);
    if let Some(call) = calls.find(|call| call.id == id) {
        change(call);
    }
}

fn proposed(id: CallId, name: &Arc<str>, arguments: &Arc<str>) -> Call {
    Call {
        id,
        name: name.clone(),
        arguments: arguments.clone(),
        rev: 1,
        state: CallState::Proposed,
        idempotent: false,
        attempt: 0,
        gate: None,
        started_at: None,
        ended_at: None,
        output: None,
        error: None,
    }
}
