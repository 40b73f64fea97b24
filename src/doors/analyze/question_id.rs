//! Id of a question. It contains the session and the gate, so that any node accepts the answer, even after a restart.
//! It cannot be guessed, because it contains the session's UUID, which cannot be guessed.

use std::fmt;
use std::str::FromStr;

use crate::kernel::{GateId, SessionId};
use crate::protocol::{Code, Problem};

/// Id of a question, written as `req_` with the session's id and the gate's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct QuestionId {
    pub(super) session: SessionId,
    pub(super) gate: GateId,
}

impl fmt::Display for QuestionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "req_{}_{}", self.session.0.simple(), self.gate.0)
    }
}

impl FromStr for QuestionId {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Self, Problem> {
        let parts = text.strip_prefix("req_").and_then(|rest| rest.split_once('_'));
        let read = |(session, gate)| {
            let session = format!("s_{session}").parse().ok()?;
            Some(Self { session, gate: format!("g_{gate}").parse().ok()? })
        };
        parts.and_then(read).ok_or_else(|| {
            Problem::new(
                Code::UnknownGate,
                "no question has this request_id; use the one from the event user_input_request",
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_names_session_and_gate() {
        let id = QuestionId { session: SessionId(uuid::Uuid::from_u128(0xa1b2)), gate: GateId(42) };
        assert_eq!(id.to_string(), "req_0000000000000000000000000000a1b2_42");
        assert_eq!(id.to_string().parse().ok(), Some(id));
        for bad in [
            "",
            "req_",
            "req_a1b2_42",
            "req_0000000000000000000000000000a1b2_",
            "req_0000000000000000000000000000a1b2_0",
        ] {
            assert!(bad.parse::<QuestionId>().is_err(), "{bad}");
        }
    }
}
