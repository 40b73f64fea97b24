//! Calls over one connection.

use std::sync::Arc;

use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResult, ClientRequest, InputRequest, InputRequiredResult,
    InputResponses, ServerResult,
};
use rmcp::service::{Peer, PeerRequestOptions, RequestHandle};
use rmcp::{RoleClient, ServiceError};
use tokio_util::sync::CancellationToken;

use super::super::{CallContext, Stopwatch, ToolError};
use super::in_flight::{InFlightCalls, InFlightGuard};
use super::{elicitation::Elicitor, error};
use crate::backoff;

/// Maximum number of requests for one call. A server can ask for further input before it returns the result.
const MAX_INPUT_ROUNDS: u32 = 10;

/// A connection that serves calls until it ends.
pub(super) struct McpClient {
    pub(super) peer: Peer<RoleClient>,
    pub(super) calls: Arc<InFlightCalls>,
    /// Stopwatch that is paused while calls are in progress.
    pub(super) idle: Stopwatch,
    pub(super) asker: Arc<Elicitor>,
    /// Token that is cancelled when a call finds that the connection is broken, or when the connection is closed.
    pub(super) over: CancellationToken,
}

impl McpClient {
    /// Makes one call, and supplies any further input that the server asks for.
    pub(super) async fn call(
        &self,
        parameters: CallToolRequestParams,
        at: &CallContext,
    ) -> Result<CallToolResult, ToolError> {
        let answered = self.idle.pause_during(self.over.run_until_cancelled(self.rounds(parameters, at))).await;
        let server = &*self.asker.server;
        match answered {
            None => Err(error::connection_lost(server)),
            Some(Ok(Some(result))) => Ok(result),
            Some(Ok(None)) => Err(error::server_error(server, "it asked for further input too often")),
            Some(Err(error)) => {
                if error::ends_connection(&error, self.peer.is_transport_closed()) {
                    self.over.cancel();
                }
                Err(error::from_service_error(server, error))
            }
        }
    }

    async fn rounds(
        &self,
        mut parameters: CallToolRequestParams,
        at: &CallContext,
    ) -> Result<Option<CallToolResult>, ServiceError> {
        let mut entry = self.calls.enter(at.clone());
        for round in 1..=MAX_INPUT_ROUNDS {
            let answer = self.once(parameters.clone(), &entry).await;
            if let Ok(ServerResult::CallToolResult(_)) | Err(ServiceError::McpError(_)) = answer {
                entry.answered();
            }
            match answer? {
                ServerResult::CallToolResult(result) => return Ok(Some(result)),
                ServerResult::InputRequiredResult(more) => {
                    parameters.request_state.clone_from(&more.request_state);
                    parameters.input_responses = self.answers(more, &entry, round).await;
                }
                _ => return Err(ServiceError::UnexpectedResponse),
            }
        }
        Ok(None)
    }

    async fn once(
        &self,
        parameters: CallToolRequestParams,
        entry: &InFlightGuard,
    ) -> Result<ServerResult, ServiceError> {
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(parameters));
        let handle = self.peer.send_cancellable_request(request, PeerRequestOptions::no_options()).await?;
        entry.sent(handle.id.clone(), handle.progress_token.clone());
        let mut sent = McpRequestGuard(Some(handle));
        let Some(handle) = &mut sent.0 else { return Err(ServiceError::TransportClosed) };
        let answer = (&mut handle.rx).await;
        sent.0 = None;
        answer.map_err(|_| ServiceError::TransportClosed)?
    }

    /// Collects the answers of people to the questions of the server. Returns `None`, after a delay, if the server has
    /// no questions and only wants the request to be repeated.
    async fn answers(&self, more: InputRequiredResult, entry: &InFlightGuard, round: u32) -> Option<InputResponses> {
        let Some(requests) = more.input_requests else {
            tokio::time::sleep(std::time::Duration::from_millis(backoff::delay_ms(round, 200, 5_000))).await;
            return None;
        };
        let mut answers = InputResponses::new();
        for (name, request) in requests {
            // The client supports only this kind of input request.
            if let InputRequest::Elicitation(elicitation) = request {
                let answer = self.asker.ask(entry.call(), elicitation.params).await;
                answers.insert(name, serde_json::to_value(answer).expect("an answer serializes: its keys are strings"));
            }
        }
        Some(answers)
    }
}

/// A request that has not received a response yet. Dropping it sends a cancellation to the server.
struct McpRequestGuard(Option<RequestHandle<RoleClient>>);

impl Drop for McpRequestGuard {
    fn drop(&mut self) {
        let Some((handle, runtime)) = self.0.take().zip(tokio::runtime::Handle::try_current().ok()) else { return };
        runtime.spawn(handle.cancel(Some("the result is no longer needed".into())));
    }
}
