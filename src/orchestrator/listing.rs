//! A session's entry in lists: who is there, what happens now, and whom it waits for.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kernel::{GateId, Phase, Role, State};
use crate::store::Listing;

/// What lists show of a session beside its title.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Summary {
    /// Where its run stands; absent before the first.
    pub phase: Option<Phase>,
    /// The newest message, `name: text`, cut at the end of a word to about 120 characters.
    pub line: String,
    /// The open gate that waits longest.
    pub gate: Option<SummaryGate>,
    /// The title of its team.
    pub team: Arc<str>,
    /// How many participants it has.
    pub participants: usize,
    /// The names of the agents that write now.
    pub writing: Vec<Arc<str>>,
    /// It takes no further commands.
    pub closed: bool,
}

/// A gate in a list.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct SummaryGate {
    /// Which.
    pub id: GateId,
    /// What is asked.
    pub prompt: Arc<str>,
    /// Roles that may vote.
    pub eligible: Vec<Role>,
    /// The participants who voted already.
    pub voted: Vec<Arc<str>>,
}

/// The entry of a session in this state.
pub(super) fn listing(state: &State) -> Listing {
    let view = state.view();
    // A turn that only calls tools says nothing.
    let said = view.messages.iter().rev().find(|message| !message.text.trim().is_empty());
    let line = said.map_or(String::new(), |message| format!("{}: {}", message.by.name, beginning(own(&message.text))));
    let writing = view.active_run().into_iter().flat_map(|run| &run.items);
    let summary = Summary {
        phase: view.run.as_ref().map(|run| run.phase),
        line,
        gate: view.gates.first().map(|gate| SummaryGate {
            id: gate.id,
            prompt: gate.prompt.clone(),
            eligible: gate.eligible.clone(),
            voted: gate.votes.iter().map(|vote| vote.by.id.clone()).collect(),
        }),
        team: view.team.title.clone(),
        participants: view.participants.len(),
        writing: writing.filter_map(|item| Some(view.team.agent(&item.agent)?.name.clone())).collect(),
        closed: view.closed,
    };
    Listing {
        title: view.title.clone(),
        updated_at: view.updated_at,
        unfinished: state.is_unfinished(),
        // A paused run has no gate and no work, and must not expire either.
        waiting: view.active_run().is_some(),
        summary: serde_json::to_string(&summary).unwrap_or_default().into(),
        retention_days: view.settings.retention_days.filter(|_| view.redacted.is_none()),
        run_by: view.active_run().and_then(|run| run.started_by).map(|(who, _)| who),
    }
}

/// Characters of a message that lists show.
const SHOWN: usize = 120;
/// Characters that the last word of them may have to be left out whole: a longer one is no word, or Chinese.
const WORD: usize = 40;

/// The beginning in one line, cut at the end of a word, with a mark that it is cut.
fn beginning(text: &str) -> String {
    let one_line = |text: &str| text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>();
    let Some((cut, next)) = text.char_indices().nth(SHOWN) else { return one_line(text) };
    let head = &text[..cut];
    let word = if next.is_whitespace() { None } else { head.rfind(char::is_whitespace) };
    let whole = word.filter(|at| head[*at..].chars().count() <= WORD).map_or(head, |at| &head[..at]);
    format!("{}…", one_line(whole.trim_end()))
}

/// The words without the quotation that they begin with: an answer stands below what it is about.
fn own(text: &str) -> &str {
    let mut rest = text.trim_start();
    while rest.starts_with('>') {
        rest = rest.split_once('\n').map_or("", |(_, below)| below).trim_start();
    }
    if rest.is_empty() { text } else { rest }
}

#[cfg(test)]
mod tests {
    use super::{SHOWN, beginning, own};

    #[test]
    fn what_lists_show_ends_with_a_whole_word() {
        assert_eq!(beginning("One line\nand another"), "One line and another");
        let words = "word ".repeat(30);
        assert_eq!(beginning(&format!("xx {words}")), format!("xx {}…", "word ".repeat(23).trim_end()));
        // It ends where a word ends.
        assert_eq!(beginning(&words), format!("{}…", "word ".repeat(24).trim_end()));
        assert_eq!(beginning(&"支付".repeat(100)), format!("{}…", "支付".repeat(SHOWN / 2)));
        assert_eq!(beginning(&"x".repeat(SHOWN)), "x".repeat(SHOWN));
    }

    #[test]
    fn a_quotation_at_the_beginning_is_not_what_was_said() {
        assert_eq!(own("> **Label**: scripted\n> more\n\n# Cases\n> quoted"), "# Cases\n> quoted");
        assert_eq!(own("> nothing else"), "> nothing else");
        assert_eq!(own("Words"), "Words");
    }
}
