//! The tools' part of the configuration.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::mcp::McpServer;

/// The tools that agents can be given, each with what switches it on and what bounds it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ToolSettings {
    /// Servers of the Model Context Protocol by name, whose tools agents can call: `[tools.mcp.files]`.
    pub mcp: BTreeMap<String, McpServer>,
}
