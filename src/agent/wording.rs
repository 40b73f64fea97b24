//! The server's own words around a history, in the language of the session.

use std::sync::Arc;

use crate::kernel::{File, Language, View};

/// Files that a prompt lists.
const FILES: usize = 50;

/// The words of one language.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wording {
    language: Language,
    /// Stands above a history.
    pub(super) history: &'static str,
    /// What people are called.
    pub(super) user: &'static str,
    /// Stands above a plan.
    pub(super) plan_is: &'static str,
    /// Stands before the number of a step and its result.
    pub(super) result_of_step: &'static str,
    /// The task of choosing a flow.
    route: &'static str,
    /// What may be chosen, each with its words.
    ways: [(&'static str, &'static str); 4],
    /// The task of keeping a plan with the tool for it.
    pub(super) plan_with_tool: &'static str,
    /// The task of planning an investigation.
    pub(super) plan_investigation: &'static str,
    /// The task of deciding after a step.
    pub(super) judge: &'static str,
    /// The same in an investigation.
    pub(super) judge_investigation: &'static str,
    /// The task of the final answer.
    pub(super) summarize: &'static str,
}

const ZH: Wording = Wording {
    language: Language::Zh,
    history: "对话历史：",
    user: "用户",
    plan_is: "当前计划：",
    result_of_step: "步骤结果 ",
    route: "请判断用下面哪种方式完成这个任务最合适：",
    ways: [
        ("react", "单个智能体边思考边调用工具，适合简单任务"),
        ("plan_solve", "先规划，再并行执行，最后总结，适合复杂任务"),
        ("comprehensive", "使用全部工具并总结"),
        ("workflow", "固定步骤"),
    ],
    plan_with_tool: "请用 plan 工具维护计划：没有计划时创建；已有计划时根据最新的步骤结果标记步骤、更新计划，全部完成时 finish。\
                     可以并行的子任务写在同一步中，用 <sep> 分隔。",
    plan_investigation: "请制定调查计划，每一步是一次工具调用（tool_name、tool_params）；缺少只有用户知道的信息时，用 request_input 提问。",
    judge: "请分析刚完成的步骤，并决定下一步。",
    judge_investigation: "请分析刚完成的步骤，并决定下一步：continue 按计划继续（next_steps 会追加到计划末尾，可以为空）；request_input \
                          立即向用户提问；adjust_plan 重新制定剩余的计划；synthesize 得出结论。",
    summarize: "请根据以上全部结果，给出最终答案。",
};

const EN: Wording = Wording {
    language: Language::En,
    history: "Conversation so far:",
    user: "User",
    plan_is: "The plan: ",
    result_of_step: "Result of step ",
    route: "Choose how this task is done best.",
    ways: [
        ("react", "one agent thinks and calls tools in turn, for simple tasks"),
        ("plan_solve", "plan first, then do the parts side by side, then sum up, for complex ones"),
        ("comprehensive", "all tools, then a summary"),
        ("workflow", "fixed steps"),
    ],
    plan_with_tool: "Keep the plan with the tool plan: create it where there is none; else mark steps and update it by the \
                     newest results, and finish it when all is done. Parts of one step that can be done side by side are \
                     separated by <sep>.",
    plan_investigation: "Plan the investigation: each step is one call of a tool (tool_name, tool_params). Where something \
                         is missing that only people know, ask with request_input.",
    judge: "Look at what the last step has brought, and decide what comes next.",
    judge_investigation: "Look at what the last step has brought, and decide what comes next: continue goes on with the \
                          plan (next_steps, if any, are added at its end); request_input asks people at once; adjust_plan \
                          makes another plan of what is left; synthesize concludes.",
    summarize: "Write the final answer, from everything that was found above.",
};

impl Wording {
    pub(super) fn of(language: Language) -> Self {
        match language {
            Language::Zh => ZH,
            Language::En => EN,
        }
    }

    /// A person's name in a history, where several people speak.
    pub(super) fn person(&self, name: &str) -> String {
        match self.language {
            Language::Zh => format!("用户（{name}）"),
            Language::En => format!("User ({name})"),
        }
    }

    /// A file, as a line says it.
    pub(super) fn file(&self, file: &File) -> String {
        let (name, version, bytes, kind) = (&file.name, file.version, file.bytes, &file.media_type);
        match self.language {
            Language::Zh => format!("文件 {name}（第 {version} 版，{bytes} 字节，{kind}）"),
            Language::En => format!("File {name} (version {version}, {bytes} bytes, {kind})"),
        }
    }

    /// The newest files of a session, a line each.
    pub(super) fn files(&self, view: &View) -> String {
        let files: Vec<_> = view.current_files().map(|file| format!("- {}", self.file(file))).collect();
        match (self.language, files.is_empty()) {
            (Language::Zh, true) => "无".into(),
            (Language::En, true) => "none".into(),
            _ => format!("\n{}", files[files.len().saturating_sub(FILES)..].join("\n")),
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

    /// The task of choosing one of these flows.
    pub(super) fn route(&self, choices: &[Arc<str>]) -> String {
        let way = |name: &Arc<str>| match self.ways.iter().find(|(known, _)| *known == &**name) {
            Some((name, words)) => format!("\n- {name}: {words}"),
            None => format!("\n- {name}"),
        };
        format!("{}{}", self.route, choices.iter().map(way).collect::<String>())
    }

    /// The task of making a plan for these agents.
    pub(super) fn plan(&self, agents: &[String]) -> String {
        let agents = agents.join("\n");
        match self.language {
            Language::Zh => format!(
                "请分析需求并制定执行计划：每一步由哪个智能体做什么、为什么，并给出预计时间和风险。可用的智能体：\n{agents}"
            ),
            Language::En => format!(
                "Make a plan for what is asked above: which agent does what in each step, and why; how long it takes, and \
                 what may go wrong. The agents:\n{agents}"
            ),
        }
    }

    /// The task of doing a step.
    pub(super) fn execute(&self, number: u32, action: &str, reason: &str, told: &str) -> String {
        let beside = |zh: &str, en: &str, text: &str| match (text.is_empty(), self.language) {
            (true, _) => String::new(),
            (_, Language::Zh) => format!("\n{zh}：{text}"),
            (_, Language::En) => format!("\n{en}: {text}"),
        };
        let (why, told) = (beside("原因", "Why", reason), beside("说明", "Instruction", told));
        match self.language {
            Language::Zh => format!("请完成步骤 {number}：{action}{why}{told}"),
            Language::En => format!("Do step {number}: {action}{why}{told}"),
        }
    }

    /// The shape of an answer.
    pub(super) fn shape(&self, schema: &str) -> String {
        match self.language {
            Language::Zh => format!("只输出一个符合以下 JSON Schema 的 JSON 对象，不要输出其他内容：\n{schema}"),
            Language::En => format!("Answer with one JSON object by this JSON Schema, and nothing else:\n{schema}"),
        }
    }

    /// What was wrong with an answer.
    pub(super) fn rejected(&self, text: &str, reason: &str) -> String {
        match self.language {
            Language::Zh => format!("你上一次的回答：\n{text}\n无法使用：{reason}。请重新回答。"),
            Language::En => format!("Your last answer was:\n{text}\nIt cannot be used: {reason}. Answer again."),
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
