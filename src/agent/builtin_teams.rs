//! The teams that ship with the server.

use std::sync::{Arc, LazyLock};

use crate::kernel::{AgentId, Language, Team};

static TEAMS: LazyLock<Vec<Arc<Team>>> = LazyLock::new(|| {
    let texts = [include_str!("teams/testcase-zh.toml"), include_str!("teams/testcase-en.toml")];
    // A test reads every one of them; a text that did not would be left out rather than take the server down.
    texts.into_iter().filter_map(|text| toml::from_str(text).ok()).map(Arc::new).collect()
});

/// Every built-in team.
pub fn all() -> &'static [Arc<Team>] {
    &TEAMS
}

/// The built-in team with this name: `testcase-zh`, `testcase-en`.
pub fn get(name: &str) -> Option<Arc<Team>> {
    TEAMS.iter().find(|team| &*team.name == name).cloned()
}

/// The test-case team for a language.
pub fn in_language(language: Language) -> Option<Arc<Team>> {
    TEAMS.iter().find(|team| team.language == language).cloned()
}

/// What the test-case team's optimizer is told after an approval: the words that its own document prescribes.
pub(super) fn approval_words(agent: &AgentId, language: Language) -> Option<&'static str> {
    (agent.as_str() == "TestCase_Optimizer").then_some(match language {
        Language::Zh => "用户已同意以上方案。请作为测试用例优化器，结合生成器和评审员的意见，给出最终优化的测试用例。",
        Language::En => {
            "The user has approved the above. As the test case optimizer, take the author's and the reviewer's views \
             into account and give the final, optimized test cases."
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::AgentRole::{Generator, Optimizer, Reviewer};

    #[test]
    fn both_teams_are_whole() {
        assert_eq!(all().len(), 2);
        for (name, language) in [("testcase-zh", Language::Zh), ("testcase-en", Language::En)] {
            let team = get(name).expect("a built-in team");
            assert_eq!((&*team.flow, team.language), ("review", language));
            let roles: Vec<_> = team.agents.iter().map(|agent| agent.role).collect();
            assert_eq!(roles, [Generator, Reviewer, Optimizer]);
            let ids: Vec<_> = team.agents.iter().map(|agent| agent.id.as_str()).collect();
            assert_eq!(ids, ["TestCase_Generator", "TestCase_Reviewer", "TestCase_Optimizer"]);
            assert!(
                team.agents.iter().all(|agent| agent.prompt.contains(agent.id.as_str()) && !agent.title.is_empty())
            );
            assert_eq!(in_language(language).as_deref(), Some(&*team));
        }
        assert!(get("other").is_none());
    }

    #[test]
    fn titles_are_the_documents() {
        let titles: Vec<_> = get("testcase-zh").expect("there").agents.iter().map(|a| a.title.to_string()).collect();
        assert_eq!(titles, ["🎯 测试用例生成专家", "🔍 测试用例评审专家", "⚡ 测试用例优化专家"]);
    }
}
