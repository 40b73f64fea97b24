//! Names of the tools that teams can refer to, whether or not the tools can be called at the moment.

use std::sync::Arc;

use crate::kernel::call_rule;
use crate::kernel::kernel_tools::KERNEL_TOOLS;
use crate::spelling;

/// Prefix of the names of all tools of MCP servers.
const MCP_PREFIX: &str = "mcp_";

/// Names of the tools that this server can have. Tools of MCP servers are known only by their prefix, because MCP
/// servers connect later.
#[derive(Debug, Clone, Default)]
pub struct ToolNames {
    names: Vec<Arc<str>>,
    /// Prefixes of the tool names of the configured MCP servers, such as `mcp_github_`.
    prefixes: Vec<String>,
}

impl ToolNames {
    /// Creates the names of `tools`, of the tools that the session itself executes, and of the tools of the MCP
    /// `servers`.
    pub fn new<'a>(tools: impl IntoIterator<Item = Arc<str>>, servers: impl IntoIterator<Item = &'a str>) -> Self {
        let own = KERNEL_TOOLS.iter().map(|tool| tool.name.into());
        Self {
            names: tools.into_iter().chain(own).collect(),
            prefixes: servers.into_iter().map(|server| format!("{MCP_PREFIX}{server}_")).collect(),
        }
    }

    /// Returns whether a tool can have this name or match this pattern, in which `*` matches any text.
    pub fn knows(&self, pattern: &str) -> bool {
        let (beginning, is_pattern) =
            pattern.split_once('*').map_or((pattern, false), |(beginning, _)| (beginning, true));
        let can_be = |prefix: &String| beginning.starts_with(&**prefix) || is_pattern && prefix.starts_with(beginning);
        self.names.iter().any(|name| call_rule::matches(pattern, name)) || self.prefixes.iter().any(can_be)
    }

    /// Returns whether the name or pattern refers to an MCP server that is not configured.
    pub(super) fn is_of_missing_server(&self, pattern: &str) -> bool {
        pattern.starts_with(MCP_PREFIX) && !self.knows(pattern)
    }

    /// Returns advice for the error message about a name or pattern that matches no tool.
    pub(super) fn advice(&self, pattern: &str) -> String {
        let nearest = spelling::nearest(pattern, self.names.iter().map(|name| &**name));
        match nearest {
            Some(nearest) => format!("did you mean {nearest}?"),
            None => format!("use {}, or mcp_SERVER_TOOL", self.names.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_are_known_before_they_are_there() {
        let names = ToolNames::new(["code_read", "web_search"].map(Arc::from), ["github"]);
        for known in
            ["*", "code_*", "code_read", "ask_people", "mcp_github_push", "mcp_*", "mcp_git*", "mcp_github_*", "*_push"]
        {
            assert!(names.knows(known), "{known}");
        }
        for unknown in ["", "code", "cod_*", "code_raed", "mcp_github", "mcp_gitlab_push", "mcp_gitlab_*"] {
            assert!(!names.knows(unknown), "{unknown}");
        }
        assert!(names.is_of_missing_server("mcp_gitlab_*") && !names.is_of_missing_server("mcp_github_x"));
        assert_eq!(names.advice("code_raed"), "did you mean code_read?");
    }
}
