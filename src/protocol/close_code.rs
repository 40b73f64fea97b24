//! Close codes of the WebSocket: 4000–4499 mean "reconnect", 4500–4999 mean "do not reconnect". Lower codes are
//! WebSocket's own, for a client that violates the protocol (docs/protocol.md).

/// Reason why the server closes a socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u16)]
pub enum CloseCode {
    /// The client sent data that is not WebSocket.
    NotWebSocket = 1002,
    /// A text frame is not valid UTF-8.
    NotUtf8 = 1007,
    /// A frame is so large that reading it, in order to respond, would cost too much.
    TooLarge = 1009,
    /// The server is shutting down or being replaced.
    GoingAway = 4000,
    /// The client read nothing for too long.
    TooSlow = 4001,
    /// The client did not respond to two pings.
    NoPong = 4002,
    /// An internal error occurred in the server.
    Internal = 4003,
    /// The unfinished messages on this node use all the memory reserved for them (`socket.max_unfinished_bytes`).
    Crowded = 4004,
    /// A message did not arrive completely in time.
    Unfinished = 4005,
    /// The client did not identify itself in time.
    Unauthenticated = 4500,
    /// The token or sign-in was revoked.
    Revoked = 4501,
    /// The client kept exceeding its limits after errors had told it to stop.
    Abuse = 4503,
}

impl CloseCode {
    /// All close codes.
    pub const ALL: &'static [Self] = &[
        Self::NotWebSocket,
        Self::NotUtf8,
        Self::TooLarge,
        Self::GoingAway,
        Self::TooSlow,
        Self::NoPong,
        Self::Internal,
        Self::Crowded,
        Self::Unfinished,
        Self::Unauthenticated,
        Self::Revoked,
        Self::Abuse,
    ];

    /// Returns the number on the wire.
    pub fn number(self) -> u16 {
        self as u16
    }

    /// Returns the reason that is sent with the code: the cause, then what to do.
    pub fn reason(self) -> &'static str {
        match self {
            Self::NotWebSocket => "this is not the WebSocket protocol",
            Self::NotUtf8 => "a text frame must be UTF-8",
            Self::TooLarge => "the frame is far too large; do not send it again",
            Self::GoingAway => "the server is shutting down; reconnect",
            Self::TooSlow => "the client read nothing for too long; reconnect",
            Self::NoPong => "no response to pings; reconnect",
            Self::Internal => "internal error in the server; reconnect",
            Self::Crowded => "too many unfinished messages on this server; reconnect",
            Self::Unfinished => "a message did not arrive completely in time; reconnect",
            Self::Unauthenticated => "no valid credential was sent in time; send a token",
            Self::Revoked => "this sign-in is no longer valid; sign in again",
            Self::Abuse => "too many frames, or too many rejected frames, for too long; slow down",
        }
    }
}
