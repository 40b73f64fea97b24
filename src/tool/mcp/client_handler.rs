//! Handler of requests and notifications from a server: questions to people, progress, and changes of its tool list.

use std::sync::Arc;

use rmcp::model::{
    ClientCapabilities, ClientConfig, CustomRequest, CustomResult, ElicitRequestParams, ElicitResult,
    ElicitationAction, ElicitationCapability, ErrorCode, ErrorData, FormElicitationCapability, Implementation,
    ProgressNotificationParam, ProtocolVersion, UrlElicitationCapability,
};
use rmcp::service::{InboundStreamOrigin, NotificationContext, RequestContext};
use rmcp::{ClientHandler, RoleClient};
use serde_json::json;
use tokio::sync::Notify;
use tracing::warn;

use super::super::Progress;
use super::{elicitation::Elicitor, in_flight::InFlightCalls};

/// Method of a question. If the library cannot parse a question, it passes the question on as a custom request.
const ELICIT: &str = "elicitation/create";

/// Client handler of one connection.
pub(super) struct McpClientHandler {
    pub(super) asker: Arc<Elicitor>,
    pub(super) calls: Arc<InFlightCalls>,
    /// Notified when the server's tools have changed.
    pub(super) changed: Arc<Notify>,
}

impl ClientHandler for McpClientHandler {
    async fn create_elicitation(
        &self,
        parameters: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let Some(call) = self.calls.call_of_question(context.extensions.get::<InboundStreamOrigin>()) else {
            warn!(server = &*self.asker.server, "MCP question cancelled: it does not belong to a single call");
            return Ok(ElicitResult::new(ElicitationAction::Cancel));
        };
        let answer = context.ct.run_until_cancelled(self.asker.ask(&call, parameters)).await;
        Ok(answer.unwrap_or_else(|| ElicitResult::new(ElicitationAction::Cancel)))
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleClient>,
    ) -> Result<CustomResult, ErrorData> {
        if request.method != ELICIT {
            return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, request.method, None));
        }
        // An error response would mean that the client does not support questions.
        warn!(server = &*self.asker.server, "MCP question cancelled: not valid");
        Ok(CustomResult::new(json!(ElicitResult::new(ElicitationAction::Cancel))))
    }

    async fn on_progress(&self, progress: ProgressNotificationParam, _context: NotificationContext<RoleClient>) {
        if let Some(call) = self.calls.call_of_progress(&progress.progress_token) {
            let message = progress.message.map(|message| message.replace('\0', "\u{fffd}").into());
            call.place.people.progress(Progress {
                done: progress.progress,
                total: progress.total,
                message,
                output: None,
            });
        }
    }

    async fn on_tool_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.changed.notify_one();
    }

    fn get_info(&self) -> ClientConfig {
        let mut able = ClientCapabilities::default();
        let (form, url) = (FormElicitationCapability::new(), UrlElicitationCapability::new());
        able.elicitation = Some(ElicitationCapability::new().with_form(form).with_url(url));
        let me = Implementation::new("roundtable", env!("CARGO_PKG_VERSION"));
        // For servers with the older handshake.
        ClientConfig::new(able, me).with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }
}
