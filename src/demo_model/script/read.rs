//! Reads what people said out of a conversation: plain messages, and histories as flow `review` writes them.

use serde_json::Value;

/// The words of a message: a text, or the texts among its parts.
pub(super) fn text_of(message: &Value) -> String {
    match &message["content"] {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n"),
        _ => String::new(),
    }
}

/// Whether a text is written in Chinese.
pub(super) fn is_chinese(text: &str) -> bool {
    let chinese = text.chars().filter(|letter| ('\u{4e00}'..='\u{9fff}').contains(letter)).count();
    let letters = text.chars().filter(|letter| letter.is_alphabetic()).count();
    // One Chinese character says about as much as three letters.
    chinese * 4 > letters
}

/// What people said in a message, oldest first: of a history, the paragraphs of people; else the whole.
pub(super) fn entries(text: &str) -> Vec<String> {
    let history = ["对话历史：", "Conversation so far:"].iter().any(|head| text.starts_with(head));
    let spoken: Vec<String> = text.lines().filter_map(spoken).map(str::to_owned).collect();
    match history || !spoken.is_empty() {
        true => spoken,
        false => vec![text.to_owned()],
    }
}

/// The newest words of people with all their lines: of a history, those of its last paragraph by people; else the whole.
pub(super) fn newest(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let Some(last) = lines.iter().rposition(|line| spoken(line).is_some()) else { return text.to_owned() };
    let first = spoken(lines[last]).unwrap_or_default();
    let more = lines[last + 1..].iter().take_while(|line| !line.trim().is_empty());
    std::iter::once(&first).chain(more).copied().collect::<Vec<_>>().join("\n")
}

/// What a person said, if the line begins with one: "用户: …", "用户（Ann）反馈（@all）: …", "User feedback: …".
fn spoken(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("用户").or_else(|| line.strip_prefix("User"))?;
    let (before, words) = rest.split_once(": ")?;
    let mut before = before;
    for (open, close) in [("（", "）"), (" (", ")")] {
        for _ in 0..2 {
            before = before.trim_start_matches("反馈").trim_start_matches(" feedback");
            if let Some(inside) = before.strip_prefix(open) {
                before = &inside[inside.find(close)? + close.len()..];
            }
        }
    }
    before.trim_start_matches("反馈").trim_start_matches(" feedback").is_empty().then_some(words)
}

/// What a request is about: "生成支付接口的测试用例" is about 支付接口.
pub(super) fn subject(request: &str) -> String {
    let line = request.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let words: Vec<&str> = line.split_whitespace().filter(|word| !word.starts_with(['@', '＠'])).collect();
    let line = words.join(" ");
    let mut subject =
        line.trim_matches(|letter: char| letter.is_ascii_punctuation() || "。，！？；：".contains(letter));
    for prefix in ["请", "帮我", "为", "给", "生成", "编写", "写出", "写一份", "写", "设计", "创建", "针对"]
    {
        subject = subject.strip_prefix(prefix).unwrap_or(subject);
    }
    for suffix in ["用例", "测试", "的", "编写", "生成"] {
        subject = subject.strip_suffix(suffix).unwrap_or(subject);
    }
    let lower = subject.to_ascii_lowercase();
    for marker in ["test cases for ", "test cases of ", "tests for ", "cases for "] {
        if let Some(at) = lower.find(marker) {
            subject = &subject[at + marker.len()..];
            break;
        }
    }
    for article in ["the ", "The ", "a ", "an ", "our ", "my "] {
        subject = subject.strip_prefix(article).unwrap_or(subject);
    }
    let short: String = subject.trim().chars().take(40).collect();
    match (short.is_empty(), is_chinese(&line)) {
        (false, _) => short,
        (true, true) => "该功能".into(),
        (true, false) => "this feature".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_about_something() {
        let table = [
            ("生成支付接口的测试用例", "支付接口"),
            ("请帮我编写用户登录的测试用例。", "用户登录"),
            ("@TestCase_Generator 生成退款流程的测试用例", "退款流程"),
            ("Write test cases for the payment interface", "payment interface"),
            ("Generate tests for our login page!", "login page"),
            ("checkout", "checkout"),
            ("", "this feature"),
        ];
        for (request, about) in table {
            assert_eq!(subject(request), about, "{request}");
        }
    }

    #[test]
    fn people_are_heard_in_every_form_of_history() {
        let history = "对话历史：\n用户（小李）: 一\n\nTestCase_Generator: 用户不要\n\n用户反馈（@all）: 二\n\n用户（小王）反馈（@A @B）: 三";
        assert_eq!(entries(history), ["一", "二", "三"]);
        let history =
            "Conversation so far:\nUser (Ann): one\n\nX: no\n\nUser feedback (@X): two\n\nUser (Bo) feedback: three";
        assert_eq!(entries(history), ["one", "two", "three"]);
        assert_eq!(entries("just words"), ["just words"]);
        assert_eq!(newest("Conversation so far:\nUser: one\ntwo\n\nResult of step 1 (X): three"), "one\ntwo");
        assert_eq!(newest("just\nwords"), "just\nwords");
    }
}
