//! Rules for data that a call touches without naming it.
//!
//! A rule that asks before `code_read` of a path would be worthless if a search of the parent folder showed the same
//! lines. A call therefore shows only the paths and files that the agent could have read without asking people. The
//! result says how many are left out. If people were asked about the call itself, they have allowed what it touches.

use std::sync::Arc;

use serde_json::{Value, json};

use super::Permission;
use super::rule::{self as call_rule, CallRule};

/// Rules of the agent that makes the call, and whether people were asked about this call.
#[derive(Debug, Clone, Default)]
pub struct CallGuard {
    rules: Arc<[CallRule]>,
    tool: Arc<str>,
    asks_people: bool,
}

impl CallGuard {
    /// Returns the guard of a call that is being made. If a rule asks about the call, people have allowed it.
    pub fn of(rules: &[CallRule], tool: &str, arguments: &Value) -> Self {
        let asks_people = call_rule::permission(rules, tool, arguments) == Some(Permission::Ask);
        Self { rules: rules.into(), tool: tool.into(), asks_people }
    }

    /// Returns the guard for text that an agent gets without a call, about which nobody was asked.
    pub fn unasked(rules: &[CallRule]) -> Self {
        Self { rules: rules.into(), ..Self::default() }
    }

    /// Returns whether the content of a code file must stay out of the result.
    pub fn blocks_code_content(&self, path: &str) -> bool {
        if self.rules.is_empty() {
            return false;
        }
        // A rule about a search of a folder applies to every search that passes through this folder.
        let folders = path.match_indices('/').map(|(end, _)| &path[..end]).filter(|_| *self.tool != *"code_read");
        self.bars("code_read", &json!({ "path": path }))
            || folders.chain([path]).any(|path| self.bars(&self.tool, &json!({ "path": path })))
    }

    /// Returns whether a path must stay out of a listing. A rule for all paths hides no path.
    pub fn hides_code_path(&self, path: &str) -> bool {
        let arguments = json!({ "path": path });
        self.hides("code_read", &arguments) || self.hides(&self.tool, &arguments)
    }

    /// Returns whether the name of a session file must stay out of a list. A rule for all files hides no name.
    pub fn hides_file_name(&self, name: &str) -> bool {
        self.hides("file_read", &json!({ "name": name })) || self.hides("document_search", &json!({ "in": name }))
    }

    /// Returns whether the content of a session file must stay out of the result.
    pub fn blocks_file_content(&self, name: &str) -> bool {
        self.bars("file_read", &json!({ "name": name })) || self.bars("document_search", &json!({ "in": name }))
    }

    /// Returns whether the content of a knowledge base must stay out of the result.
    pub fn blocks_base_content(&self, base: &str) -> bool {
        self.bars("document_search", &json!({ "in": base }))
    }

    fn hides(&self, tool: &str, arguments: &Value) -> bool {
        call_rule::first_match(&self.rules, tool, arguments)
            .is_some_and(|rule| rule.arguments.is_some() && self.closes(rule))
    }

    fn bars(&self, tool: &str, arguments: &Value) -> bool {
        call_rule::first_match(&self.rules, tool, arguments).is_some_and(|rule| self.closes(rule))
    }

    fn closes(&self, rule: &CallRule) -> bool {
        match rule.permission {
            Permission::Allow => false,
            Permission::Ask => !self.asks_people,
            Permission::Deny => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(tool: &str, arguments: Option<&str>, permission: Permission) -> CallRule {
        CallRule { tool: tool.into(), arguments: arguments.map(Into::into), permission, risk: None }
    }

    #[test]
    fn a_search_shows_what_could_be_read_without_a_question() {
        let rules = [
            rule("code_read", Some("*\"path\":\"app/keys/public*"), Permission::Allow),
            rule("code_read", Some("*\"path\":\"app/keys/*"), Permission::Ask),
            rule("code_*", Some("*\"path\":\"app/old/*"), Permission::Deny),
        ];
        let search = CallGuard::of(&rules, "code_search", &json!({ "pattern": "x" }));
        for (path, barred) in
            [("app/main.rs", false), ("app/keys/public.pem", false), ("app/keys/own.pem", true), ("app/old/a", true)]
        {
            assert_eq!((search.blocks_code_content(path), search.hides_code_path(path)), (barred, barred), "{path}");
        }
        // People were asked about this search, so it shows paths with permission `ask`, but none with `deny`.
        let rules =
            [rule("code_search", Some("*\"path\":\"app\"*"), Permission::Ask), rules[1].clone(), rules[2].clone()];
        let guard = CallGuard::of(&rules, "code_search", &json!({ "pattern": "x", "path": "app" }));
        assert!(!guard.blocks_code_content("app/keys/own.pem") && guard.blocks_code_content("app/old/a"));
    }

    #[test]
    fn a_rule_over_all_reading_binds_a_search_and_hides_no_name() {
        let rules = [rule("code_read", None, Permission::Ask), rule("file_read", None, Permission::Ask)];
        let list = CallGuard::of(&rules, "code_list", &json!({}));
        assert!(!list.hides_code_path("app/main.rs"));
        let search = CallGuard::of(&rules, "code_search", &json!({ "pattern": "x" }));
        assert!(
            search.blocks_code_content("app/main.rs")
                && search.blocks_file_content("a.csv")
                && !search.blocks_base_content("1")
        );
        assert!(!CallGuard::unasked(&rules).hides_file_name("a.csv"));
    }

    #[test]
    fn a_file_that_a_rule_names_is_in_no_list() {
        let rules = [
            rule("file_read", Some("*\"name\":\"salaries*"), Permission::Ask),
            rule("document_search", Some("*\"in\":\"old.md\"*"), Permission::Deny),
            rule("file_list", None, Permission::Ask),
        ];
        let hidden = |guard: &CallGuard| ["salaries.csv", "old.md", "notes.md"].map(|name| guard.hides_file_name(name));
        assert_eq!(hidden(&CallGuard::unasked(&rules)), [true, true, false]);
        // People were asked about the list.
        assert_eq!(hidden(&CallGuard::of(&rules, "file_list", &json!({}))), [false, true, false]);
    }

    #[test]
    fn bases_and_files_are_bound_by_what_names_them() {
        let rules = [rule("document_search", Some("*\"in\":\"7\"*"), Permission::Ask)];
        let search = CallGuard::of(&rules, "document_search", &json!({ "query": "x" }));
        assert!(search.blocks_base_content("7") && !search.blocks_base_content("1") && search.blocks_file_content("7"));
        let named = CallGuard::of(&rules, "document_search", &json!({ "query": "x", "in": "7" }));
        assert!(!named.blocks_base_content("7"));
    }
}
