//! Adapts a server's tool to the tool interface.

use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::RwLock;
use rmcp::model::CallToolRequestParams;
use serde_json::Value;

use super::super::{CallContext, Output, Tool, ToolError, ToolSpec, call_queue::CallQueue};
use super::{client::McpClient, error, result_text::result_text, tool_list::ListedTool};

/// Holds the current connection to a server, if there is one.
pub(super) struct McpClientSlot {
    pub(super) server: Arc<str>,
    /// The connection, or the reason why there is none, for the operator.
    pub(super) client: RwLock<Result<Arc<McpClient>, Arc<str>>>,
    /// Queue that limits concurrent calls.
    pub(super) places: CallQueue,
}

/// A tool that the server has listed. Calls use the current connection.
pub(super) struct McpTool {
    pub(super) switch: Arc<McpClientSlot>,
    pub(super) found: ListedTool,
}

#[async_trait]
impl Tool for McpTool {
    fn spec(&self) -> &ToolSpec {
        &self.found.spec
    }

    async fn call(&self, at: &CallContext, arguments: Value) -> Result<Output, ToolError> {
        let server = &*self.switch.server;
        let Value::Object(arguments) = arguments else {
            return Err(ToolError::new("arguments_invalid", "the arguments are not an object"));
        };
        let _place = self.switch.places.take(at).await?;
        let client = self.switch.client.read().clone();
        let client = client.map_err(|reason| error::not_connected(server).caused_by(reason.to_string()))?;
        let parameters = CallToolRequestParams::new(self.found.tool.clone()).with_arguments(arguments);
        let result = client.call(parameters, at).await?;
        let text = result_text(&result);
        if result.is_error == Some(true) { Err(error::server_error(server, &text)) } else { Ok(text.into()) }
    }
}
