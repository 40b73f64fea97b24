//! The work that the shell owes because of an event. Whatever is outstanding can also be read off the state, so that a
//! restart or another node takes it up: items without `retry_at` want a turn, controls want carrying out.

use std::sync::Arc;

use super::call::CallState;
use super::{CallId, ControlVerb, Event, Fact, MessageId, Reply, Run, RunId, State, inquiry, title};

/// Work for the orchestrator. Its results come back as commands.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Ask the agent's model for its turn and answer with `TurnCompleted` or `TurnFailed`.
    Turn {
        /// The item that the turn writes.
        message: MessageId,
        /// The attempt that results must carry.
        attempt: u32,
    },
    /// Say what the rules have about the call, with `CallJudged`.
    Judge {
        /// Which.
        call: CallId,
    },
    /// Make the call, with exactly the arguments that this is the digest of; answer with `CallEnded`.
    Call {
        /// Which.
        call: CallId,
        /// The attempt that its result must carry.
        attempt: u32,
        /// Revision of the arguments.
        rev: u32,
        /// BLAKE3 of the arguments (law 11).
        digest: Arc<str>,
    },
    /// Tell a call that is under way what people said to its question.
    Tell {
        /// Which.
        call: CallId,
        /// What.
        reply: Reply,
    },
    /// Think of a title for the words that a run begins with, in the background; answer with `TitleMade`. A restart does not
    /// repeat it: the session keeps the title that it has.
    Title {
        /// The run.
        run: RunId,
        /// Its first words.
        message: MessageId,
    },
    /// Drop every running turn and call; answer with `Acknowledge`, then with `Stopped`.
    Stop {
        /// The control that asks for it.
        control: u64,
    },
}

/// The work that `event` asks for, in the state after it.
pub fn effects(state: &State, event: &Event) -> Vec<Effect> {
    let Some(run) = state.view.active_run() else { return vec![] };
    match &event.fact {
        Fact::RunStarted { run: begun, input, .. } => title::wanted(&state.view, *begun, *input).into_iter().collect(),
        Fact::MessageStarted { message, attempt, .. } if run.item(*message).is_some() => {
            vec![Effect::Turn { message: *message, attempt: *attempt }]
        }
        Fact::ToolProposed { call, .. } if is_to_be_judged(run, *call) => vec![Effect::Judge { call: *call }],
        Fact::ToolStarted { call, attempt, rev, digest, .. } => {
            vec![Effect::Call { call: *call, attempt: *attempt, rev: *rev, digest: digest.clone() }]
        }
        Fact::GateDecided { gate, .. } | Fact::GateExpired { gate } | Fact::GateClosed { gate } => {
            inquiry::told(state, *gate).into_iter().collect()
        }
        Fact::ControlRequested { control, verb: ControlVerb::Interrupt | ControlVerb::Cancel, .. }
            if run.controls.iter().any(|open| open.id == *control) =>
        {
            vec![Effect::Stop { control: *control }]
        }
        _ => vec![],
    }
}

/// Work that a restart left behind and that no event asks for again: calls that were proposed and not judged yet.
pub fn outstanding(state: &State) -> Vec<Effect> {
    let Some(run) = state.view.active_run() else { return vec![] };
    let calls = run.exchanges.iter().flat_map(|exchange| &exchange.calls).map(|call| call.id);
    calls.filter(|call| is_to_be_judged(run, *call)).map(|call| Effect::Judge { call }).collect()
}

fn is_to_be_judged(run: &Run, call: CallId) -> bool {
    run.call(call).is_some_and(|call| call.state == CallState::Proposed)
}
