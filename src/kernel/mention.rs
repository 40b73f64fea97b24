//! Mentions: whom a text is for. Parsed once, here, so that no two doors read a text differently.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use unicode_normalization::char::is_combining_mark;

use super::{Role, Target, Unresolved, View, code};

/// Why a message went where it went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RouteReason {
    /// The sender named the addressees beside the text.
    Explicit,
    /// The text mentions them.
    Mention,
    /// Nobody was named: it is for the whole flow.
    Default,
    /// It is an approval of the open gate.
    Approval,
    /// It goes with a vote, or stands in the place of a tool's result.
    Vote,
    /// It names only what nobody is called; it reached nobody, because a guess could start the wrong agent. Where a gate waits
    /// for words they are for the whole flow.
    Unresolved,
}

/// An addressee as a sender names it beside the text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Addressee {
    /// As the server writes it.
    Target(Target),
    /// As a person would write it after the `@`.
    Name(String),
}

/// Where a message goes, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    /// Whom it is for; empty: the flow decides.
    pub to: Vec<Target>,
    /// Why.
    pub reason: RouteReason,
    /// Mentions that name nobody.
    pub unresolved: Vec<Unresolved>,
}

impl Route {
    /// Whether agents are meant. What names only people, or nobody who exists, starts nothing.
    pub fn is_for_agents(&self) -> bool {
        match self.reason {
            RouteReason::Unresolved => false,
            _ => self.to.is_empty() || self.to.iter().any(Target::is_for_agents),
        }
    }

    /// The same for words that are meant for agents in any case: people who are mentioned in them are not addressed, else
    /// no agent would read them.
    pub fn for_agents(mut self) -> Self {
        self.to.retain(Target::is_for_agents);
        if self.to.is_empty() {
            self.reason = RouteReason::Default;
        }
        self
    }
}

/// Where a text goes: by the addressees beside it if there are any, else by its mentions.
pub fn route(view: &View, text: &str, beside: Option<&[Addressee]>) -> Route {
    let names = names(view);
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

/// Something that can stand after an `@`: in lower case, as it is shown, and what it means; `None` where that would be a
/// guess.
type Name = (String, Arc<str>, Option<Target>);

/// Everything that can stand after an `@`. Ids come first, and no name takes one's place, else a guest could silence an
/// agent by taking its name. A name that two have means neither.
fn names(view: &View) -> Vec<Name> {
    let mut ids = vec![("all".to_owned(), Target::All), ("people".to_owned(), Target::People)];
    ids.extend(Role::ALL.map(|role| (format!("role:{}", role.as_str()), Target::Role(role))));
    ids.extend(view.team.agents.iter().map(|agent| (agent.id.to_string(), Target::Agent(agent.id.clone()))));
    ids.extend(view.participants.iter().map(|member| (member.id.to_string(), Target::Participant(member.id))));
    let mut names: Vec<Name> =
        ids.into_iter().map(|(id, target)| (id.to_lowercase(), id.as_str().into(), Some(target))).collect();
    let reserved = names.len();
    let agents = view.team.agents.iter().map(|agent| (&agent.name, Target::Agent(agent.id.clone())));
    let people = view.participants.iter().map(|member| (&member.name, Target::Participant(member.id)));
    for (name, target) in agents.chain(people) {
        let key = name.to_lowercase();
        match names.iter().position(|(known, ..)| *known == key) {
            None if key.is_empty() => {}
            None => names.push((key, name.clone(), Some(target))),
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

fn add_unresolved(route: &mut Route, names: &[Name], text: &str) {
    /// Comparing takes as long as both names together: a whole essay in the place of a name would stall the session.
    const LONGEST: usize = 64;
    let text: String = text.chars().take(LONGEST).collect();
    /// A bound on the receipt: a text of nothing but unknown mentions is not repeated in it.
    const MOST: usize = 10;
    if route.unresolved.len() >= MOST || route.unresolved.iter().any(|known| *known.text == text) {
        return;
    }
    let key = text.to_lowercase();
    let mut near: Vec<(f64, &Arc<str>)> = names
        .iter()
        .map(|(name, shown, _)| (strsim::jaro_winkler(name, &key), shown))
        // Below, names that have nothing to do with each other would be suggested.
        .filter(|(score, _)| *score > 0.75)
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    let nearest = near.into_iter().take(3).map(|(_, shown)| shown.clone()).collect();
    route.unresolved.push(Unresolved { text: text.into(), nearest });
}

fn whole(names: &[Name], name: &str) -> Option<Target> {
    let key = name.to_lowercase();
    names.iter().find(|(known, ..)| *known == key).and_then(|(.., target)| target.clone())
}

/// The text without its mentions of names that there are: whom it is for says nothing about what it says.
pub(super) fn without_names(view: &View, text: &str) -> String {
    let names = names(view);
    let mut left = String::new();
    let mut from = 0;
    for start in starts(text) {
        let Some((_, length)) = longest(&names, &text[start..]).filter(|_| start > from) else { continue };
        left.push_str(text[from..start].trim_end_matches(['@', '＠']));
        from = start + length;
    }
    left + &text[from..]
}

/// The target of the longest name that `rest` begins with and that ends there as a word, and the bytes that it takes.
fn longest(names: &[Name], rest: &str) -> Option<(Option<Target>, usize)> {
    let fits = |(name, _, target): &Name| {
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
        // `@all` is not the beginning of `@alliance`; in `@all重新生成` it ends, since Chinese needs no space.
        let goes_on = last.is_some_and(is_word) && next.is_some_and(|(_, next)| is_word(next));
        (!goes_on).then(|| (target.clone(), next.map_or(rest.len(), |(at, _)| at)))
    };
    names.iter().filter_map(fits).max_by_key(|(_, length)| *length)
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

/// Byte offsets just behind each `@` that may begin a mention: not in code, not in an e-mail address, not escaped.
fn starts(text: &str) -> Vec<usize> {
    let code = code::ranges(text);
    let mut starts = vec![];
    let mut before = None;
    for (at, c) in text.char_indices() {
        if matches!(c, '@' | '＠') && !before.is_some_and(joins) && !code.iter().any(|range| range.contains(&at)) {
            starts.push(at + c.len_utf8());
        }
        before = Some(c);
    }
    starts
}

/// Whether an `@` behind this character belongs to it, as in `\\@`, `ann@example.org` or `é@example.org`.
fn joins(before: char) -> bool {
    let part_of_word = before.is_alphanumeric() || is_combining_mark(before);
    (part_of_word && !is_of_unspaced_script(before)) || matches!(before, '\\' | '.' | '_' | '-' | '+')
}

/// Letters of scripts that put no space between words: `请@Gen` mentions somebody.
fn is_of_unspaced_script(c: char) -> bool {
    matches!(c,
        '\u{e00}'..='\u{eff}' // Thai, Lao
        | '\u{1000}'..='\u{109f}' // Burmese
        | '\u{1780}'..='\u{17ff}' // Khmer
        | '\u{3005}'..='\u{3007}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}' // Han
        | '\u{3040}'..='\u{312f}') // Kana, Bopomofo
}
