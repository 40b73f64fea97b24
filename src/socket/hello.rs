//! The first frame of a connection: `hello` with a token, and `welcome` or an error in response.

use std::sync::Arc;

use super::client::SocketClient;
use super::connection::ReadEnd;
use super::pending_reply::PendingReply;
use crate::identity::{CredentialKind, CredentialProof, Participant, SecretHash};
use crate::protocol::{CloseCode, Code, Problem, ServerFrame, VERSION};
use crate::secret_text::SecretText;

/// Maximum number of unknown tokens that one connection can send, because each is looked up in the database.
const MAX_UNKNOWN_TOKENS: u32 = 5;

impl SocketClient {
    /// Handles a `hello` frame: starts authenticating the client by its token.
    pub(super) fn hello(&mut self, known: bool, token: Option<SecretText>) -> Result<(), Problem> {
        match token {
            Some(_) if known => Err(Problem::new(Code::AlreadyAuthenticated, "this connection is already identified")),
            None if known => Ok(()),
            None => Err(Problem::new(Code::Unauthenticated, "hello has no token; add one, or sign in first")),
            Some(token) => {
                let proof = CredentialProof { hash: SecretHash::of(&token), grant: CredentialKind::Token };
                self.heartbeat.examined();
                self.pending = Some(PendingReply::hello(&self.server, self.log, proof));
                Ok(())
            }
        }
    }

    /// Identifies the client, and sends `welcome`.
    pub(super) fn welcome(&mut self, who: Participant, proof: CredentialProof) {
        let frame = ServerFrame::Welcome { you: who.actor(), version: VERSION, limits: self.server.settings.limits() };
        self.connection.out.push_text(&frame.encode());
        self.heartbeat.known();
        self.connection.identified(who.id, &self.server.settings);
        self.unidentified = None;
        self.log.identified(&who);
        self.who = Some(Arc::new(who));
        let revocation = self.server.revocations.hold(proof.hash);
        self.connection.socket().set_permission(self.server.traffic.clone(), revocation.over().clone());
        self.shutdown = Box::pin(revocation.over().clone().cancelled_owned());
        self.revocation = Some(revocation);
    }

    /// Handles the result of the authentication.
    pub(super) fn finish_hello(
        &mut self,
        answer: Result<Option<Participant>, Problem>,
        proof: CredentialProof,
    ) -> Result<(), ReadEnd> {
        // A token that could not be checked might be valid, so the client has to reconnect.
        let (problem, late) = match answer {
            Ok(Some(who)) => {
                self.welcome(who, proof);
                return Ok(());
            }
            Ok(None) => {
                self.unknown_tokens += 1;
                let message = "the token is unknown or no longer valid";
                (Problem::new(Code::Unauthenticated, message), CloseCode::Unauthenticated)
            }
            Err(problem) if problem.code().is_denial() => (problem, CloseCode::Unauthenticated),
            Err(problem) => (problem, CloseCode::Internal),
        };
        self.log.record_denial(&self.server, None, None, &problem);
        self.refuse(problem);
        if self.heartbeat.unknown() || self.unknown_tokens >= MAX_UNKNOWN_TOKENS {
            // Closed here, before another hello is read, because a series of hellos would otherwise keep the socket
            // open.
            return Err(ReadEnd::Fault(late));
        }
        Ok(())
    }
}
