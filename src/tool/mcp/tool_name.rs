//! Names of the tools of MCP servers, unique among all tools.

/// Maximum number of characters in a name. All providers accept this many.
const MAX_NAME_CHARS: usize = 64;

/// Returns the name of a tool. It depends only on the server and this tool, so it does not change with the other tools
/// in the list. In a name that is too long or contains characters that providers reject, these characters become `_`,
/// and a digest of the original name at the end keeps similar names apart.
pub(super) fn tool_name(server: &str, tool: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let whole = format!("mcp_{server}_{tool}");
    if whole.chars().all(plain) && whole.len() <= MAX_NAME_CHARS && !tool.is_empty() {
        return whole;
    }
    let digest = &blake3::hash(tool.as_bytes()).to_hex()[..8];
    let kept = whole.chars().map(|c| if plain(c) { c } else { '_' }).take(MAX_NAME_CHARS - 1 - digest.len());
    kept.chain(['_']).chain(digest.chars()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_all_providers_take() {
        assert_eq!(tool_name("files", "read_file"), "mcp_files_read_file");
        for odd in ["files.read", "files/read", "read file", "", "読む", &"long".repeat(40)] {
            let safe = tool_name("files", odd);
            assert!(safe.len() <= 64 && safe.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c)), "{safe}");
            assert!(safe.starts_with("mcp_files_"), "{safe}");
            assert_eq!(safe, tool_name("files", odd));
        }
    }

    #[test]
    fn two_that_look_alike_stay_apart() {
        assert_ne!(tool_name("files", "read.file"), tool_name("files", "read/file"));
        let long = "x".repeat(100);
        assert_ne!(tool_name("files", &format!("{long}a")), tool_name("files", &format!("{long}b")));
    }
}
