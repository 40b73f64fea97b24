//! Settings of the tools: the part of the configuration under `tools`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    code::CodeSettings, document_search::DocumentSearchSettings, mcp::McpServerSettings, python::PythonSettings,
    web::WebSearchSettings,
};

/// Tools for agents, each with its switch and its limits.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ToolSettings {
    /// Code bases for agents to list, read and search.
    pub code: CodeSettings,
    /// Search in documents.
    pub document_search: DocumentSearchSettings,
    /// Python programs of agents, in a sandbox.
    pub python: PythonSettings,
    /// Web search through SearXNG.
    pub web_search: WebSearchSettings,
    /// Servers of the Model Context Protocol whose tools agents can call, by name, such as `[tools.mcp.files]`.
    pub mcp: BTreeMap<String, McpServerSettings>,
}
