//! Whether a text at an open gate is an approval.

/// Empty, or with 同意 or "approve" in a clause that says nothing else, and with no question, "but" or "if" anywhere: "add a
/// case where the admin approves" and 难以同意 hold the word, too. To act on an approval cannot be undone, to ask again costs
/// nothing.
pub(super) fn is_approval(text: &str) -> bool {
    if text.trim().is_empty() {
        return true;
    }
    let text = without_mentions(&text.to_lowercase());
    if text.contains(['?', '？']) || CHINESE_DOUBTS.iter().any(|doubt| text.contains(doubt)) {
        return false;
    }
    let clauses = text.split(['.', ',', ';', ':', '!', '\n', '。', '，', '；', '：', '！', '、']);
    let said: Vec<bool> = clauses.filter_map(agrees).collect();
    !said.is_empty() && said.iter().all(|agrees| *agrees)
}

/// What makes a question or a condition of whatever it stands beside.
const CHINESE_DOUBTS: [&str; 12] =
    ["吗", "呢", "么", "但", "不过", "只是", "除非", "如果", "假如", "要是", "只要", "之后"];
const ENGLISH_DOUBTS: [&str; 16] = [
    "but", "if", "unless", "until", "once", "when", "after", "before", "provided", "except", "however", "though",
    "although", "only", "then", "not",
];

/// What may stand beside the word.
const CHINESE_BESIDE: [&str; 47] = [
    "测试用例",
    "没有问题",
    "没有意见",
    "没问题",
    "没意见",
    "无异议",
    "请继续",
    "请执行",
    "辛苦了",
    "我们",
    "基本",
    "大家",
    "以上",
    "上述",
    "上面",
    "这个",
    "这份",
    "这版",
    "方案",
    "计划",
    "结果",
    "内容",
    "版本",
    "用例",
    "执行",
    "继续",
    "完全",
    "非常",
    "十分",
    "一致",
    "表示",
    "好的",
    "可以",
    "不错",
    "谢谢",
    "全部",
    "目前",
    "我",
    "组",
    "吧",
    "都",
    "该",
    "此",
    "的",
    "了",
    "很",
    "好",
];
const ENGLISH_BESIDE: [&str; 38] = [
    "i",
    "we",
    "please",
    "all",
    "both",
    "fully",
    "totally",
    "completely",
    "hereby",
    "yes",
    "yep",
    "ok",
    "okay",
    "sure",
    "great",
    "good",
    "fine",
    "nice",
    "lgtm",
    "it",
    "this",
    "that",
    "these",
    "the",
    "of",
    "plan",
    "draft",
    "result",
    "results",
    "version",
    "proposal",
    "answer",
    "everything",
    "as",
    "is",
    "now",
    "and",
    "thanks",
];

/// Whether a clause approves; `None` where it says nothing about it.
fn agrees(clause: &str) -> Option<bool> {
    let words = || clause.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '\'' && letter != '’');
    if words().any(|word| ENGLISH_DOUBTS.contains(&word)) {
        return Some(false);
    }
    let approves = |word: &str| matches!(word, "approve" | "approved" | "approves");
    if !clause.contains("同意") && !words().any(approves) {
        return None;
    }
    let known = |word: &str| word.is_empty() || approves(word) || ENGLISH_BESIDE.contains(&word);
    let rest: String = clause.chars().filter(|letter| letter.is_alphabetic() && !letter.is_ascii()).collect();
    let rest = CHINESE_BESIDE.iter().fold(rest.replace("同意", ""), |rest, beside| rest.replace(beside, ""));
    Some(rest.is_empty() && words().all(known))
}

/// Whom it is said to says nothing about what is said.
fn without_mentions(text: &str) -> String {
    let words = text.split_inclusive(char::is_whitespace);
    words.filter(|word| !word.starts_with(['@', '＠'])).collect()
}

#[cfg(test)]
mod tests {
    use super::is_approval;

    #[test]
    fn approvals_as_the_document_has_them() {
        for text in [
            "同意",
            "",
            "  ",
            "我同意以上方案",
            "同意执行",
            "APPROVE",
            "approve",
            "Approved!",
            "LGTM, approve",
            "Please approve",
            "同意吧",
            "我们组都同意",
            "基本同意",
            "I approve this plan. Thank you!",
            "@all approve 👍",
            "同意，谢谢",
            "同意，请精简",
            "没问题同意",
        ] {
            assert!(is_approval(text), "{text:?}");
        }
    }

    #[test]
    fn the_opposite_is_not_an_approval() {
        let texts = [
            "I do not approve",
            "不同意",
            "我不太同意这个方案",
            "我不会对这个方案表示同意",
            "nobody approves this",
            "没同意",
            "I don't approve",
            "I can’t approve this yet",
            "disapprove",
            "DISAPPROVED",
            "unapproved",
            "never approve",
            "I approve of the first part, but I do not approve the rest",
            "反对，不同意",
            "请添加边界测试用例",
            "approval pending",
        ];
        for text in texts {
            assert!(!is_approval(text), "{text:?}");
        }
    }

    #[test]
    fn the_word_in_a_request_a_question_or_a_condition_is_not_an_approval() {
        let texts = [
            "Please add a case where the admin approves a refund",
            "Add a step in which the admin approves the refund",
            "请补充用户同意隐私协议的用例",
            "I would approve it if you add boundary tests",
            "approve once the tests are there",
            "Who should approve this?",
            "你们同意吗？",
            "你们同意吗",
            "难以同意",
            "同意，但是请补充边界",
            "Approved, but shorter",
        ];
        for text in texts {
            assert!(!is_approval(text), "{text:?}");
        }
    }
}
