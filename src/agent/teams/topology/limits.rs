//! Limits of a document that the kernel does not have; see also the constants of `kernel::topology::Topology`.

use crate::kernel::template::Template;

/// Maximum characters of the name of a team.
pub(in crate::agent::teams) const MAX_TEAM_NAME_CHARS: usize = 200;
/// Maximum characters of the name of a team in team files.
pub(super) const MAX_SLUG_CHARS: usize = 64;
/// Maximum characters of the description of a team.
pub(super) const MAX_DESCRIPTION_CHARS: usize = 2_000;
/// Maximum characters of the name of a node or an agent.
pub(super) const MAX_NAME_CHARS: usize = 100;
/// Maximum characters of the type of a node.
pub(super) const MAX_TYPE_CHARS: usize = 64;
/// Maximum bytes of a system prompt, and of a template.
pub(super) const MAX_PROMPT_BYTES: usize = Template::MAX_BYTES;
/// Maximum of `max_tokens`.
pub(super) const MAX_TOKENS: u32 = 1_000_000;
/// Maximum tools of an agent, and characters of the name of one.
pub(super) const MAX_TOOLS: usize = 64;
pub(super) const MAX_TOOL_CHARS: usize = 128;
/// Maximum edges.
pub(super) const MAX_EDGES: usize = 10_000;
/// Maximum attributes of a node or an edge, characters of a key, bytes of all of them as JSON, and levels of a value.
pub(super) const MAX_ATTRIBUTES: usize = 64;
pub(super) const MAX_KEY_CHARS: usize = 64;
pub(super) const MAX_ATTRIBUTE_BYTES: usize = 16 << 10;
pub(super) const MAX_ATTRIBUTE_DEPTH: usize = 16;
/// Maximum errors of a report, nodes in its `invalid_nodes`, and names in its `missing_references`.
pub(super) const MAX_ERRORS: usize = 100;
/// Maximum characters of a value in an error message.
pub(super) const MAX_SHOWN_CHARS: usize = 64;
