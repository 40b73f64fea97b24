//! Checks an agent's call rules in team files and documents.

use crate::kernel::call::Permission;
use crate::kernel::kernel_tools::KERNEL_TOOLS;
use crate::kernel::{CallRule, first_chars};

/// Maximum number of rules per agent.
const MAX_RULES: usize = 64;
/// Maximum number of bytes in a rule's tool name. The same limit applies separately to its pattern for arguments.
const MAX_PATTERN_BYTES: usize = 1024;

/// Returns the errors in an agent's call rules, worded for the author of the team.
pub(super) fn check_permissions(rules: &[CallRule]) -> Vec<String> {
    if rules.len() > MAX_RULES {
        return vec![format!("it has too many permissions; use at most {MAX_RULES}, or patterns with *")];
    }
    let is_long = |text: &str| text.len() > MAX_PATTERN_BYTES;
    let long = |rule: &CallRule| is_long(&rule.tool) || rule.arguments.as_deref().is_some_and(is_long);
    if let Some(at) = rules.iter().position(long) {
        return vec![format!(
            "permission {}: tool or arguments are too long; use at most {MAX_PATTERN_BYTES} bytes",
            at + 1
        )];
    }
    let numbered = || rules.iter().zip(1..);
    let patterns = numbered().filter_map(|(rule, number)| Some((rule.arguments.as_deref()?, number)));
    let mut errors: Vec<String> = patterns
        .filter(|(pattern, _)| !can_match(pattern))
        .map(|(pattern, number)| {
            let pattern = first_chars(pattern, 64);
            format!("permission {number}: arguments: {pattern:?} matches no call; use '*…*', as arguments are JSON")
        })
        .collect();
    // The session executes these tools itself. One of them asks people a question, which needs no approval.
    let whole = |rule: &CallRule| rule.arguments.is_none() && rule.permission != Permission::Ask;
    let own = |rule: &CallRule| KERNEL_TOOLS.iter().any(|tool| *tool.name == *rule.tool);
    let odd = numbered().filter(|(rule, _)| own(rule) && !whole(rule));
    errors.extend(odd.map(|(CallRule { tool, .. }, number)| {
        format!("permission {number}: {tool} can only be allowed or denied, without arguments; change the rule")
    }));
    errors
}

/// Returns whether the pattern can match the arguments of a call, which are a JSON object in text form. A rule that
/// never matches would have no effect, and its author would not notice.
fn can_match(pattern: &str) -> bool {
    pattern.starts_with(['*', '{']) && pattern.ends_with(['*', '}'])
}
