//! The tools' part of the configuration.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    code::CodeSettings, document_search::DocumentSearchSettings, mcp::McpServer, python::PythonSettings,
    web::WebSearchSettings,
};

/// The tools that agents can be given, each with what switches it on and what bounds it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ToolSettings {
    /// Code bases for agents to list, read and search.
    pub code: CodeSettings,
    /// Searching documents.
    pub document_search: DocumentSearchSettings,
    /// Python for agents, in a sandbox.
    pub python: PythonSettings,
    /// The web, through a SearXNG.
    pub web_search: WebSearchSettings,
    /// Servers of the Model Context Protocol by name, whose tools agents can call: `[tools.mcp.files]`.
    pub mcp: BTreeMap<String, McpServer>,
}
