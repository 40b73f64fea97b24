//! Opens a connection: starts or reaches the server, then performs the handshake.

use std::error::Error;
use std::path::Path;
use std::time::Duration;

use rmcp::service::{
    ClientCacheConfig, ClientInitializeError, ClientServiceExt, RunningService, RunningServiceCancellationToken,
};
use rmcp::transport::streamable_http_client::StreamableHttpError;
use rmcp::{Peer, RoleClient};
use tokio::time::timeout;
use tokio_util::task::AbortOnDropHandle;

use super::client_handler::McpClientHandler;
use super::endpoint::McpHttpEndpoint;
use super::handshake::Handshake;
use super::program::{McpProgram, ProgramProcess};
use super::{McpServerSettings, error, oauth};
use crate::kernel::first_bytes;
use crate::tool::Confinement;

/// Time that a server gets to shut down by itself.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(1);

/// Transport of a server: a program to start, or an HTTP endpoint.
pub(super) enum McpServerTransport {
    Program(Box<McpProgram>),
    Endpoint(Box<McpHttpEndpoint>),
}

/// A connection after the handshake.
pub(super) struct RunningConnection {
    pub(super) peer: Peer<RoleClient>,
    pub(super) program: Option<ProgramProcess>,
    closing: RunningServiceCancellationToken,
    closed: AbortOnDropHandle<()>,
}

impl RunningConnection {
    fn new(service: RunningService<RoleClient, McpClientHandler>, program: Option<ProgramProcess>) -> Self {
        let (peer, closing) = (service.peer().clone(), service.cancellation_token());
        let closed = AbortOnDropHandle::new(tokio::spawn(async move {
            let _ = service.waiting().await;
        }));
        Self { peer, program, closing, closed }
    }

    /// Waits for the end of the connection and returns the reason, for the operator. Watches the program too, because
    /// the library does not notice the death of a program as long as a process that it started holds its pipes.
    pub(super) async fn ended(&mut self) -> String {
        let Some(program) = &mut self.program else {
            wait_until_closed(&mut self.closed).await;
            return "it closed the connection".into();
        };
        tokio::select! {
            why = program.ended() => return why,
            () = wait_until_closed(&mut self.closed) => {}
        }
        // A dying program closes its pipes first, so wait for its exit status.
        timeout(SHUTDOWN_TIMEOUT, program.ended()).await.unwrap_or_else(|_| "its program closed its output".into())
    }

    /// Closes the connection and gives the server time to shut down by itself.
    pub(super) async fn end(mut self) {
        self.closing.cancel();
        let _ = timeout(SHUTDOWN_TIMEOUT, wait_until_closed(&mut self.closed)).await;
        if let Some(program) = &mut self.program {
            let _ = timeout(SHUTDOWN_TIMEOUT, program.ended()).await;
        }
    }
}

impl McpServerTransport {
    /// Returns the transport that the settings define, with the secrets that they name. `folder` contains credentials.
    pub(super) fn new(
        server: &str,
        settings: &McpServerSettings,
        folder: &Path,
        confinement: &Confinement,
        environment: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, String> {
        if settings.command.is_empty() {
            McpHttpEndpoint::new(server, settings, folder, environment)
                .map(|endpoint| Self::Endpoint(Box::new(endpoint)))
        } else {
            McpProgram::new(server, settings, confinement, environment).map(|program| Self::Program(Box::new(program)))
        }
    }

    /// Starts or reaches the server and performs the handshake.
    ///
    /// # Errors
    /// Fails with the reason, for the operator.
    pub(super) async fn open(
        &self,
        handler: McpClientHandler,
        handshake: Handshake,
    ) -> Result<RunningConnection, String> {
        let (served, program) = match self {
            Self::Program(program) => {
                let started = program.start();
                let (running, pipes) = started.map_err(|error| program.start_error_text(&error))?;
                (handler.serve_with_lifecycle(pipes, handshake.lifecycle()).await, Some(running))
            }
            Self::Endpoint(address) => {
                (handler.serve_with_lifecycle(address.transport(), handshake.lifecycle()).await, None)
            }
        };
        let (service, program) = match (served, program) {
            (Ok(service), program) => (service, program),
            (Err(error), Some(mut program)) if is_closed(&error) => {
                let text = connect_error_text(&error);
                // A program that cannot work, such as one that is not installed, exits, and its exit status says more
                // than the closed connection.
                let ended = timeout(SHUTDOWN_TIMEOUT, program.ended()).await;
                return Err(ended.map_or_else(|_| text.clone(), |why| format!("{text}; {why}")));
            }
            (Err(error), _) => return Err(connect_error_text(&error)),
        };
        // A listing must return the current tools, not cached ones.
        service.peer().set_response_cache_config(ClientCacheConfig::disabled()).await;
        Ok(RunningConnection::new(service, program))
    }
}

async fn wait_until_closed(task: &mut AbortOnDropHandle<()>) {
    if !task.is_finished() {
        let _ = task.await;
    }
}

/// Returns whether the server ended the connection during the handshake.
fn is_closed(error: &ClientInitializeError) -> bool {
    match error {
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => is_closed(fallback),
        ClientInitializeError::TransportError { .. } | ClientInitializeError::ConnectionClosed(_) => true,
        _ => false,
    }
}

/// Returns the reason, for the operator, why the handshake failed, without the URL, which can contain a secret.
fn connect_error_text(error: &ClientInitializeError) -> String {
    let text = match error {
        error if error.is_authorization_required() || error.auth_challenge().is_some() => {
            return error::UNAUTHORIZED.into();
        }
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => return connect_error_text(fallback),
        ClientInitializeError::TransportError { error, .. } => {
            match error.error.downcast_ref::<StreamableHttpError<reqwest::Error>>() {
                Some(StreamableHttpError::Client(error)) => root_cause(error),
                Some(StreamableHttpError::Auth(error)) => oauth::error_text(error),
                _ => error.error.to_string(),
            }
        }
        ClientInitializeError::JsonRpcError(error) => error.message.to_string(),
        ClientInitializeError::ConnectionClosed(_) => "it closed the connection".into(),
        _ => "unexpected response".into(),
    };
    format!("the handshake failed: {}", first_bytes(&text, error::MAX_ERROR_TEXT_BYTES))
}

fn root_cause(error: &reqwest::Error) -> String {
    let mut cause = error.source();
    while let Some(inner) = cause.and_then(Error::source) {
        cause = Some(inner);
    }
    cause.map_or_else(|| "no response".into(), ToString::to_string)
}
