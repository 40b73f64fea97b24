//! Mentions: the recipients of a message. They are parsed only here, so that all endpoints interpret text the same way.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use unicode_normalization::char::is_combining_mark;

use crate::text::markdown_code;
use crate::{ParticipantId, Role, Target, UnresolvedMention, View};

/// Reason for the recipients of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RouteReason {
    /// The sender named the recipients in `to`.
    Explicit,
    /// The text mentions the recipients.
    Mention,
    /// Nobody was named, so the message is for the whole flow.
    Default,
    /// The message is an approval at the open gate.
    Approval,
    /// The message belongs to a vote, or replaces a tool's result.
    Vote,
    /// The message is a comment on what a gate shows. Agents read it if the gate is not approved and the thread is
    /// open.
    Comment,
    /// All names in the message are unknown or ambiguous, so it reached nobody: a guess could start the wrong agent. At
    /// a gate that waits for text, such a message is for the whole flow instead.
    Unresolved,
}

/// A recipient, as a sender names it in `to`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Addressee {
    /// A recipient in the form that the server writes. Example: `{"kind":"agent","id":"TestCase_Generator"}`.
    Target(Target),
    /// A name as a person writes it after the `@`. Example: `people`.
    Name(String),
}

/// Recipients of a message, with the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    /// Recipients. Empty: the flow decides.
    pub to: Vec<Target>,
    /// Reason for these recipients.
    pub reason: RouteReason,
    /// Mentions that match no name, or several.
    pub unresolved: Vec<UnresolvedMention>,
}

impl Route {
    /// Returns whether the message is for agents. A message that mentions only people, or only unknown names, starts
    /// no run.
    pub fn is_for_agents(&self) -> bool {
        match self.reason {
            RouteReason::Unresolved => false,
            RouteReason::Explicit
            | RouteReason::Mention
            | RouteReason::Default
            | RouteReason::Approval
            | RouteReason::Vote
            | RouteReason::Comment => self.to.is_empty() || self.to.iter().any(Target::is_for_agents),
        }
    }

    /// Returns this route without people as recipients, for a message that always goes to agents. Otherwise a message
    /// that mentions only people would reach no agent.
    pub fn for_agents(mut self) -> Self {
        self.to.retain(Target::is_for_agents);
        if self.to.is_empty() {
            self.reason = RouteReason::Default;
        }
        self
    }
}

/// Returns the route of a message: by the recipients in `beside` if there are any, otherwise by the mentions in its
/// text.
pub fn route(view: &View, text: &str, beside: Option<&[Addressee]>) -> Route {
    let mut route = Route { to: vec![], reason: RouteReason::Default, unresolved: vec![] };
    match beside {
        Some(list) if !list.is_empty() => {
            for addressee in list {
                match addressee {
                    Addressee::Target(target) if exists(view, target) => add(&mut route.to, target.clone()),
                    Addressee::Target(target) => add_unresolved(&mut route, view, &describe(target)),
                    Addressee::Name(name) => match whole(view, name.trim_start_matches(['@', '＠'])) {
                        Some(target) => add(&mut route.to, target),
                        None => add_unresolved(&mut route, view, name),
                    },
                }
            }
            route.reason = RouteReason::Explicit;
        }
        _ => {
            for start in starts(text) {
                let rest = &text[start..];
                match longest(view, rest).and_then(|(target, _)| target) {
                    Some(target) => add(&mut route.to, target),
                    None => {
                        let word: String =
                            rest.chars().take_while(|c| is_word(*c) || c.is_alphanumeric()).take(64).collect();
                        if !word.is_empty() {
                            add_unresolved(&mut route, view, &word);
                        }
                    }
                }
            }
            if !route.to.is_empty() {
                route.reason = RouteReason::Mention;
            }
        }
    }
    if route.to.is_empty() && !route.unresolved.is_empty() {
        route.reason = RouteReason::Unresolved;
    }
    route
}

/// Returns the ids that can follow an `@`, without those of participants. Ids take precedence over names. Otherwise, a
/// guest could take an agent's id as their name, and the agent would receive no more messages.
fn ids(view: &View) -> impl Iterator<Item = (Cow<'_, str>, Target)> {
    let groups = [("all".into(), Target::All), ("people".into(), Target::People)];
    let roles = Role::ALL.map(|role| (format!("role:{}", role.as_str()).into(), Target::Role(role)));
    let agents = view.team.agents.iter().map(|agent| (agent.id.as_str().into(), Target::Agent(agent.id.clone())));
    groups.into_iter().chain(roles).chain(agents)
}

/// Returns the names that can follow an `@`. A name that two participants or agents share is ambiguous.
fn names(view: &View) -> impl Iterator<Item = (&Arc<str>, Target)> {
    let agents = view.team.agents.iter().map(|agent| (&agent.name, Target::Agent(agent.id.clone())));
    let people = view.participants.iter().map(|member| (&member.name, Target::Participant(member.id)));
    agents.chain(people).filter(|(name, _)| !name.is_empty())
}

fn exists(view: &View, target: &Target) -> bool {
    match target {
        Target::Agent(id) => view.team.agent(id).is_some(),
        Target::Participant(id) => view.member(*id).is_some(),
        Target::All | Target::Role(_) | Target::People => true,
    }
}

fn describe(target: &Target) -> String {
    match target {
        Target::Agent(id) => id.to_string(),
        Target::Participant(id) => id.to_string(),
        Target::All | Target::Role(_) | Target::People => String::new(),
    }
}

fn add(to: &mut Vec<Target>, target: Target) {
    if !to.contains(&target) {
        to.push(target);
    }
}

fn add_unresolved(route: &mut Route, view: &View, text: &str) {
    /// Maximum number of characters in a name that is compared. Comparing takes time proportional to the product of
    /// both lengths, so a very long name would stall the session.
    const MAX_CHARS: usize = 64;
    let text: String = text.chars().take(MAX_CHARS).collect();
    /// Maximum number of unresolved mentions in a receipt. Otherwise, text full of unknown mentions would be repeated
    /// entirely.
    const MAX_UNRESOLVED: usize = 10;
    if route.unresolved.len() >= MAX_UNRESOLVED || route.unresolved.iter().any(|known| *known.text == text) {
        return;
    }
    let key = text.to_lowercase();
    let mut seen = BTreeSet::new();
    // An ambiguous name is not suggested itself; the ids of its owners are.
    seen.insert(key.clone());
    let shared =
        names(view).filter(|(name, _)| name.to_lowercase() == key).map(|(_, target)| (1.0, describe(&target).into()));
    let mut near: Vec<(f64, Arc<str>)> = shared.collect();
    let people = view.participants.iter().map(|member| member.id.to_string());
    let similar = ids(view)
        .map(|(id, _)| Arc::from(&*id))
        .chain(people.map(Arc::from))
        .chain(names(view).map(|(name, _)| name.clone()))
        .filter_map(|shown: Arc<str>| {
            let name = shown.to_lowercase();
            let score = strsim::jaro_winkler(&name, &key);
            // Below this score, suggestions have nothing in common with the name.
            (score > 0.75 && seen.insert(name)).then_some((score, shown))
        });
    near.extend(similar);
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    let nearest = near.into_iter().take(3).map(|(_, shown)| shown).collect();
    route.unresolved.push(UnresolvedMention { text: text.into(), nearest });
}

/// Returns the target of `name` if the whole string is one name or id; `None` if it is neither, or if the name is
/// ambiguous.
fn whole(view: &View, name: &str) -> Option<Target> {
    longest(view, name).filter(|(_, length)| *length == name.len()).and_then(|(target, _)| target)
}

/// Returns the text without its known mentions, because the recipients do not change the meaning of the text.
pub(super) fn without_names(view: &View, text: &str) -> String {
    let mut left = String::new();
    let mut from = 0;
    for start in starts(text) {
        let Some((_, length)) = longest(view, &text[start..]).filter(|_| start > from) else { continue };
        left.push_str(text[from..start].trim_end_matches(['@', '＠']));
        from = start + length;
    }
    left + &text[from..]
}

/// Returns the target of the longest id or name at the start of `rest` that ends at a word boundary, with its length in
/// bytes. The target is `None` if the name is ambiguous. Compares without copying names, because a session can have a
/// thousand people and each of its messages a mention.
fn longest(view: &View, rest: &str) -> Option<(Option<Target>, usize)> {
    let id = ids(view).filter_map(|(id, target)| Some((target, prefix_length(&id, rest)?)));
    let id = id.chain(participant_id(view, rest)).max_by_key(|(_, length)| *length);
    let id_length = id.as_ref().map_or(0, |(_, length)| *length);
    let mut longest = id.map(|(target, length)| (Some(target), length));
    for (name, target) in names(view) {
        let Some(length) = prefix_length(name, rest).filter(|length| *length > id_length) else { continue };
        match &mut longest {
            Some((_, known)) if *known > length => {}
            // Names that match the same text are the same name.
            Some((known, other)) if *other == length => {
                if known.as_ref() != Some(&target) {
                    *known = None;
                }
            }
            _ => longest = Some((Some(target), length)),
        }
    }
    longest
}

/// Returns the participant whose id is at the start of `rest`, with the length of the id.
fn participant_id(view: &View, rest: &str) -> Option<(Target, usize)> {
    let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
    let id: ParticipantId = rest[..length].to_ascii_lowercase().parse().ok()?;
    view.member(id).map(|member| (Target::Participant(member.id), length))
}

/// Returns the number of bytes at the start of `rest` that are this name, ignoring case, if the name ends there at a
/// word boundary.
fn prefix_length(name: &str, rest: &str) -> Option<usize> {
    let mut letters = rest.char_indices();
    let mut wanted = name.chars().flat_map(char::to_lowercase).peekable();
    let mut last = None;
    while wanted.peek().is_some() {
        let (_, letter) = letters.next()?;
        for lower in letter.to_lowercase() {
            if wanted.next() != Some(lower) {
                return None;
            }
            last = Some(lower);
        }
    }
    let next = letters.next();
    // `@all` does not match in `@alliance`, but it does in `@all重新生成`, because Chinese needs no spaces.
    let goes_on = last.is_some_and(is_word) && next.is_some_and(|(_, next)| is_word(next));
    (!goes_on).then(|| next.map_or(rest.len(), |(at, _)| at))
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

/// Returns the byte offset after each `@` that can begin a mention: one that is not in code or an e-mail address, and
/// not escaped.
fn starts(text: &str) -> Vec<usize> {
    let mut starts = vec![];
    if !text.contains(['@', '＠']) {
        return starts;
    }
    let code = markdown_code::ranges(text);
    let mut before = None;
    for (at, c) in text.char_indices() {
        if matches!(c, '@' | '＠') && !before.is_some_and(joins) && !code.iter().any(|range| range.contains(&at)) {
            starts.push(at + c.len_utf8());
        }
        before = Some(c);
    }
    starts
}

/// Returns whether an `@` after this character is not a mention, as in `\\@`, `ann@example.org` or `é@example.org`.
fn joins(before: char) -> bool {
    let part_of_word = before.is_alphanumeric() || is_combining_mark(before);
    (part_of_word && !is_of_unspaced_script(before)) || matches!(before, '\\' | '.' | '_' | '-' | '+')
}

/// Returns whether the letter belongs to a script without spaces between words: `请@Gen` is a mention.
fn is_of_unspaced_script(c: char) -> bool {
    matches!(c,
        '\u{e00}'..='\u{eff}' // Thai, Lao
        | '\u{1000}'..='\u{109f}' // Burmese
        | '\u{1780}'..='\u{17ff}' // Khmer
        | '\u{3005}'..='\u{3007}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}' // Han
        | '\u{3040}'..='\u{312f}') // Kana, Bopomofo
}
