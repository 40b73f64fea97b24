//! Position in a stream. The client sends it as `Last-Event-ID` to resume the stream.

use std::fmt;
use std::str::FromStr;

use crate::doors::position;
use crate::kernel::SessionId;

/// Part of a session's log that a stream covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LogRange {
    pub(super) session: SessionId,
    /// Seq of the last event before the stream.
    pub(super) start: u64,
    /// Seq of the command's last event; `None` until it is known.
    pub(super) until: Option<u64>,
}

/// Position of a reader who has everything up to `after`. Written as `session:start:until:after` in the ids of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TeamChatPosition {
    pub(super) place: LogRange,
    pub(super) after: u64,
}

impl fmt::Display for TeamChatPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LogRange { session, start, until } = self.place;
        write!(f, "{session}:{start}:{}:{}", until.unwrap_or(start), self.after)
    }
}

impl FromStr for TeamChatPosition {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (session, [start, until, after]) = position::parse(text)?;
        Ok(Self { place: LogRange { session, start, until: Some(until) }, after })
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn only_issued_tokens_are_read_back() {
        let session = SessionId(Uuid::from_u128(7));
        let reached = TeamChatPosition { place: LogRange { session, start: 3, until: Some(5) }, after: 12 };
        assert_eq!(reached.to_string().parse(), Ok(reached));
        for wrong in
            ["", "12", "s_1:2:3:4", &format!("{reached}:1"), &format!("{session}:3:5"), &format!("{session}:3:5:x")]
        {
            assert_eq!(wrong.parse::<TeamChatPosition>(), Err(()), "{wrong}");
        }
    }
}
