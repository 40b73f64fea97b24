//! The work that the shell owes because of an event. Whatever is outstanding can also be read off the state, so that a
//! restart or another node takes it up: items without `retry_at` want a turn, controls want carrying out.

use super::{ControlVerb, Event, Fact, MessageId, State};

/// Work for the orchestrator. Its results come back as commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Ask the agent's model for its turn and answer with `TurnCompleted` or `TurnFailed`.
    Turn {
        /// The item that the turn writes.
        message: MessageId,
        /// The attempt that results must carry.
        attempt: u32,
    },
    /// Drop every running turn; answer with `Acknowledge`, then with `Stopped`.
    Stop {
        /// The control that asks for it.
        control: u64,
    },
}

/// The work that `event` asks for, in the state after it.
pub fn effects(state: &State, event: &Event) -> Vec<Effect> {
    let Some(run) = state.view.active_run() else { return vec![] };
    match &event.fact {
        Fact::MessageStarted { message, attempt, .. } if run.item(*message).is_some() => {
            vec![Effect::Turn { message: *message, attempt: *attempt }]
        }
        Fact::ControlRequested { control, verb: ControlVerb::Interrupt | ControlVerb::Cancel, .. }
            if run.controls.iter().any(|open| open.id == *control) =>
        {
            vec![Effect::Stop { control: *control }]
        }
        _ => vec![],
    }
}
