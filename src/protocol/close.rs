//! Why the server closes a socket: 4000–4499 say "connect again", 4500–4999 do not; those below are WebSocket's, for a
//! client that breaks its rules (docs/protocol.md).

/// A close code that the server gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u16)]
pub enum CloseCode {
    /// What came is not WebSocket.
    NotWebSocket = 1002,
    /// A text that is none.
    NotUtf8 = 1007,
    /// A frame so large that reading it to answer would cost too much.
    TooLarge = 1009,
    /// The server is shutting down or being replaced.
    GoingAway = 4000,
    /// The socket took nothing for too long.
    TooSlow = 4001,
    /// Pings were not answered.
    NoPong = 4002,
    /// An incident inside the server.
    Internal = 4003,
    /// The node holds as many bytes of unfinished messages as it may.
    Crowded = 4004,
    /// A message that had begun was not finished in time.
    Unfinished = 4005,
    /// No identity in time.
    Unauthenticated = 4500,
    /// The token or sign-in was revoked.
    Revoked = 4501,
    /// The page is not one of this server's.
    WrongOrigin = 4502,
    /// Abuse that answers did not stop.
    Abuse = 4503,
}

impl CloseCode {
    /// Every code.
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
        Self::WrongOrigin,
        Self::Abuse,
    ];

    /// The number on the wire.
    pub fn number(self) -> u16 {
        self as u16
    }

    /// The words that go with it.
    pub fn reason(self) -> &'static str {
        match self {
            Self::NotWebSocket => "this is not the WebSocket protocol",
            Self::NotUtf8 => "a text frame must be UTF-8",
            Self::TooLarge => "the frame is far too large",
            Self::GoingAway => "the server is going away; connect again",
            Self::TooSlow => "the connection took nothing for too long; connect again",
            Self::NoPong => "pings were not answered; connect again",
            Self::Internal => "something went wrong in the server; connect again",
            Self::Crowded => "too many messages on this server are not finished; connect again",
            Self::Unfinished => "a message was not finished in time; connect again",
            Self::Unauthenticated => "nobody said who this is; send a token",
            Self::Revoked => "this sign-in is no longer valid; sign in again",
            Self::WrongOrigin => "this page may not connect here",
            Self::Abuse => "too many frames for too long, or too many that had to be refused",
        }
    }
}
