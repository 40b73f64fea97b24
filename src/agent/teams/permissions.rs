//! Checks of an agent's rules about calls, in team files and documents.

use crate::kernel::call::Permission;
use crate::kernel::kernel_tools::KERNEL_TOOLS;
use crate::kernel::{CallRule, first_chars};

/// Returns the errors of rules, for the author of the team.
pub(super) fn check_permissions(rules: &[CallRule]) -> Vec<String> {
    let numbered = || rules.iter().zip(1..);
    let patterns = numbered().filter_map(|(rule, number)| Some((rule.arguments.as_deref()?, number)));
    let mut wrong: Vec<String> = patterns
        .filter(|(pattern, _)| !can_match(pattern))
        .map(|(pattern, number)| {
            let pattern = first_chars(pattern, 64);
            format!("permission {number}: arguments: {pattern:?} matches no call; use '*…*', as arguments are JSON")
        })
        .collect();
    // The session executes these tools itself, and a question to people needs no approval.
    let whole = |rule: &CallRule| rule.arguments.is_none() && rule.permission != Permission::Ask;
    let own = |rule: &CallRule| KERNEL_TOOLS.iter().any(|tool| *tool.name == *rule.tool);
    let odd = numbered().filter(|(rule, _)| own(rule) && !whole(rule));
    wrong.extend(odd.map(|(CallRule { tool, .. }, number)| {
        format!("permission {number}: {tool} can only be allowed or denied, without arguments; change the rule")
    }));
    wrong
}

/// Returns whether the pattern can match arguments, which are a JSON object as text. A rule that matches nothing would
/// silently forbid nothing.
fn can_match(pattern: &str) -> bool {
    pattern.starts_with(['*', '{']) && pattern.ends_with(['*', '}'])
}
