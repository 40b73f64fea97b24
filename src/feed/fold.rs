//! The session's state beside its feed, so that a snapshot costs no reading of the log.

use crate::kernel::{Event, State, evolve};
use crate::store::Recorded;

/// The state, where a viewer has asked for a snapshot.
#[derive(Default)]
pub(super) enum Fold {
    /// Nobody has asked.
    #[default]
    Absent,
    /// It is being read from the store; what happens meanwhile waits here.
    Restoring(Vec<Event>),
    /// It is current.
    Current(Box<State>),
}

impl Fold {
    pub(super) fn follow(&mut self, recorded: &Recorded) {
        match self {
            Self::Absent => {}
            Self::Restoring(waiting) => waiting.push(recorded.event.clone()),
            Self::Current(state) if recorded.event.seq > state.seq() => evolve(state, &recorded.event),
            Self::Current(_) => {}
        }
    }

    /// The restored state and what happened meanwhile make the current one.
    pub(super) fn install(&mut self, mut state: State) {
        if let Self::Restoring(waiting) = std::mem::take(self) {
            for event in waiting.iter().filter(|event| event.seq > state.seq()).collect::<Vec<_>>() {
                evolve(&mut state, event);
            }
            *self = Self::Current(Box::new(state));
        }
    }
}
