//! Recognition of approvals in text at an open gate.

/// Returns whether the text is an approval: empty, or 同意, "approve", "LGTM" or "looks good" with nothing else that has
/// a meaning of its own. "OK", "yes" and 可以 alone are not approvals, because they can answer an agent's question. Any
/// other content, in the same clause or the next, makes it feedback: `approve, don't send it yet` and `同意，请精简` also
/// contain the word. An approval cannot be undone, while asking again costs nothing. `text` must not contain mentions,
/// because recipients do not change its meaning.
pub(crate) fn is_approval(text: &str) -> bool {
    if text.trim().is_empty() {
        return true;
    }
    let text = text.to_lowercase();
    let words = || {
        let words = text.split(|letter: char| !letter.is_ascii_alphanumeric() && !APOSTROPHES.contains(&letter));
        words.map(|word| word.trim_matches(APOSTROPHES)).filter(|word| !word.is_empty())
    };
    let approves = |word: &str| matches!(word, "approve" | "approved" | "approves");
    let (english, chinese): (&[&str], &[&str]) = if text.contains("同意") || words().any(approves) {
        (&ENGLISH_BESIDE, &CHINESE_BESIDE)
    } else if text.contains("looks good") || words().any(|word| word == "lgtm") {
        // Only praise, and no words that can be a request: "LGTM, now test it" asks for another round.
        (&ENGLISH_PRAISE, &CHINESE_PRAISE)
    } else {
        return false;
    };
    let beside = std::iter::once(&"同意").chain(chinese);
    let rest = beside.fold(text.clone(), |rest, beside| rest.replace(beside, " "));
    !text.trim_start().starts_with('!')
        && words().all(|word| approves(word) || english.contains(&word))
        && rest.chars().all(says_nothing)
}

const APOSTROPHES: [char; 2] = ['\'', '’'];

/// Returns whether a character has no meaning of its own. ASCII letters and digits also count as having none, because
/// English words are checked separately.
fn says_nothing(letter: char) -> bool {
    // Double quotes, strikethrough and code marks are excluded: quoted or struck-out text is not an approval.
    let mark = ".,;!-'()*_，。；：！、～…—·‘’《》（）👍👌👏🎉🙏✅💯🚀😀😄😊🙂❤\u{fe0f}".contains(letter);
    letter.is_ascii_alphanumeric() || letter.is_whitespace() || mark || ('\u{1f3fb}'..='\u{1f3ff}').contains(&letter)
}

/// Chinese praise and thanks.
const CHINESE_PRAISE: [&str; 8] = ["没有问题", "没问题", "辛苦了", "很棒", "不错", "谢谢", "感谢", "多谢"];
const ENGLISH_PRAISE: [&str; 26] = [
    "lgtm",
    "looks",
    "good",
    "great",
    "nice",
    "fine",
    "perfect",
    "excellent",
    "well",
    "done",
    "to",
    "me",
    "us",
    "it",
    "this",
    "that",
    "all",
    "everything",
    "very",
    "so",
    "yes",
    "and",
    "thanks",
    "thank",
    "you",
    "much",
];

/// Chinese words that can accompany an approval. Longer words come first, because they are removed in this order.
#[rustfmt::skip]
const CHINESE_BESIDE: [&str; 54] = [
    "测试用例",
    "没有问题",
    "没有意见",
    "意见一致",
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
    "感谢",
    "多谢",
    "赞同",
    "可行",
    "很棒",
    "测试",
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
const ENGLISH_BESIDE: [&str; 74] = [
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
    "thank",
    "you",
    "looks",
    "to",
    "me",
    "above",
    "well",
    "done",
    "very",
    "much",
    "so",
    "go",
    "ahead",
    "with",
    "proceed",
    "continue",
    "work",
    "job",
    "team",
    "perfect",
    "excellent",
    "agreed",
    "agree",
    "our",
    "my",
    "from",
    "side",
    "us",
    "everyone",
    "test",
    "case",
    "cases",
    "a",
    "i'm",
    "it's",
    "that's",
];

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
            "approve 👍🏽",
            "Approve. Looks good to me!",
            "同意！👍",
            "同意，谢谢",
            "没问题同意",
            "LGTM",
            "lgtm 👍",
            "Looks good to me!",
            "This looks good, thanks",
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
            "not lgtm",
            "LGTM?",
            "LGTM except the title",
            "LGTM, now test it please",
            "Looks good. Now the test cases please",
            "LGTM，请执行测试用例",
            "looks good, but shorter please",
            "it looks goodish",
            "ok",
            "yes",
            "looks",
            "可以",
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

    #[test]
    fn text_after_an_approval_makes_it_feedback() {
        let texts = [
            "同意。不对，请重写",
            "Approve. No, wait",
            "approve, don't send it yet",
            "approve, don’t send it yet",
            "approve, never mind",
            "同意，先别发布",
            "同意，等测试通过",
            "同意，请补充边界测试",
            "同意，请精简",
            "同意，勿发布",
            "Approve. Please shorten it",
            "approve\n\nadd the refund cases",
            "同意 ❌",
            "approve 👎",
            "approve, но не сейчас",
            "可以。同意？",
            "~~approve~~",
            "~~同意~~",
            "> approve",
            "`approve`",
            "```\napprove\n```",
            "\"approve\"",
            "“同意”",
            "!approve",
            "approve :(",
            "<approve/>",
            "approve = no",
        ];
        for text in texts {
            assert!(!is_approval(text), "{text:?}");
        }
    }
}
