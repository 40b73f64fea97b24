//! Mentions: whom a text is for. Parsed once, here.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Target;

/// Why a message went where it went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RouteReason {
    /// The sender named the addressees beside the text.
    Explicit,
    /// The text mentions them.
    Mention,
    /// Nobody was named: it is for the whole flow.
    Default,
    /// It is an approval of the open gate.
    Approval,
}

/// An addressee as a sender names it beside the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Addressee {
    /// As the server writes it.
    Target(Target),
    /// As a person would write it after the `@`.
    Name(String),
}
