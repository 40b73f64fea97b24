//! Mentions: the recipients of a message. They are parsed only here, so that all endpoints read a text the same way.

use std::cell::LazyCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use unicode_normalization::char::is_combining_mark;

use crate::text::markdown_code;
use crate::{Role, Target, UnresolvedMention, View};

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
    /// All names in the message are unknown, so it reached nobody: a guess could start the wrong agent. At a gate that
    /// waits for text, such a message is for the whole flow instead.
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
    /// Mentions that match no name.
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

/// Returns the route of a text: by the names in `to` if there are any, otherwise by its mentions.
pub fn route(view: &View, text: &str, beside: Option<&[Addressee]>) -> Route {
    // Most messages mention nobody, and a session can have hundreds of people.
    let names = LazyCell::new(|| names(view));
    let mut route = Route { to: vec![], reason: RouteReason::Default, unresolved: vec![] };
    match beside {
        Some(list) if !list.is_empty() => {
            for addressee in list {
                match addressee {
                    Addressee::Target(target) if exists(view, target) => add(&mut route.to, target.clone()),
                    Addressee::Target(target) => add_unresolved(&mut route, &names, &describe(target)),
                    Addressee::Name(name) => match whole(&names, name.trim_start_matches(['@', '＠'])) {
                        Some(target) => add(&mut route.to, target),
                        None => add_unresolved(&mut route, &names, name),
                    },
                }
            }
            route.reason = RouteReason::Explicit;
        }
        _ => {
            for start in starts(text) {
                let rest = &text[start..];
                match longest(&names, rest).and_then(|(target, _)| target) {
                    Some(target) => add(&mut route.to, target),
                    None => {
                        let word: String =
                            rest.chars().take_while(|c| is_word(*c) || c.is_alphanumeric()).take(64).collect();
                        if !word.is_empty() {
                            add_unresolved(&mut route, &names, &word);
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

/// A name that can follow an `@`: in lower case, as displayed, and its target. The target is `None` if the name is
/// ambiguous.
type MentionName = (String, Arc<str>, Option<Target>);

/// Returns all names that can follow an `@`. Ids take precedence over names. Otherwise, a guest could take an agent's
/// id as their name, and the agent would receive no more messages. A name that two participants or agents share is
/// ambiguous.
fn names(view: &View) -> Vec<MentionName> {
    let mut ids = vec![("all".to_owned(), Target::All), ("people".to_owned(), Target::People)];
    ids.extend(Role::ALL.map(|role| (format!("role:{}", role.as_str()), Target::Role(role))));
    ids.extend(view.team.agents.iter().map(|agent| (agent.id.to_string(), Target::Agent(agent.id.clone()))));
    ids.extend(view.participants.iter().map(|member| (member.id.to_string(), Target::Participant(member.id))));
    let mut names: Vec<MentionName> =
        ids.into_iter().map(|(id, target)| (id.to_lowercase(), id.as_str().into(), Some(target))).collect();
    let reserved = names.len();
    // Searching the list for each name would take time proportional to the square of the number of people.
    let mut places = BTreeMap::new();
    for (place, (key, ..)) in names.iter().enumerate() {
        places.entry(key.clone()).or_insert(place);
    }
    let agents = view.team.agents.iter().map(|agent| (&agent.name, Target::Agent(agent.id.clone())));
    let people = view.participants.iter().map(|member| (&member.name, Target::Participant(member.id)));
    for (name, target) in agents.chain(people) {
        let key = name.to_lowercase();
        match places.get(&key).copied() {
            None if key.is_empty() => {}
            None => {
                places.insert(key.clone(), names.len());
                names.push((key, name.clone(), Some(target)));
            }
            Some(at) if at >= reserved && names[at].2.as_ref() != Some(&target) => names[at].2 = None,
            Some(_) => {}
        }
    }
    names
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

fn add_unresolved(route: &mut Route, names: &[MentionName], text: &str) {
    /// Maximum number of characters in a name that is compared. Comparing takes time proportional to the product of
    /// both lengths, so a very long name would stall the session.
    const MAX_CHARS: usize = 64;
    let text: String = text.chars().take(MAX_CHARS).collect();
    /// Maximum number of unresolved mentions in a receipt. Otherwise, a text full of unknown mentions would be repeated
    /// entirely.
    const MAX_UNRESOLVED: usize = 10;
    if route.unresolved.len() >= MAX_UNRESOLVED || route.unresolved.iter().any(|known| *known.text == text) {
        return;
    }
    let key = text.to_lowercase();
    let mut near: Vec<(f64, &Arc<str>)> = names
        .iter()
        .map(|(name, shown, _)| (strsim::jaro_winkler(name, &key), shown))
        // Below this score, suggestions have nothing in common with the name.
        .filter(|(score, _)| *score > 0.75)
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    let nearest = near.into_iter().take(3).map(|(_, shown)| shown.clone()).collect();
    route.unresolved.push(UnresolvedMention { text: text.into(), nearest });
}

fn whole(names: &[MentionName], name: &str) -> Option<Target> {
    let key = name.to_lowercase();
    names.iter().find(|(known, ..)| *known == key).and_then(|(.., target)| target.clone())
}

/// Returns the text without its known mentions, because the recipients do not change the meaning of the text.
pub(super) fn without_names(view: &View, text: &str) -> String {
    let names = LazyCell::new(|| names(view));
    let mut left = String::new();
    let mut from = 0;
    for start in starts(text) {
        let Some((_, length)) = longest(&names, &text[start..]).filter(|_| start > from) else { continue };
        left.push_str(text[from..start].trim_end_matches(['@', '＠']));
        from = start + length;
    }
    left + &text[from..]
}

/// Returns the target of the longest name at the start of `rest` that ends at a word boundary, with its length in
/// bytes.
fn longest(names: &[MentionName], rest: &str) -> Option<(Option<Target>, usize)> {
    let fits = |(name, _, target): &MentionName| {
        let mut letters = rest.char_indices();
        let mut wanted = name.chars().peekable();
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
        (!goes_on).then(|| (target.clone(), next.map_or(rest.len(), |(at, _)| at)))
    };
    names.iter().filter_map(fits).max_by_key(|(_, length)| *length)
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

/// Returns the byte offsets after each `@` that can begin a mention: not in code or e-mail addresses, and not escaped.
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
