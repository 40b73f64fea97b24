//! Log lines about the transitions of a connection, in its span. The connection's task does not enter the span itself,
//! because it runs for each event.

use tracing::Span;
use tracing::field::display;

use super::SocketContext;
use crate::audit::RequestOrigin;
use crate::feed::ViewerEnd;
use crate::identity::Participant;
use crate::kernel::SessionId;
use crate::protocol::{CloseCode, Problem};
use crate::telemetry::log_spans::ConnectionId;

/// Log of one connection.
#[derive(Debug, Clone, Copy)]
pub(super) struct ConnectionLog(pub(super) ConnectionId);

impl ConnectionLog {
    /// Returns a span for work of the connection.
    pub(super) fn span(self) -> Span {
        self.0.span()
    }

    /// Logs that the client is identified.
    pub(super) fn identified(self, who: &Participant) {
        self.span().in_scope(|| tracing::debug!(actor = %who.id, "identified"));
    }

    /// Logs that the client has joined a session.
    pub(super) fn joined(self, session: SessionId) {
        self.span().in_scope(|| tracing::debug!(%session, "joined"));
    }

    /// Logs that the client has left a session.
    pub(super) fn left(self, session: SessionId) {
        self.span().in_scope(|| tracing::debug!(%session, "left"));
    }

    /// Logs that the client receives no further frames of a session, and why.
    pub(super) fn subscription_ended(self, session: SessionId, end: &ViewerEnd) {
        // The store's error message can contain names of hosts.
        let reason = match end {
            ViewerEnd::Removed(reason) => format!("{reason:?}"),
            ViewerEnd::Store(_) => "Store".into(),
        };
        self.span().in_scope(|| {
            end.log_failure(session);
            tracing::debug!(%session, reason, "subscription ended");
        });
    }

    /// Logs that this server closes the connection.
    pub(super) fn closed(self, code: CloseCode) {
        self.span().in_scope(|| tracing::debug!(code = code as u16, reason = ?code, "socket closed"));
    }

    /// Logs that the client has closed the connection.
    pub(super) fn closed_by_client(self) {
        self.span().in_scope(|| tracing::debug!("socket closed by the client"));
    }

    /// Logs that the connection ended without a close frame.
    pub(super) fn lost(self) {
        self.span().in_scope(|| tracing::debug!("socket lost"));
    }

    /// If the problem is a denial, records it in the audit log, as for HTTP, and in the server's log with the
    /// participant and IP address.
    pub(super) fn record_denial(
        self,
        server: &SocketContext,
        who: Option<&Participant>,
        session: Option<SessionId>,
        problem: &Problem,
    ) {
        let code = problem.code();
        if code.is_denial() {
            server.dispatcher.audit.denial(who, session, "socket", Some(code));
            let (actor, address) = (who.map(|who| display(who.id)), RequestOrigin::current().address.map(display));
            self.span().in_scope(|| tracing::info!(actor, address, code = code.as_str(), "refused"));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::store_error::StoreError;
    use crate::telemetry::captured_log::CapturedLog;

    #[test]
    fn a_failed_replay_is_logged_with_its_connection() {
        let lines = CapturedLog::json();
        let session = SessionId(uuid::Uuid::from_u128(7));
        let log = ConnectionLog(ConnectionId::next());
        log.subscription_ended(session, &ViewerEnd::Store(StoreError::Conflict("broken".into())));
        let line = lines.only("a viewer's replay ended");
        assert_eq!((&line["level"], &line["spans"][0]["name"]), (&json!("WARN"), &json!("connection")), "{line}");
        assert!(line["spans"][0]["connection"].is_u64(), "{line}");
        assert_eq!(line["spans"][1], json!({ "name": "session", "session": session.to_string() }));
    }
}
