//! Rules about tool calls, and their patterns.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Permission, Risk};
use crate::Agent;

/// A rule that allows, denies or asks about some calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CallRule {
    /// Pattern of tool names, where `*` matches any text. Example: `mcp_github_*`.
    pub tool: Arc<str>,
    /// Pattern of the arguments as compact JSON with sorted fields, where `*` matches any text. Absent: any arguments.
    /// Example: `*"branch":"main"*`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Arc<str>>,
    /// Permission for calls that match.
    pub permission: Permission,
    /// Risk of calls that match, in place of the tool's risk. Absent: the tool's risk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub risk: Option<Risk>,
}

impl Agent {
    /// Returns whether the agent may call a tool of this name with at least some arguments.
    pub fn may_call(&self, name: &str) -> bool {
        let named = self.tools.iter().any(|pattern| matches(pattern, name));
        named && of_name(&self.permissions, name) != Some(Permission::Deny)
    }
}

/// Returns the permission of the first matching rule; `None` if no rule matches.
pub fn permission(rules: &[CallRule], tool: &str, arguments: &Value) -> Option<Permission> {
    first_match(rules, tool, arguments).map(|rule| rule.permission)
}

/// Returns the first rule that matches a call of the tool with these arguments.
pub fn first_match<'a>(rules: &'a [CallRule], tool: &str, arguments: &Value) -> Option<&'a CallRule> {
    if rules.is_empty() {
        return None;
    }
    // Normalized, so that rules do not depend on the spacing or field order of a model's JSON.
    let mut arguments = arguments.clone();
    arguments.sort_all_objects();
    let arguments = arguments.to_string();
    let fits = |rule: &&CallRule| {
        matches(&rule.tool, tool) && rule.arguments.as_ref().is_none_or(|pattern| matches(pattern, &arguments))
    };
    rules.iter().find(fits)
}

/// Returns the permission that applies to every call of the tool, regardless of its arguments. Returns `None` if no
/// rule matches the tool, or if the first one that does depends on the arguments.
fn of_name(rules: &[CallRule], name: &str) -> Option<Permission> {
    let first = rules.iter().find(|rule| matches(&rule.tool, name))?;
    first.arguments.is_none().then_some(first.permission)
}

/// Returns whether the text matches the pattern, in which `*` matches any text, including none.
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
    use super::*;

    #[test]
    fn a_rule_reads_arguments_however_they_are_written() {
        let rules = [CallRule {
            tool: "git_*".into(),
            arguments: Some("*\"branch\":\"main\",\"force\":true*".into()),
            permission: Permission::Deny,
            risk: None,
        }];
        let permission_of = |arguments: &str| {
            let arguments = serde_json::from_str(arguments).expect("valid JSON");
            permission(&rules, "git_push", &arguments)
        };
        assert_eq!(permission_of(r#"{ "force" : true, "branch": "m\u0061in" }"#), Some(Permission::Deny));
        assert_eq!(permission_of(r#"{"at":[{"force":true,"branch":"main"}]}"#), Some(Permission::Deny));
        assert_eq!(permission_of(r#"{"branch":"main","force":false}"#), None);
        assert_eq!(permission_of(r#"{"say":"\"branch\":\"main\",\"force\":true"}"#), None);
    }

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
}
