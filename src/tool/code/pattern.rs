//! Search patterns, compiled with limits that bound the duration of a search within one line.

use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use regex_automata::{nfa::thompson, util::syntax};

use crate::tool::ToolError;

/// Maximum number of bytes in a pattern.
const MAX_PATTERN_BYTES: usize = 1000;

/// Maximum number of bytes in the automaton that a pattern is compiled to.
const MAX_PROGRAM_BYTES: usize = 4 * 1024 * 1024;

/// Maximum number of bytes in automaton states that one thread caches. With the library's default, 1 GB, a pattern
/// could fill the memory.
const MAX_CACHE_BYTES: usize = 2 * 1024 * 1024;

/// Maximum depth of nested groups.
const MAX_NESTING: u32 = 50;

/// Maximum number of states in an automaton; `\w{40}` has about 12,700.
const MAX_STATES: usize = 32 * 1024;

/// Maximum product of states and bytes in one search, which cannot be interrupted. At about 20 ns per unit, such a
/// search takes less than a second.
const MAX_WORK: usize = 32 * 1024 * 1024;

/// A compiled pattern.
#[derive(Debug)]
pub(super) struct Pattern {
    pub(super) matcher: RegexMatcher,
    /// Maximum number of bytes that are searched in one piece. If a line is longer, only this many of its bytes are
    /// searched.
    pub(super) max_piece_bytes: usize,
}

impl Pattern {
    /// Compiles a pattern: a regular expression or, with `literal`, plain text.
    ///
    /// # Errors
    /// Fails with `arguments_invalid` if the pattern is invalid or too costly.
    pub(super) fn compile(pattern: &str, literal: bool, ignore_case: bool) -> Result<Self, ToolError> {
        let invalid = |message: String| ToolError::new("arguments_invalid", format!("pattern: {message}"));
        if pattern.is_empty() || pattern.len() > MAX_PATTERN_BYTES {
            return Err(invalid(format!("it is empty or too long; use 1 to {MAX_PATTERN_BYTES} bytes")));
        }
        let pattern = if literal { regex_syntax::escape(pattern) } else { pattern.to_owned() };
        let wrong = |error: &dyn std::fmt::Display| invalid(format!("{error}; set `literal` to look for plain text"));
        let matcher = RegexMatcherBuilder::new()
            .line_terminator(Some(b'\n'))
            .case_insensitive(ignore_case)
            .nest_limit(MAX_NESTING)
            .size_limit(MAX_PROGRAM_BYTES)
            .dfa_size_limit(MAX_CACHE_BYTES)
            .build(&pattern)
            .map_err(|error| wrong(&error))?;
        let states = thompson::Compiler::new()
            .configure(thompson::Config::new().utf8(false).nfa_size_limit(Some(MAX_PROGRAM_BYTES)))
            .syntax(syntax::Config::new().utf8(false).case_insensitive(ignore_case).nest_limit(MAX_NESTING))
            .build(&pattern)
            .map_err(|error| wrong(&error))?
            .states()
            .len();
        if states > MAX_STATES {
            let message = format!(
                "it compiles to {states} states, but the limit is {MAX_STATES}; use fewer or smaller repetitions"
            );
            return Err(invalid(message));
        }
        Ok(Self { matcher, max_piece_bytes: MAX_WORK / states.max(1) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_patterns_are_accepted() {
        for pattern in [r"\bfoo\b", r"\w{40}", r"(?i)fn\s+\w{3,40}\(", r"\p{L}{1,50}\d", r"(\w+\s*){1,30};", "字{3}"] {
            let compiled = Pattern::compile(pattern, false, false).expect(pattern);
            assert!(compiled.max_piece_bytes >= 1024, "{pattern}: {}", compiled.max_piece_bytes);
        }
        let plain = Pattern::compile("fn run(", true, false).expect("the text is valid");
        assert!(plain.max_piece_bytes > 1024 * 1024, "{}", plain.max_piece_bytes);
    }

    #[test]
    fn states_times_bytes_are_bounded_whatever_the_pattern() {
        for pattern in [
            r"(?-u)(?:.{0,900}[a-h]){90}\d",
            r"(?:\w{0,100}\pL){9}",
            r"((((((a{9}){9}){9}){9}){9}){9})",
            &"(".repeat(400),
            &"x".repeat(1001),
        ] {
            let refused = Pattern::compile(pattern, false, false).expect_err(pattern);
            assert_eq!(refused.code, "arguments_invalid", "{pattern}");
        }
    }
}
