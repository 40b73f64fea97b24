//! Limits of a document that do not apply to the kernel's team; see also the constants of `kernel::topology::Topology`.

use crate::kernel::template::Template;

/// Maximum number of characters in the name of a team.
pub(in crate::agent::teams) const MAX_TEAM_NAME_CHARS: usize = 200;
/// Maximum number of characters in the name of a team in team files.
pub(super) const MAX_SLUG_CHARS: usize = 64;
/// Maximum number of characters in the description of a team.
pub(super) const MAX_DESCRIPTION_CHARS: usize = 2_000;
/// Maximum number of characters in the name of a node. The same limit applies separately to the name of an agent.
pub(super) const MAX_NAME_CHARS: usize = 100;
/// Maximum number of characters in the type of a node.
pub(super) const MAX_TYPE_CHARS: usize = 64;
/// Maximum number of bytes in a system prompt. The same limit applies separately to a template.
pub(super) const MAX_PROMPT_BYTES: usize = Template::MAX_BYTES;
/// Maximum value of `max_tokens`.
pub(super) const MAX_TOKENS: u32 = 1_000_000;
/// Maximum number of tools of an agent. `MAX_TOOL_CHARS` is the maximum number of characters in the name of a tool.
pub(super) const MAX_TOOLS: usize = 64;
pub(super) const MAX_TOOL_CHARS: usize = 128;
/// Maximum number of edges.
pub(super) const MAX_EDGES: usize = 10_000;
/// Maximum number of attributes of a node or an edge. The next constants limit the characters in a key, the bytes of
/// all attributes of the node or edge as JSON, and the nesting levels of a value.
pub(super) const MAX_ATTRIBUTES: usize = 64;
pub(super) const MAX_KEY_CHARS: usize = 64;
pub(super) const MAX_ATTRIBUTE_BYTES: usize = 16 << 10;
pub(super) const MAX_ATTRIBUTE_DEPTH: usize = 16;
/// Maximum number of errors in a report. The same limit applies separately to `invalid_nodes` and `missing_references`.
pub(super) const MAX_ERRORS: usize = 100;
/// Maximum number of characters of a value that an error message shows.
pub(super) const MAX_SHOWN_CHARS: usize = 64;
