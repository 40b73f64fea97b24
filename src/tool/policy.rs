//! Permission and risk of a call: those of the agent's first matching rule, or defaults for the tool's effect.

use serde_json::Value;

use super::{SideEffect, ToolSpec};
use crate::kernel::call::{Permission, Risk};
use crate::kernel::call_rule::{self, CallRule};
use crate::kernel::{Settings, View};

/// Returns the permission of the first matching rule. If no rule matches, a call that changes nothing outside the
/// session is allowed, unless it could send private data of the session elsewhere; people are asked about any other
/// call.
pub fn permission(rules: &[CallRule], spec: &ToolSpec, arguments: &Value, holds_private: bool) -> Permission {
    match (call_rule::permission(rules, &spec.name, arguments), spec.effect) {
        (Some(permission), _) => permission,
        (None, SideEffect::None | SideEffect::Session) => Permission::Allow,
        (None, SideEffect::Outbound) if !holds_private => Permission::Allow,
        (None, SideEffect::Outbound | SideEffect::World) => Permission::Ask,
    }
}

/// Returns the risk of a call: that of the first matching rule. If no rule matches or the rule has no risk, returns the
/// risk of the tool's effect.
pub fn risk(rules: &[CallRule], spec: &ToolSpec, arguments: &Value) -> Risk {
    let rule = call_rule::first_match(rules, &spec.name, arguments);
    rule.and_then(|rule| rule.risk).unwrap_or(match spec.effect {
        SideEffect::None | SideEffect::Session => Risk::Low,
        SideEffect::Outbound => Risk::Medium,
        SideEffect::World if spec.can_undo => Risk::Medium,
        SideEffect::World => Risk::High,
    })
}

/// Returns whether a call changes nothing and sends no private data of the session elsewhere.
pub fn reads_only(spec: &ToolSpec, holds_private: bool) -> bool {
    match spec.effect {
        SideEffect::None => true,
        SideEffect::Outbound => !holds_private,
        SideEffect::Session | SideEffect::World => false,
    }
}

/// Returns whether the session has private data that its agents can read: files, knowledge bases or code bases.
pub fn holds_private(view: &View) -> bool {
    let Settings { code, knowledge, .. } = &view.settings;
    !view.files.is_empty() || !code.is_empty() || !knowledge.is_empty()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_first_rule_that_fits_counts_and_the_world_is_asked_about() {
        let rule = |tool: &str, arguments: Option<&str>, permission| CallRule {
            tool: tool.into(),
            arguments: arguments.map(Into::into),
            permission,
            risk: None,
        };
        let spec = |effect| ToolSpec { effect, ..ToolSpec::reading("git_push", "", json!({})) };
        let main = json!({ "force": true, "branch": "main" });
        let rules =
            [rule("git_*", Some("*\"branch\":\"main\"*"), Permission::Deny), rule("git_push", None, Permission::Allow)];
        assert_eq!(permission(&rules, &spec(SideEffect::World), &main, false), Permission::Deny);
        let both = rule("git_push", Some("*\"branch\":\"main\"*\"force\":true*"), Permission::Deny);
        assert_eq!(permission(&[both], &spec(SideEffect::World), &main, false), Permission::Deny, "in any order");
        assert_eq!(permission(&rules, &spec(SideEffect::World), &json!({ "branch": "x" }), false), Permission::Allow);
        assert_eq!(permission(&[], &spec(SideEffect::World), &main, false), Permission::Ask);
        assert_eq!(permission(&[], &spec(SideEffect::Outbound), &main, false), Permission::Allow);
        assert_eq!(permission(&[], &spec(SideEffect::Outbound), &main, true), Permission::Ask);
        let allowed = rule("git_push", None, Permission::Allow);
        assert_eq!(permission(&[allowed], &spec(SideEffect::Outbound), &main, true), Permission::Allow);
        assert_eq!(permission(&[], &spec(SideEffect::Session), &main, false), Permission::Allow);
    }

    #[test]
    fn a_rule_says_the_risk_of_a_call_and_otherwise_the_tool_does() {
        let spec = |effect, can_undo| ToolSpec { effect, can_undo, ..ToolSpec::reading("t", "", json!({})) };
        for (effect, can_undo, expected) in [
            (SideEffect::None, false, Risk::Low),
            (SideEffect::Session, false, Risk::Low),
            (SideEffect::Outbound, false, Risk::Medium),
            (SideEffect::World, true, Risk::Medium),
            (SideEffect::World, false, Risk::High),
        ] {
            assert_eq!(risk(&[], &spec(effect, can_undo), &json!({})), expected, "{effect:?}");
        }
        let rule = |risk| CallRule { tool: "t".into(), arguments: None, permission: Permission::Ask, risk };
        let world = spec(SideEffect::World, false);
        assert_eq!(risk(&[rule(Some(Risk::Low))], &world, &json!({})), Risk::Low);
        assert_eq!(risk(&[rule(None)], &world, &json!({})), Risk::High);
    }
}
