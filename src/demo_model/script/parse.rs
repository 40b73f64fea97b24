//! Reads people's messages from a conversation, in plain form or in envelopes.

use serde_json::{Value, json};

use super::super::prompt_parser::{PromptPart, parse};

/// Maximum width of a quoted phrase, in characters; non-ASCII characters count double.
const MAX_PHRASE_CHARS: usize = 48;

/// Returns the text of a message: its content, or its text parts.
pub(super) fn text_of(message: &Value) -> String {
    match &message["content"] {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n"),
        _ => String::new(),
    }
}

/// Returns whether the text is Chinese.
pub(super) fn is_chinese(text: &str) -> bool {
    let chinese = text.chars().filter(|letter| ('\u{4e00}'..='\u{9fff}').contains(letter)).count();
    let letters = text.chars().filter(|letter| letter.is_alphabetic()).count();
    // One Chinese character carries about as much information as three letters.
    chinese * 4 > letters
}

/// Returns the parts of a message. A plain message becomes one `Line`.
pub(super) fn parts(text: &str) -> Vec<PromptPart> {
    parse(text).unwrap_or_else(|_| vec![PromptPart::Line(text.to_owned())])
}

/// Returns the texts by people in a message, oldest first. A plain message is returned as one text.
pub(super) fn entries(text: &str) -> Vec<String> {
    let parts = parts(text);
    let blocks: Vec<_> = parts
        .iter()
        .filter_map(|part| match part {
            PromptPart::Block(block) => Some(block),
            PromptPart::Line(_) => None,
        })
        .collect();
    match blocks.is_empty() {
        true => vec![text.to_owned()],
        false => blocks.iter().filter(|block| block.is_by_people()).map(|block| block.text()).collect(),
    }
}

/// Returns the result of a tool, or the answer that a person gave in its place; an error if a person rejected the call.
pub(super) fn tool_result(text: &str) -> String {
    match parts(text).into_iter().next() {
        Some(PromptPart::Block(block)) if matches!(&*block.kind, "result" | "answer") => match block.field("refusal") {
            Some(refusal) => {
                json!({ "error": "rejected", "message": format!("{refusal}: {}", block.text()) }).to_string()
            }
            None => block.text(),
        },
        _ => text.to_owned(),
    }
}

/// Returns the subject of a request: the subject of "生成支付接口的测试用例" is 支付接口.
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
    match (phrase(subject), is_chinese(&line)) {
        (Some(whole), _) => whole,
        (None, true) => "您的请求".into(),
        (None, false) => "your request".into(),
    }
}

/// Returns the first phrase of a text, for quoting. Returns `None` if the phrase is too long or contains Markdown
/// syntax. A phrase is quoted completely or not at all, because a truncated phrase would look like a bug in the server.
pub(crate) fn phrase(text: &str) -> Option<String> {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    let words: Vec<&str> = line.split_whitespace().filter(|word| !word.starts_with(['@', '＠'])).collect();
    let line = words.join(" ");
    let whole = line.split(['，', ',', '。', '；', ';', '：', ':', '？', '?', '！', '!', '（', '(']).next()?.trim();
    let whole = whole.strip_suffix('.').unwrap_or(whole);
    let width: usize = whole.chars().map(|letter| if letter.is_ascii() { 1 } else { 2 }).sum();
    let is_plain = !whole.contains(['|', '`', '*', '<', '>', '[', '#', '"', '\\']);
    let leads_on = whole.rsplit(' ').next().is_some_and(|last| LEADS_ON.contains(&last));
    ((1..=MAX_PHRASE_CHARS).contains(&width) && is_plain && !leads_on).then(|| whole.to_owned())
}

/// Words at the end of a phrase which show that the phrase was cut at a colon or comma and means nothing by itself.
const LEADS_ON: [&str; 12] = ["a", "an", "and", "at", "but", "for", "in", "of", "or", "the", "to", "with"];

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
            ("", "your request"),
            (
                "Find out why the payment interface is slow: since Monday it takes 4 s",
                "Find out why the payment interface is slow",
            ),
            ("Give me cases for: the thing", "your request"),
            ("Please find out for me why the payment interface has become so slow since Monday", "your request"),
            ("找出支付接口变慢的原因，并给出修复方案", "找出支付接口变慢的原因"),
        ];
        for (request, about) in table {
            assert_eq!(subject(request), about, "{request}");
        }
    }

    #[test]
    fn a_phrase_is_quoted_whole_or_not_at_all() {
        let long = "please make every single one of these cases much shorter than they are";
        let table = [
            ("请用敬语。另外补充边界", Some("请用敬语")),
            ("@TestCase_Generator look at passkeys first\nand then at tokens", Some("look at passkeys first")),
            ("Shorter, please.", Some("Shorter")),
            ("Be brief.", Some("Be brief")),
            (long, None),
            ("use `x` | y", None),
            ("\n \n", None),
        ];
        for (text, quoted) in table {
            assert_eq!(phrase(text).as_deref(), quoted, "{text}");
        }
    }

    #[test]
    fn people_are_heard_and_nobody_else() {
        let history = "对话历史：\n[message from=user id=u_1 name=\"小李\"]\n| 一\n| 1\n\n\
                       [message from=agent id=G]\n| 不\n\n[feedback from=bot id=u_2 to=@all]\n| 二";
        assert_eq!(entries(history), ["一\n1", "二"]);
        assert_eq!(entries("just\nwords"), ["just\nwords"]);
        assert_eq!(entries("[notice] x\n[message from=agent id=G]\n| y"), Vec::<String>::new());
    }
}
