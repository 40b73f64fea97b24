//! The server's own words around a history, in the language of the session.

use crate::kernel::Language;

/// The words of one language.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wording {
    language: Language,
    /// Stands above a history.
    pub(super) history: &'static str,
    /// What people are called.
    pub(super) user: &'static str,
}

impl Wording {
    pub(super) fn of(language: Language) -> Self {
        match language {
            Language::Zh => Self { language, history: "对话历史：", user: "用户" },
            Language::En => Self { language, history: "Conversation so far:", user: "User" },
        }
    }

    /// A person's name in a history, where several people speak.
    pub(super) fn person(&self, name: &str) -> String {
        match self.language {
            Language::Zh => format!("用户（{name}）"),
            Language::En => format!("User ({name})"),
        }
    }

    pub(super) fn omitted(&self, count: usize) -> String {
        match self.language {
            Language::Zh => format!("（更早的 {count} 条消息已省略）"),
            Language::En => format!("({count} earlier messages are left out)"),
        }
    }

    pub(super) fn interrupted(&self, text: &str) -> String {
        match self.language {
            Language::Zh => format!("{text}\n（此处被打断，内容不完整）"),
            Language::En => format!("{text}\n(interrupted here; incomplete)"),
        }
    }

    /// Feedback on what was written; `to` are the names that it was addressed to.
    pub(super) fn feedback(&self, by: Option<&str>, to: &[String], text: &str) -> String {
        let to: String = to.iter().map(|name| format!("@{name} ")).collect();
        let to = to.trim_end();
        match (self.language, to) {
            (Language::Zh, "") => format!("{}反馈: {text}", self.who(by)),
            (Language::Zh, to) => format!("{}反馈（{to}）: {text}", self.who(by)),
            (Language::En, "") => format!("{} feedback: {text}", self.who(by)),
            (Language::En, to) => format!("{} feedback ({to}): {text}", self.who(by)),
        }
    }

    pub(super) fn who(&self, by: Option<&str>) -> String {
        by.map_or_else(|| self.user.to_owned(), |name| self.person(name))
    }

    /// People have approved; `role` is who writes the final answer now, `from` whose views it joins.
    pub(super) fn approved(&self, built_in: Option<&str>) -> String {
        match (self.language, built_in) {
            (_, Some(words)) => words.to_owned(),
            (Language::Zh, None) => "用户已同意以上方案。请结合以上各方的意见，给出最终答案。".to_owned(),
            (Language::En, None) => {
                "The user has approved the above. Take every view above into account and give the final answer."
                    .to_owned()
            }
        }
    }

    /// Whose turn it is, where the last words are another agent's.
    pub(super) fn your_turn(&self, agent: &str) -> String {
        match self.language {
            Language::Zh => format!("现在轮到 {agent}，请完成你的工作。"),
            Language::En => format!("It is your turn now, {agent}: do your part."),
        }
    }
}
