//! A session's entry in lists: its participants, its current activity, and the people for whom it waits.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kernel::{GateId, Phase, Role, State, single_line};
use crate::store::Listing;

/// Fields of a session in lists, in addition to its title.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SessionSummary {
    /// Phase of the current or last run, for example `executing`. Absent before the first run.
    pub phase: Option<Phase>,
    /// Newest message as `name: text`, cut at the end of a word to about 120 characters.
    pub line: String,
    /// The open gate that has waited longest, where gates that a run or a call waits for come first. Absent if no gate
    /// is open.
    pub gate: Option<GateSummary>,
    /// Title of the team, for example `Research and summarize`.
    pub team: Arc<str>,
    /// Number of participants.
    pub participants: usize,
    /// Names of the agents that are writing now, at most 16. Example: `["Writer"]`.
    pub writing: Vec<Arc<str>>,
    /// True if the session is closed and accepts no further commands.
    pub closed: bool,
}

/// A gate in a list.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct GateSummary {
    /// Id of the gate: the seq of the event that opened it.
    pub id: GateId,
    /// Question to the participants, for example `Is this answer good?`.
    pub prompt: Arc<str>,
    /// Roles that are allowed to vote.
    pub eligible: Vec<Role>,
    /// Ids of the participants who have voted.
    pub voted: Vec<Arc<str>>,
}

/// Returns the listing of a session in this state.
pub(super) fn listing(state: &State) -> Listing {
    let view = state.view();
    // A turn that only calls tools has no text.
    let newest = view.messages.iter().rev().find(|message| !message.text.trim().is_empty());
    let line = newest.map_or(String::new(), |message| {
        format!("{}: {}", message.by.name, first_line(without_quotation(&message.text)))
    });
    let writing = view.active_run().into_iter().flat_map(|run| &run.running).take(MAX_WRITING);
    let summary = SessionSummary {
        phase: view.run.as_ref().map(|run| run.phase),
        line,
        gate: view.gates.iter().min_by_key(|gate| !gate.holds_work()).map(|gate| GateSummary {
            id: gate.id,
            prompt: gate.prompt.clone(),
            eligible: gate.eligible.clone(),
            voted: gate.votes.iter().map(|vote| vote.by.id.clone()).collect(),
        }),
        team: view.team.title.clone(),
        participants: view.participants.len(),
        writing: writing.filter_map(|message| Some(view.team.agent(&message.agent)?.name.clone())).collect(),
        closed: view.closed,
    };
    Listing {
        title: view.title.clone(),
        updated_at: view.updated_at,
        unfinished: state.is_unfinished(),
        // A session whose run is paused has neither a gate nor work, and must not expire either.
        waiting: view.active_run().is_some(),
        summary: serde_json::to_string(&summary).expect("a summary serializes: its keys are strings").into(),
        retention_days: view.settings.retention_days.filter(|_| view.redacted.is_none()),
        team: Some(view.team.account()),
        run_by: view.active_run().and_then(|run| run.started_by).map(|(who, _)| who),
    }
}

/// Maximum number of names in `writing`. The entry is written with every append, and hundreds of agents can write at
/// once.
const MAX_WRITING: usize = 16;
/// Maximum number of characters of a message that lists show.
const MAX_LINE_CHARS: usize = 120;
/// Maximum length of a cut word that is omitted, in characters. A longer string is not a word, or is Chinese.
const MAX_WORD_CHARS: usize = 40;

/// Returns the beginning of the text on one line, cut at the end of a word, with an ellipsis if it was cut.
fn first_line(text: &str) -> String {
    let Some((cut, next)) = text.char_indices().nth(MAX_LINE_CHARS) else { return single_line(text) };
    let head = &text[..cut];
    let word = if next.is_whitespace() { None } else { head.rfind(char::is_whitespace) };
    let whole = word.filter(|at| head[*at..].chars().count() <= MAX_WORD_CHARS).map_or(head, |at| &head[..at]);
    format!("{}…", single_line(whole.trim_end()))
}

/// Returns the text without the quotation at its beginning. A reply follows the text that it quotes.
fn without_quotation(text: &str) -> &str {
    let mut rest = text.trim_start();
    while rest.starts_with('>') {
        rest = rest.split_once('\n').map_or("", |(_, below)| below).trim_start();
    }
    if rest.is_empty() { text } else { rest }
}

#[cfg(test)]
mod tests {
    use super::{MAX_LINE_CHARS, first_line, without_quotation};

    #[test]
    fn excerpts_in_lists_end_with_a_whole_word() {
        assert_eq!(first_line("One line\nand another"), "One line and another");
        let words = "word ".repeat(30);
        assert_eq!(first_line(&format!("xx {words}")), format!("xx {}…", "word ".repeat(23).trim_end()));
        // The limit coincides with the end of a word.
        assert_eq!(first_line(&words), format!("{}…", "word ".repeat(24).trim_end()));
        assert_eq!(first_line(&"支付".repeat(100)), format!("{}…", "支付".repeat(MAX_LINE_CHARS / 2)));
        assert_eq!(first_line(&"x".repeat(MAX_LINE_CHARS)), "x".repeat(MAX_LINE_CHARS));
    }

    #[test]
    fn a_quotation_at_the_beginning_is_not_what_was_said() {
        assert_eq!(without_quotation("> **Label**: scripted\n> more\n\n# Cases\n> quoted"), "# Cases\n> quoted");
        assert_eq!(without_quotation("> nothing else"), "> nothing else");
        assert_eq!(without_quotation("Words"), "Words");
    }
}
