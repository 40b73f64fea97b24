//! Matching of paths and display of lines.

use globset::{GlobBuilder, GlobMatcher};

use crate::agent::to_single_line;
use crate::tool::ToolError;

/// Maximum number of bytes in a glob. The compiled form grows with the glob, and the library panics if that form
/// becomes too large.
const MAX_GLOB_BYTES: usize = 256;

/// Compiles a glob for paths relative to the folder of a code base. A glob without `/` matches file names in every
/// folder.
pub(super) fn compile_glob(pattern: &str) -> Result<GlobMatcher, ToolError> {
    let pattern = pattern.trim_start_matches("./");
    if pattern.len() > MAX_GLOB_BYTES {
        return Err(ToolError::new(
            "arguments_invalid",
            format!("glob: it is too long; use at most {MAX_GLOB_BYTES} bytes"),
        ));
    }
    let whole = if pattern.contains('/') { pattern.to_owned() } else { format!("**/{pattern}") };
    let glob = GlobBuilder::new(&whole).literal_separator(true).build();
    let invalid = |error: globset::Error| {
        ToolError::new("arguments_invalid", format!("glob: {}; use a form like `*.rs` or `src/**/*.rs`", error.kind()))
    };
    glob.map(|glob| glob.compile_matcher()).map_err(invalid)
}

/// Returns a path without the name of its code base.
pub(super) fn path_in_base(path: &str) -> &str {
    path.split_once('/').map_or("", |(_, rest)| rest)
}

/// Returns a line as text without any line break. If the line has more than `max_bytes` bytes, returns about that many,
/// starting shortly before `from`, with the number of bytes left out on each side.
pub(in crate::tool) fn line_excerpt(line: &[u8], from: usize, max_bytes: usize) -> String {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if line.len() <= max_bytes {
        return to_single_line(&String::from_utf8_lossy(line));
    }
    // A cut in the middle of a character would produce a replacement character.
    let whole = |mut at: usize| {
        while at > 0 && at < line.len() && line[at] & 0xC0 == 0x80 {
            at -= 1;
        }
        at
    };
    let start = whole(from.saturating_sub(max_bytes / 4).min(line.len() - max_bytes));
    let end = whole((start + max_bytes).min(line.len()));
    let (before, after) = (start, line.len() - end);
    let mut text = to_single_line(&String::from_utf8_lossy(&line[start..end]));
    if before > 0 {
        text.insert_str(0, &format!("[{before} bytes] … "));
    }
    if after > 0 {
        text.push_str(&format!(" … [{after} bytes]"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_glob_without_a_slash_is_over_names() {
        for (pattern, path, fits) in [
            ("*.rs", "src/main.rs", true),
            ("*.rs", "main.rs", true),
            ("src/*.rs", "src/main.rs", true),
            ("src/*.rs", "src/deep/main.rs", false),
            ("src/**/*.{rs,toml}", "src/deep/x.toml", true),
            ("main.rs", "src/main.rss", false),
        ] {
            assert_eq!(compile_glob(pattern).expect("the glob is valid").is_match(path), fits, "{pattern} {path}");
        }
        assert!(compile_glob("[").is_err());
    }

    #[test]
    fn no_glob_is_too_large_to_be_compiled() {
        for (part, whole) in [("?", ""), ("*", ""), ("**/", ""), ("[!字]", ""), ("{*,", "}"), ("{", "}"), ("{*,?}", "")]
        {
            let times = MAX_GLOB_BYTES / (part.len() + whole.len());
            let pattern = format!("{}{}", part.repeat(times), whole.repeat(times));
            let _ = compile_glob(&pattern).map(|glob| glob.is_match("src/main.rs"));
        }
        assert!(compile_glob(&"?".repeat(MAX_GLOB_BYTES + 1)).is_err());
    }

    #[test]
    fn a_long_line_is_cut_around_the_match_and_never_in_a_character() {
        assert_eq!(line_excerpt(b"short\r\n", 0, 40), "short");
        let several = "a\r[notice] b\u{85}c\u{2028}d";
        assert_eq!(line_excerpt(several.as_bytes(), 0, 40), "a [notice] b c d");
        assert_eq!(line_excerpt(several.as_bytes(), 0, 10), "a [notice] … [9 bytes]");
        let line = "字".repeat(100);
        let shown = line_excerpt(line.as_bytes(), 150, 40);
        assert!(shown.starts_with("[138 bytes] … 字") && shown.ends_with("字 … [123 bytes]"), "{shown}");
        assert!(!shown.contains('\u{fffd}'), "{shown}");
        assert_eq!(line_excerpt(&[b'x'; 50], 49, 40), format!("[10 bytes] … {}", "x".repeat(40)));
    }
}
