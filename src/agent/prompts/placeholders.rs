//! Placeholders of a system prompt: `{{date}}`, `{{files}}` (or `{{fileNameDesc}}`), `{{history_dialogue}}`,
//! `{{query}}` and `{{taskHistory}}`. The templates of a topology, with variables such as `{task}`, are in
//! `kernel::team::template`.

/// Values of the placeholders in one turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Placeholders<'a> {
    /// Current date, such as `2026-11-22`.
    pub(super) date: &'a str,
    /// Reference to the list of files in the conversation. People choose file names, so the system prompt must not
    /// contain them.
    pub(super) files: &'a str,
    /// Reference to the history in the conversation.
    pub(super) history: &'a str,
    /// Reference to the run's request in the conversation.
    pub(super) query: &'a str,
    /// Reference to the results of earlier tasks in the conversation.
    pub(super) results: &'a str,
}

impl<'a> Placeholders<'a> {
    fn value(&self, name: &str) -> Option<&'a str> {
        match name {
            "date" => Some(self.date),
            "files" | "fileNameDesc" => Some(self.files),
            "history_dialogue" => Some(self.history),
            "query" => Some(self.query),
            "taskHistory" => Some(self.results),
            _ => None,
        }
    }
}

/// Returns whether the prompt refers to the session's files.
pub(super) fn uses_files(prompt: &str) -> bool {
    prompt.contains("{{files}}") || prompt.contains("{{fileNameDesc}}")
}

/// Fills in the placeholders of the prompt. Unknown placeholders stay, because a prompt can be about templates. Values
/// are not expanded again, so that a value cannot insert another value.
pub(super) fn fill(prompt: &str, placeholders: &Placeholders) -> String {
    let mut filled = String::with_capacity(prompt.len());
    let mut rest = prompt;
    while let Some(at) = rest.find("{{") {
        let (before, from) = rest.split_at(at);
        filled.push_str(before);
        let named = from[2..].find("}}").map(|end| (&from[2..2 + end], &from[end + 4..]));
        let known = named.and_then(|(name, after)| Some((placeholders.value(name)?, after)));
        // Advance by only one brace, because in `{{{date}}` the placeholder begins at the second brace.
        let (written, after) = known.unwrap_or(from.split_at(1));
        filled.push_str(written);
        rest = after;
    }
    filled.push_str(rest);
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALUES: Placeholders =
        Placeholders {
            date: "2026-11-22", files: "a.md", history: "用户: 你好", query: "写报告", results: "已完成"
        };

    #[test]
    fn each_placeholder_gets_its_value_as_often_as_it_stands_there() {
        let prompt = "<date>{{date}}</date>\n<files>{{files}}</files>\n{{history_dialogue}} {{date}}";
        let filled = "<date>2026-11-22</date>\n<files>a.md</files>\n用户: 你好 2026-11-22";
        assert_eq!(fill(prompt, &VALUES), filled);
        assert_eq!(fill("{{date}}{{files}}", &VALUES), "2026-11-22a.md");
        assert_eq!(fill("{{query}}|{{taskHistory}}|{{fileNameDesc}}", &VALUES), "写报告|已完成|a.md");
        assert_eq!(fill("[{{files}}]", &Placeholders::default()), "[]");
    }

    #[test]
    fn other_text_is_not_replaced() {
        for prompt in
            ["", "你是助手", "{{task}}", "{{ date }}", "{{DATE}}", "{date}", "{{date", "{{", "}}", "{{}}", "{{date}"]
        {
            assert_eq!(fill(prompt, &VALUES), prompt);
        }
        assert_eq!(fill("{{task}} {{date}}", &VALUES), "{{task}} 2026-11-22");
        assert_eq!(fill("{{query {{date}}", &VALUES), "{{query 2026-11-22");
        assert_eq!(fill("{{{date}}}", &VALUES), "{2026-11-22}");
    }

    #[test]
    fn values_are_not_expanded_again() {
        let values = Placeholders { date: "{{files}}", files: "{{history_dialogue}}", history: "{{date}}", ..VALUES };
        assert_eq!(fill("{{date}} {{files}} {{history_dialogue}}", &values), "{{files}} {{history_dialogue}} {{date}}");
        let halves = Placeholders { date: "{{", files: "files}}", ..Placeholders::default() };
        assert_eq!(fill("{{date}}{{files}}", &halves), "{{files}}");
    }
}
