//! Spans of log lines: each line in the scope of a connection, request, session, run, turn or tool call carries its id.
//! Names and fields are the same everywhere, so that operators can filter by them.
//!
//! All spans have the `error` level, so that no filter such as `warn` removes them, because an error without its
//! session would be of little use. A span formats its fields once. Entering a span costs tens of nanoseconds, so the
//! writer of a socket, which runs for each event and each viewer, enters none.

use std::fmt::Display;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use tracing::{Span, error_span};

use crate::kernel::{CallId, MessageId, RunId, SessionId};

/// Names of all spans, each with the names of its fields.
pub(super) const FIELDS: [(&str, &[&str]); 6] = [
    ("connection", &["connection"]),
    ("request", &["request", "method", "route"]),
    ("session", &["session"]),
    ("run", &["run"]),
    ("turn", &["run", "message_id", "attempt", "agent"]),
    ("call", &["run", "call", "attempt", "agent"]),
];

/// Number of a connection to this process since its start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConnectionId(u64);

impl ConnectionId {
    /// Returns the number of a new connection.
    pub fn next() -> Self {
        static LATEST: AtomicU64 = AtomicU64::new(0);
        Self(LATEST.fetch_add(1, Relaxed) + 1)
    }

    /// Returns a span of the connection. A connection keeps its number instead of its span, which would be a seventh of
    /// an idle viewer's memory.
    pub fn span(self) -> Span {
        error_span!(parent: None, "connection", connection = self.0)
    }
}

/// Returns the span of an HTTP request. The route is logged, not the path, because paths contain ids and names.
pub fn request(id: &str, method: &impl Display, route: &str) -> Span {
    error_span!("request", request = %id, %method, %route)
}

/// Returns the span of a session, for work on behalf of a request or connection.
pub fn session(session: SessionId) -> Span {
    error_span!("session", %session)
}

/// Returns the span of a session's own work, which outlives the request that caused it.
pub fn own_session(session: SessionId) -> Span {
    error_span!(parent: None, "session", %session)
}

/// Returns the span of a run, for its session's own work.
pub fn run(run: RunId) -> Span {
    error_span!("run", %run)
}

/// Returns the span of one attempt of a turn. `session` is the span of the session's own work, because the current span
/// might be that of a command that ended an earlier run. The field is called `message_id`, because the value of a
/// `message` field would be shown as the text of the line.
pub fn turn(session: &Span, run: RunId, message_id: MessageId, attempt: u32, agent: &str) -> Span {
    error_span!(parent: session, "turn", %run, %message_id, attempt, %agent)
}

/// Returns the span of one attempt of a tool call, like [`turn`].
pub fn call(session: &Span, run: RunId, call: CallId, attempt: u32, agent: &str) -> Span {
    error_span!(parent: session, "call", %run, %call, attempt, %agent)
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::super::captured_log::CapturedLog;
    use super::*;

    const ID: SessionId = SessionId(Uuid::from_u128(7));

    #[test]
    fn a_turn_is_in_the_span_of_its_session_and_not_of_the_command_that_caused_it() {
        let lines = CapturedLog::json();
        let session = own_session(ID);
        let earlier = session.in_scope(|| run(RunId(1)));
        let turn = earlier.in_scope(|| turn(&session, RunId(5), MessageId(6), 2, "reviewer"));
        turn.in_scope(|| tracing::warn!("said"));
        let line = lines.only("said");
        let spans = serde_json::json!([
            { "name": "session", "session": ID.to_string() },
            { "name": "turn", "run": "r_5", "message_id": "m_6", "attempt": 2, "agent": "reviewer" },
        ]);
        assert_eq!(line["spans"], spans);
    }

    #[test]
    fn the_ids_are_in_lines_of_text() {
        let lines = CapturedLog::text_format();
        let connection = ConnectionId::next();
        let request = connection.span().in_scope(|| request("abc", &"GET", "/api/v1/me"));
        request.in_scope(|| session(ID)).in_scope(|| tracing::debug!(seq = 3, "said"));
        let expected = format!(
            "DEBUG connection:request:session: roundtable::telemetry::log_spans::tests: said seq=3 connection={} \
             request=abc method=GET route=/api/v1/me session={ID}",
            connection.0
        );
        assert!(lines.text().trim_end().ends_with(&expected), "{} is not {expected}", lines.text());
    }

    #[test]
    fn the_table_of_spans_is_complete() {
        let _lines = CapturedLog::json();
        let own = own_session(ID);
        let spans = [
            ConnectionId::next().span(),
            request("abc", &"GET", "/"),
            session(ID),
            run(RunId(1)),
            turn(&own, RunId(1), MessageId(2), 1, "a"),
            call(&own, RunId(1), CallId(2), 1, "a"),
        ];
        let names = spans.map(|span| {
            let metadata = span.metadata().expect("an enabled span");
            (metadata.name(), metadata.fields().iter().map(|field| field.name()).collect::<Vec<_>>())
        });
        assert_eq!(names, FIELDS.map(|(name, fields)| (name, fields.to_vec())));
    }

    #[test]
    fn connections_have_numbers_of_their_own() {
        assert_ne!(ConnectionId::next(), ConnectionId::next());
    }
}
