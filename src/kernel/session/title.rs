//! Title of a session that no participant has named: the beginning of its first message, until a model has generated a
//! shorter one.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::draft::Draft;
use crate::{AgentId, Effect, Fact, Message, MessageId, RunId, Usage, View, budget, is_blank, is_hidden};

/// Agent id under which the usage of title generation is recorded, because no agent of the team causes it.
const TITLE_AGENT: &str = "session.title";

/// Maximum number of columns of a title that is cut from a message. A non-ASCII character counts as two.
const MAX_TITLE_COLUMNS: usize = 48;

/// A request for a title that is in progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TitleRequest {
    /// Run that requested the title.
    pub run: RunId,
    /// Message that the title is made from.
    pub message: MessageId,
}

/// Returns the beginning of the first non-blank line, cut at a word boundary; `None` if there is no such line, or if it
/// has no visible text.
pub fn title_of(text: &str) -> Option<Arc<str>> {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    let line: String = line.chars().filter(|c| !is_hidden(*c)).collect();
    if is_blank(&line) {
        return None;
    }
    let mut columns = 0;
    let mut wide = line.char_indices().skip_while(|(_, c)| {
        columns += if c.is_ascii() { 1 } else { 2 };
        columns <= MAX_TITLE_COLUMNS
    });
    let Some((cut, _)) = wide.next() else { return Some(line.into()) };
    // Chinese has no spaces, and a single word can be longer than a title.
    let end = |c: char| c.is_whitespace() || "，。；：、！？".contains(c);
    let at = if line[cut..].starts_with(end) { Some(cut) } else { line[..cut].rfind(end) };
    let at = at.filter(|at| *at >= cut / 2).unwrap_or(cut);
    Some(format!("{}…", without_loose_end(&line[..at])).into())
}

/// Removes trailing punctuation and words that lead on to the removed text, such as "and".
fn without_loose_end(mut line: &str) -> &str {
    loop {
        let shorter = line.trim_end_matches(|c: char| c.is_whitespace() || ",;:，；：、".contains(c));
        let last = shorter.rsplit(' ').next().unwrap_or_default();
        let leads_on = ["a", "an", "and", "but", "of", "or", "the", "then", "to", "with"].contains(&last);
        let shorter =
            if leads_on && last.len() < shorter.len() { &shorter[..shorter.len() - last.len()] } else { shorter };
        if shorter.len() == line.len() {
            return line;
        }
        line = shorter;
    }
}

/// Returns the effect that generates a title, if the run starts with the first message of an unnamed session.
pub(crate) fn title_effect(view: &View, run: RunId, input: MessageId) -> Option<Effect> {
    let requested = match view.settings.budget {
        Some(_) => view.title_request == Some(TitleRequest { run, message: input }),
        None => wants_title(view, input),
    };
    requested.then_some(Effect::Title { run, message: input })
}

fn wants_title(view: &View, input: MessageId) -> bool {
    // A model would invent a title for blank text, such as that of a message that has only files.
    let names = |message: &Arc<Message>| title_of(&message.text).is_some() && is_unnamed(view, message);
    view.message(input).is_some_and(names)
}

/// Records that a title is requested, in a session with a budget that has room for it and for a turn.
pub(crate) fn record_request(view: &mut View, run: RunId, message: MessageId) {
    if view.settings.budget.is_some() && view.title_request.is_none() && budget::remaining_requests(view) > 1 {
        view.title_request = wants_title(view, message).then_some(TitleRequest { run, message });
    }
}

/// Records that the request for a title has ended, once its usage is known.
pub(crate) fn end_request(view: &mut View, agent: &AgentId, message: MessageId) {
    if agent.as_str() == TITLE_AGENT && view.title_request.is_some_and(|request| request.message == message) {
        view.title_request = None;
    }
}

/// Records the usage of a request for a title.
pub(crate) fn record_usage(draft: &mut Draft, run: RunId, message: MessageId, usage: &Usage) {
    if let Ok(agent) = TITLE_AGENT.parse::<AgentId>() {
        let participant = draft.view().message(message).and_then(|message| message.by.participant_id());
        draft.emit(usage.recorded(message, run, agent, participant));
    }
}

/// Applies a generated title. A name that a participant has set in the meantime takes precedence, and a message that
/// was erased in the meantime yields no title.
pub(crate) fn apply_title(
    draft: &mut Draft,
    run: RunId,
    message: MessageId,
    title: Option<&Arc<str>>,
    usage: Option<&Usage>,
) {
    if draft.view().closed {
        return;
    }
    match usage {
        Some(usage) => record_usage(draft, run, message, usage),
        // The budget reserves room for the request until its end is in the log.
        None if draft.view().title_request == Some(TitleRequest { run, message }) => {
            record_usage(draft, run, message, &Usage::none());
        }
        None => {}
    }
    let view = draft.view();
    let Some(source) = view.message(message).filter(|source| source.redacted.is_none() && is_unnamed(view, source))
    else {
        return;
    };
    let title = title.cloned().or_else(|| title_of(&source.text)).filter(|title| *title != view.title);
    if title.is_some() {
        draft.emit(Fact::SessionUpdated { title, settings: None, changed: vec![] });
    }
}

/// Returns whether the session has a title that the server gave it: the team's title, or the beginning of this message.
fn is_unnamed(view: &View, message: &Message) -> bool {
    let is_automatic =
        view.title == view.team.title || title_of(&message.text).is_some_and(|title| title == view.title);
    is_automatic && !view.titled
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
        let long = "Find out why the payment interface is slow, and then fix it for good";
        assert_eq!(title_of(long).as_deref(), Some("Find out why the payment interface is slow…"));
        let long = "请调查支付接口为什么从周一早上开始变慢，给出修复方案，并说明如何验证";
        assert_eq!(title_of(long).as_deref(), Some("请调查支付接口为什么从周一早上开始变慢…"));
    }
}
