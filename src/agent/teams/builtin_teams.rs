//! Teams that ship with the server.

use std::sync::{Arc, LazyLock};

use crate::kernel::{AgentId, Language, Skeleton, Team};

/// Team files, in the order that lists show them. The first file in a language is that language's default.
const TEXTS: [&str; 18] = [
    include_str!("testcase-zh.toml"),
    include_str!("testcase-en.toml"),
    include_str!("assistant-zh.toml"),
    include_str!("assistant-en.toml"),
    include_str!("solver-zh.toml"),
    include_str!("solver-en.toml"),
    include_str!("router-zh.toml"),
    include_str!("router-en.toml"),
    include_str!("comprehensive-zh.toml"),
    include_str!("comprehensive-en.toml"),
    include_str!("workflow-zh.toml"),
    include_str!("workflow-en.toml"),
    include_str!("brain-zh.toml"),
    include_str!("brain-en.toml"),
    include_str!("investigator-zh.toml"),
    include_str!("investigator-en.toml"),
    include_str!("incident-zh.toml"),
    include_str!("incident-en.toml"),
];

static TEAMS: LazyLock<Vec<Arc<Team>>> = LazyLock::new(|| {
    // A test parses every file. A file that does not parse is left out, because a panic here would take down the
    // server.
    TEXTS.into_iter().filter_map(|text| toml::from_str(text).ok()).map(Arc::new).collect()
});

/// Returns all built-in teams.
pub fn all() -> &'static [Arc<Team>] {
    &TEAMS
}

/// Returns the built-in team with this name, such as `testcase-zh` or `assistant-en`.
pub fn get(name: &str) -> Option<Arc<Team>> {
    TEAMS.iter().find(|team| &*team.name == name).cloned()
}

/// Returns the built-in team with this name, or with a name that people could mistake for it.
pub(crate) fn similar_to(name: &str) -> Option<&'static Arc<Team>> {
    let skeleton = Skeleton::of(name);
    TEAMS.iter().find(|team| skeleton.matches(&team.name))
}

/// Returns the TOML file of the built-in team with this name.
pub fn text(name: &str) -> Option<&'static str> {
    TEXTS.into_iter().zip(all()).find(|(_, team)| *team.name == *name).map(|(text, _)| text)
}

/// Returns the prompt for the test-case team's optimizer after an approval. The team's specification prescribes this
/// text.
pub(crate) fn approval_prompt(agent: &AgentId, language: Language) -> Option<&'static str> {
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
    use crate::kernel::flow::{self, FLOWS};

    #[test]
    fn every_flow_has_a_team_that_it_can_work_with_in_both_languages() {
        assert_eq!(all().len(), TEXTS.len(), "every text reads");
        for team in all() {
            let flow = flow::flow_named(&team.flow).expect("a flow");
            assert_eq!(flow.check(team), Ok(()), "{}", team.name);
            let language = if team.name.ends_with("-zh") { Language::Zh } else { Language::En };
            assert_eq!(team.language, language, "{}", team.name);
            for agent in &team.agents {
                assert!(!agent.title.is_empty() && agent.prompt.contains(agent.id.as_str()), "{}", agent.id);
            }
        }
        for (name, _) in FLOWS {
            let languages: Vec<_> =
                all().iter().filter(|team| *team.flow == **name).map(|team| team.language).collect();
            assert_eq!(languages, [Language::Zh, Language::En], "{name}");
        }
    }

    #[test]
    fn a_team_says_the_same_in_both_languages() {
        for team in all().iter().filter(|team| team.language == Language::Zh) {
            let english = get(&team.name.replace("-zh", "-en")).expect("a twin");
            let parts = |team: &Team| -> Vec<_> {
                let parts = team.agents.iter().map(|agent| (agent.id.clone(), agent.role, agent.tools.clone()));
                parts.collect()
            };
            assert_eq!(parts(team), parts(&english), "{}", team.name);
            assert_eq!(team.steps.len(), english.steps.len(), "{}", team.name);
        }
    }

    #[test]
    fn the_test_case_teams_are_whole() {
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
        }
        assert!(get("other").is_none());
    }

    #[test]
    fn titles_are_the_documents() {
        let titles: Vec<_> = get("testcase-zh").expect("there").agents.iter().map(|a| a.title.to_string()).collect();
        assert_eq!(titles, ["🎯 测试用例生成专家", "🔍 测试用例评审专家", "⚡ 测试用例优化专家"]);
    }
}
