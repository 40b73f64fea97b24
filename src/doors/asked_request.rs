//! Request of a caller whose role must ask the owners for approval. The command of the request waits for the approval.

use crate::kernel::gate::Outcome;
use crate::kernel::{Event, Fact, GateId, ParticipantId};

/// State of a request whose command might have to wait for approval, derived from the events of the session.
#[derive(Debug, Clone, Copy)]
pub(super) struct AskedRequest {
    caller: ParticipantId,
    /// Seq of the last event before the command.
    sent_after: u64,
    /// Seq of the last event of the command. `None` if this is a resumed stream, which does not know its command.
    sent_until: Option<u64>,
    /// Seq of the last event that the caller has. Events up to this one do not end the stream.
    known: u64,
    gate: Option<GateId>,
}

/// Change in the state of a request whose command might have to wait for approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AskedChange {
    /// The command waits for the approval of the owners.
    Waiting,
    /// The command will not be carried out.
    Ended,
}

impl AskedRequest {
    /// Creates the request of this caller, who has the events up to `known`. The events of its command follow
    /// `sent_after` and end with `sent_until`, which is `None` if the stream does not know the command.
    pub(super) fn new(caller: ParticipantId, sent_after: u64, sent_until: Option<u64>, known: u64) -> Self {
        Self { caller, sent_after, sent_until, known, gate: None }
    }

    /// Returns whether the command waits for approval. Runs that start in the meantime belong to others.
    pub(super) fn is_waiting(&self) -> bool {
        self.gate.is_some()
    }

    /// Applies an event. Returns the change if the event makes the command wait or ends the request without carrying it
    /// out, otherwise `None`. `has_run` is true if the stream already follows a run: the caller can then request other
    /// commands, such as one that pauses the run, which do not belong to this request.
    pub(super) fn apply(&mut self, event: &Event, has_run: bool) -> Option<AskedChange> {
        let can_be_own = self.sent_until.map_or(!has_run, |until| event.seq <= until);
        match (&event.fact, self.gate) {
            // A resumed stream can contain earlier requests of the caller; the last one counts.
            (Fact::GateOpened { gate }, _) if event.seq > self.sent_after && can_be_own => {
                let asked = gate.command.as_deref().and_then(|asked| asked.by.participant_id());
                (asked == Some(self.caller)).then(|| {
                    self.gate = Some(gate.id);
                    AskedChange::Waiting
                })
            }
            (Fact::GateDecided { gate, outcome: Outcome::Approved, failure: None, .. }, Some(own)) if *gate == own => {
                self.gate = None;
                None
            }
            (
                Fact::GateDecided { gate, .. } | Fact::GateClosed { gate } | Fact::GateExpired { gate, .. },
                Some(own),
            ) if *gate == own => {
                self.gate = None;
                (event.seq > self.known).then_some(AskedChange::Ended)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use uuid::Uuid;

    use super::*;
    use crate::doors::projection::frames;
    use crate::protocol::ServerFrame;

    /// Returns the changes of a request that was sent after event 1, for a caller who knows the events up to `known`.
    /// The facts have consecutive seqs, starting with 1.
    fn changes(known: u64, facts: &[(&str, Value)]) -> Vec<Option<AskedChange>> {
        let request = AskedRequest::new(ParticipantId(Uuid::from_u128(7)), 1, None, known);
        changes_of(request, false, facts)
    }

    fn changes_of(mut request: AskedRequest, has_run: bool, facts: &[(&str, Value)]) -> Vec<Option<AskedChange>> {
        let events = (1..).zip(facts).map(|(seq, (name, data))| frames::event(seq, name, data.clone()));
        let apply = |frame: Value| match serde_json::from_value(frame).expect("a frame") {
            ServerFrame::Event { event, .. } => request.apply(&event, has_run),
            other => panic!("{other:?}"),
        };
        events.map(apply).collect()
    }

    fn asked(gate: &str, by: u32) -> (&'static str, Value) {
        ("gate.opened", frames::command_gate(gate, by))
    }

    fn decided(gate: &str, outcome: &str, failure: Option<&str>) -> (&'static str, Value) {
        let mut data = json!({ "gate": gate, "rev": 1, "outcome": outcome, "votes": [] });
        failure.into_iter().for_each(|failure| data["failure"] = json!(failure));
        ("gate.decided", data)
    }

    #[test]
    fn another_command_of_the_caller_is_not_the_request() {
        use AskedChange::{Ended, Waiting};
        let caller = ParticipantId(Uuid::from_u128(7));
        let facts = [
            ("gate.closed", json!({ "gate": "g_9" })),
            asked("g_2", 7),
            decided("g_2", "rejected", None),
            asked("g_4", 7),
            decided("g_4", "rejected", None),
        ];
        let first = AskedRequest::new(caller, 1, Some(2), 1);
        assert_eq!(changes_of(first, true, &facts), [None, Some(Waiting), Some(Ended), None, None]);
        assert_eq!(changes_of(AskedRequest::new(caller, 1, None, 1), true, &facts), [None; 5], "resumed, with a run");
    }

    #[test]
    fn a_request_ends_if_its_own_command_is_not_carried_out() {
        use AskedChange::{Ended, Waiting};
        let (own, others) = (asked("g_2", 7), asked("g_3", 8));
        let nothing = ("gate.closed", json!({ "gate": "g_9" }));
        for refusal in [
            decided("g_2", "rejected", None),
            decided("g_2", "withdrawn", None),
            decided("g_2", "approved", Some("nothing_to_do")),
            ("gate.closed", json!({ "gate": "g_2" })),
            ("gate.expired", json!({ "gate": "g_2" })),
        ] {
            let facts = [nothing.clone(), own.clone(), others.clone(), decided("g_3", "rejected", None), refusal];
            assert_eq!(changes(1, &facts), [None, Some(Waiting), None, None, Some(Ended)]);
            assert_eq!(changes(5, &facts)[4], None, "the caller already knows");
        }
        let approved = [nothing, own.clone(), decided("g_2", "approved", None), decided("g_2", "rejected", None)];
        assert_eq!(changes(1, &approved), [None, Some(Waiting), None, None]);
        assert_eq!(changes(1, &[own]), [None], "an earlier request of the caller");
    }
}
