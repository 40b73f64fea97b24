//! Rules about calls of tools, and the patterns that they are written in.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Agent;
use super::call::Permission;

/// What some calls may do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CallRule {
    /// The tools that it is about: `mcp_github_*`.
    pub tool: Arc<str>,
    /// Arguments that it is about, as JSON text, where `*` stands for anything: `*"branch":"main"*`; absent: any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Arc<str>>,
    /// What may be done with them.
    pub permission: Permission,
}

impl Agent {
    /// Whether it may call a tool of this name at all, with some arguments.
    pub fn may_call(&self, name: &str) -> bool {
        let named = self.tools.iter().any(|pattern| matches(pattern, name));
        named && of_name(&self.permissions, name) != Some(Permission::Deny)
    }
}

/// What the first rule says that fits a call of the tool with these arguments; nothing, where none does.
pub fn permission(rules: &[CallRule], tool: &str, arguments: &Value) -> Option<Permission> {
    first(rules, tool, arguments).map(|rule| rule.permission)
}

/// The first rule that fits a call of the tool with these arguments.
pub fn first<'a>(rules: &'a [CallRule], tool: &str, arguments: &Value) -> Option<&'a CallRule> {
    if rules.is_empty() {
        return None;
    }
    // Written anew, so that a rule need not know how a model spaces its JSON, nor in which order it writes the fields.
    let mut arguments = arguments.clone();
    arguments.sort_all_objects();
    let arguments = arguments.to_string();
    let fits = |rule: &&CallRule| {
        matches(&rule.tool, tool) && rule.arguments.as_ref().is_none_or(|pattern| matches(pattern, &arguments))
    };
    rules.iter().find(fits)
}

/// What holds for every call of the tool, whatever its arguments.
fn of_name(rules: &[CallRule], name: &str) -> Option<Permission> {
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
    use super::*;

    #[test]
    fn a_rule_reads_arguments_however_they_are_written() {
        let rules = [CallRule {
            tool: "git_*".into(),
            arguments: Some("*\"branch\":\"main\",\"force\":true*".into()),
            permission: Permission::Deny,
        }];
        let said = |arguments: &str| {
            let arguments = serde_json::from_str(arguments).expect("is JSON");
            permission(&rules, "git_push", &arguments)
        };
        assert_eq!(said(r#"{ "force" : true, "branch": "m\u0061in" }"#), Some(Permission::Deny));
        assert_eq!(said(r#"{"at":[{"force":true,"branch":"main"}]}"#), Some(Permission::Deny));
        assert_eq!(said(r#"{"branch":"main","force":false}"#), None);
        assert_eq!(said(r#"{"say":"\"branch\":\"main\",\"force\":true"}"#), None);
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
