//! Resumption of an interrupted stream. The client repeats its request with `Last-Event-ID`, as browsers do
//! automatically for server-sent events, and the stream continues in the same run.

use std::fmt;
use std::str::FromStr;

use crate::doors::position;
use crate::kernel::SessionId;

/// Start of a stream: its run is the first run of the session that starts after `seq`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StreamStart {
    pub(super) session: SessionId,
    pub(super) seq: u64,
}

/// Position of a reader who has everything up to `after`. Written as `session:start:after` in the ids of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AutoAgentPosition {
    pub(super) start: StreamStart,
    pub(super) after: u64,
}

impl fmt::Display for AutoAgentPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.start.session, self.start.seq, self.after)
    }
}

impl FromStr for AutoAgentPosition {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (session, [seq, after]) = position::parse(text)?;
        Ok(Self { start: StreamStart { session, seq }, after })
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn only_issued_tokens_are_read_back() {
        let start = StreamStart { session: SessionId(Uuid::from_u128(7)), seq: 3 };
        let reached = AutoAgentPosition { start, after: 12 };
        assert_eq!(reached.to_string().parse(), Ok(reached));
        for wrong in ["", "12", "s_1:2:3", &format!("{reached}:1"), &format!("{}:3:x", start.session)] {
            assert_eq!(wrong.parse::<AutoAgentPosition>(), Err(()), "{wrong}");
        }
    }
}
