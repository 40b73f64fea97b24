//! What a call may do without being asked about.

use serde_json::Value;

use super::{SideEffect, Spec};
use crate::kernel::CallRule;
use crate::kernel::call::Permission;

/// What the first rule that fits says; without one, what changes nothing outside the session is allowed.
pub fn permission(rules: &[CallRule], spec: &Spec, arguments: &Value) -> Permission {
    // Written anew, so that a rule need not know how a model spaces its JSON, nor in which order it writes the fields.
    let arguments = arguments.to_string();
    let fits = |rule: &&CallRule| {
        matches(&rule.tool, &spec.name) && rule.arguments.as_ref().is_none_or(|pattern| matches(pattern, &arguments))
    };
    match (rules.iter().find(fits), spec.effect) {
        (Some(rule), _) => rule.permission,
        (None, SideEffect::None | SideEffect::Session) => Permission::Allow,
        (None, SideEffect::World) => Permission::Ask,
    }
}

/// What holds for every call of the tool, whatever its arguments.
pub(super) fn of_name(rules: &[CallRule], name: &str) -> Option<Permission> {
    let first = rules.iter().find(|rule| matches(&rule.tool, name))?;
    first.arguments.is_none().then_some(first.permission)
}

/// Whether a text is as the pattern has it, in which `*` stands for anything, also nothing.
pub fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let mut last = None;
    for part in parts {
        if let Some(middle) = last.replace(part) {
            match str::find(rest, middle) {
                Some(at) => rest = &rest[at + middle.len()..],
                None => return false,
            }
        }
    }
    match last {
        Some(end) => rest.ends_with(end),
        None => rest.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_star_stands_for_anything() {
        for (pattern, text) in
            [("*", ""), ("*", "x"), ("code_*", "code_read"), ("a*b*c", "aXbYbc"), ("a", "a"), ("*a*", "bab")]
        {
            assert!(matches(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [("", "x"), ("a", "ab"), ("code_*", "mcode_"), ("a*b*c", "acb"), ("ab*b", "ab")] {
            assert!(!matches(pattern, text), "{pattern} {text}");
        }
    }

    #[test]
    fn the_first_rule_that_fits_counts_and_the_world_is_asked_about() {
        let rule = |tool: &str, arguments: Option<&str>, permission| CallRule {
            tool: tool.into(),
            arguments: arguments.map(Into::into),
            permission,
        };
        let spec = |effect| Spec { effect, ..Spec::reading("git_push", "", json!({})) };
        let main = json!({ "force": true, "branch": "main" });
        let rules =
            [rule("git_*", Some("*\"branch\":\"main\"*"), Permission::Deny), rule("git_push", None, Permission::Allow)];
        assert_eq!(permission(&rules, &spec(SideEffect::World), &main), Permission::Deny);
        assert_eq!(permission(&rules, &spec(SideEffect::World), &json!({ "branch": "x" })), Permission::Allow);
        assert_eq!(permission(&[], &spec(SideEffect::World), &main), Permission::Ask);
        assert_eq!(permission(&[], &spec(SideEffect::Session), &main), Permission::Allow);
    }
}
