//! The tools' part of the configuration.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{code::CodeSettings, python::PythonSettings, web_search::WebSearchSettings};

/// The tools that the server brings along, each with what switches it on and what bounds it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ToolSettings {
    /// Code bases for agents to list, read and search.
    pub code: CodeSettings,
    /// Python for agents, in a sandbox.
    pub python: PythonSettings,
    /// The web, through a SearXNG.
    pub web_search: WebSearchSettings,
}
