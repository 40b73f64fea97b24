//! Risk of a tool call. People see it when they are asked about the call, and approval rules use it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Risk of a call: how much harm a wrong call can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Risk {
    /// It changes nothing outside the session, and no data leaves the server.
    Low,
    /// Data leaves the server, or what it changes can be undone.
    Medium,
    /// It can change anything, perhaps irreversibly.
    High,
}
