//! Adapter from a server's tool to the tool interface.

use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::RwLock;
use rmcp::model::CallToolRequestParams;
use serde_json::Value;

use super::super::{Output, Place, Spec, Tool, ToolError, places::Places};
use super::{failure, link::Link, listing::Found, words::words};

/// Current connection to a server, if any.
pub(super) struct Switch {
    pub(super) server: Arc<str>,
    pub(super) link: RwLock<Option<Arc<Link>>>,
    /// Limit on concurrent calls.
    pub(super) places: Places,
}

/// A tool that the server has listed. Calls use the current connection.
pub(super) struct McpTool {
    pub(super) switch: Arc<Switch>,
    pub(super) found: Found,
}

#[async_trait]
impl Tool for McpTool {
    fn spec(&self) -> &Spec {
        &self.found.spec
    }

    async fn call(&self, at: &Place, arguments: Value) -> Result<Output, ToolError> {
        let server = &*self.switch.server;
        let Value::Object(arguments) = arguments else {
            return Err(ToolError::new("arguments_invalid", "the arguments are not an object"));
        };
        let _place = self.switch.places.take(at).await?;
        let link = self.switch.link.read().clone().ok_or_else(|| failure::away(server))?;
        let wanted = CallToolRequestParams::new(self.found.tool.clone()).with_arguments(arguments);
        let result = link.call(wanted, at).await?;
        let text = words(&result);
        if result.is_error == Some(true) { Err(failure::failed(server, &text)) } else { Ok(text.into()) }
    }
}
