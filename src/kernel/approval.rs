//! Whether a text at an open gate is an approval.

/// Empty, or with 同意 or "approve" in it, in any case, that nothing before it in the same clause negates: "I do not
/// approve" and 不同意 say the opposite of what a plain search would read.
pub(super) fn is_approval(text: &str) -> bool {
    if text.trim().is_empty() {
        return true;
    }
    let text = text.to_lowercase();
    let clauses = text.split(['.', ',', ';', '!', '?', '\n', '。', '，', '；', '！', '？', '、']);
    clauses.map(agrees).fold(None, |sofar, clause| match (sofar, clause) {
        // One "no" outweighs any "yes": acting on an approval cannot be undone, asking again costs nothing.
        (Some(false), _) | (_, Some(false)) => Some(false),
        (yes, None) => yes,
        (_, yes) => yes,
    }) == Some(true)
}

/// Whether a clause approves; `None` where it says nothing about it.
fn agrees(clause: &str) -> Option<bool> {
    const CHINESE_NO: [char; 8] = ['不', '没', '未', '别', '勿', '无', '莫', '非'];
    const ENGLISH_NO: [&str; 14] = [
        "not", "no", "never", "cannot", "dont", "wont", "cant", "without", "neither", "nor", "nobody", "none", "noone",
        "refuse",
    ];
    // What has a "no" in it and means a yes.
    const CHINESE_YES: [&str; 6] = ["不错", "没问题", "没有问题", "没意见", "没有意见", "无异议"];
    let mut verdict = None;
    for (at, _) in clause.match_indices("同意") {
        let before = CHINESE_YES.iter().fold(clause[..at].to_owned(), |before, yes| before.replace(yes, ""));
        let negated = before.contains(CHINESE_NO) || before.contains("反对") || before.contains("拒绝");
        verdict = Some(verdict.unwrap_or(true) && !negated);
    }
    for (at, _) in clause.match_indices("approve") {
        let before = &clause[..at];
        let part_of_no = ["dis", "un", "non-", "non"].iter().any(|prefix| before.ends_with(prefix));
        let negated = before.split_whitespace().any(|word| {
            let bare: String = word.chars().filter(|c| c.is_alphanumeric()).collect();
            word.ends_with("n't") || word.ends_with("n’t") || ENGLISH_NO.contains(&bare.as_str())
        });
        verdict = Some(verdict.unwrap_or(true) && !negated && !part_of_no);
    }
    verdict
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
            "APPROVE",
            "approve",
            "Approved!",
            "LGTM, approve",
            "同意，谢谢",
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
}
