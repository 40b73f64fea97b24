//! The title of a session that nobody named: the beginning of its first words, until a model has thought of a shorter one.

use std::sync::Arc;

use super::decide::Draft;
use super::{AgentId, Effect, Fact, Message, MessageId, RunId, Usage, View, is_blank, is_hidden};

/// Stands for the server where usage names an agent: what a title cost is no agent's.
const TITLES: &str = "session.title";

/// Columns of a title that is made of words; a Chinese character takes two.
const TITLE: usize = 48;

/// The beginning of the first line that says something, whole words of it.
pub fn title_of(text: &str) -> Option<Arc<str>> {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    let line: String = line.chars().filter(|c| !is_hidden(*c)).collect();
    if is_blank(&line) {
        return None;
    }
    let mut columns = 0;
    let mut wide = line.char_indices().skip_while(|(_, c)| {
        columns += if c.is_ascii() { 1 } else { 2 };
        columns <= TITLE
    });
    let Some((cut, _)) = wide.next() else { return Some(line.into()) };
    // Chinese has no spaces, and a word may be longer than a title.
    let end = |c: char| c.is_whitespace() || "，。；：、！？".contains(c);
    let at = if line[cut..].starts_with(end) { Some(cut) } else { line[..cut].rfind(end) };
    let at = at.filter(|at| *at >= cut / 2).unwrap_or(cut);
    Some(format!("{}…", line[..at].trim_end()).into())
}

/// The request for a title that a run asks for: its first words are those that an unnamed session is about.
pub(super) fn wanted(view: &View, run: RunId, input: MessageId) -> Option<Effect> {
    // Of words that say nothing, such as those beside a file alone, a model would make something up.
    let names = |message: &Arc<Message>| title_of(&message.text).is_some() && is_unnamed(view, message);
    let unnamed = view.message(input).is_some_and(names);
    unnamed.then_some(Effect::Title { run, message: input })
}

/// Applies its outcome. Whoever named the session meanwhile is right, and what was erased meanwhile leaves no trace.
pub(super) fn titled(
    draft: &mut Draft,
    run: RunId,
    message: MessageId,
    title: Option<&Arc<str>>,
    usage: Option<&Usage>,
) {
    if draft.view().closed {
        return;
    }
    if let (Some(usage), Ok(agent)) = (usage, TITLES.parse::<AgentId>()) {
        let participant = draft.view().message(message).and_then(|message| message.by.participant_id());
        draft.emit(Fact::UsageRecorded {
            message,
            run,
            agent,
            participant,
            model: usage.model.clone(),
            input_tokens: usage.input_tokens,
            output_tokens: usage.output_tokens,
            estimated: usage.estimated,
            cost_micros: usage.cost_micros,
        });
    }
    let view = draft.view();
    let Some(words) = view.message(message).filter(|words| words.redacted.is_none() && is_unnamed(view, words)) else {
        return;
    };
    let title = title.cloned().or_else(|| title_of(&words.text)).filter(|title| *title != view.title);
    if title.is_some() {
        draft.emit(Fact::SessionUpdated { title, settings: None, changed: vec![] });
    }
}

/// Whether its title is one that the server gave: that of its team, or the beginning of these words.
fn is_unnamed(view: &View, words: &Message) -> bool {
    view.title == view.team.title || title_of(&words.text).is_some_and(|title| title == view.title)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_the_beginning_of_the_words() {
        assert_eq!(title_of("\n  生成支付接口的测试用例\n更多").as_deref(), Some("生成支付接口的测试用例"));
        assert_eq!(title_of(" \n"), None);
        assert_eq!(title_of(&"x".repeat(80)).map(|title| title.chars().count()), Some(49));
        let long = "Find out why the payment interface is slow since Monday morning, and fix it";
        assert_eq!(title_of(long).as_deref(), Some("Find out why the payment interface is slow since…"));
        let long = "请调查支付接口为什么从周一早上开始变慢，给出修复方案，并说明如何验证";
        assert_eq!(title_of(long).as_deref(), Some("请调查支付接口为什么从周一早上开始变慢…"));
    }
}
