//! The session's state, kept current by the feed so that a snapshot does not have to read the log.

use crate::kernel::{Event, Settings, State, evolve};
use crate::store::RecordedEvent;

/// The session's state, as far as the feed has it.
#[derive(Default)]
pub(super) enum Fold {
    /// No viewer has needed the state yet, or it was discarded after a gap, a redaction or a failed restore.
    #[default]
    Absent,
    /// The state is being read from the store. Events that arrive in the meantime wait here.
    Restoring(Vec<Event>),
    /// The state is current.
    Current(Box<State>),
}

impl Fold {
    /// Returns the settings of the session. `None` unless the state is current.
    pub(super) fn settings(&self) -> Option<&Settings> {
        match self {
            Self::Absent | Self::Restoring(_) => None,
            Self::Current(state) => Some(&state.view().settings),
        }
    }

    pub(super) fn follow(&mut self, recorded: &RecordedEvent) {
        match self {
            Self::Absent => {}
            Self::Restoring(waiting) => waiting.push(recorded.event.clone()),
            Self::Current(state) if recorded.event.seq > state.seq() => evolve(state, &recorded.event),
            Self::Current(_) => {}
        }
    }

    /// Combines the restored state with the events that arrived in the meantime.
    pub(super) fn install(&mut self, mut state: State) {
        if let Self::Restoring(waiting) = std::mem::take(self) {
            for event in waiting.iter().filter(|event| event.seq > state.seq()).collect::<Vec<_>>() {
                evolve(&mut state, event);
            }
            *self = Self::Current(Box::new(state));
        }
    }
}
