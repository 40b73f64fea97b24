//! Cuts a conversation to fit a model's context, and keeps the newest parts.

use super::truncate::{fair_share, truncate};
use crate::agent::{CutBehavior, Image, ModelMessage, Transcript, TranscriptEntry};

/// Tokens of a message's framing, in addition to its text.
const MESSAGE_OVERHEAD_TOKENS: u64 = 8;
/// Upper bound on the tokens of the separator between two parts.
const SEPARATOR_TOKENS: u64 = Transcript::BETWEEN.len() as u64;

/// Error if the parts of the conversation that must stay do not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContextLimitError {
    /// True if most of these tokens belong to the agent's own last calls and their results.
    pub own: bool,
    /// Tokens of the parts that must stay.
    pub needed: u64,
    /// Tokens that fit.
    pub room: u64,
}

/// Cuts a conversation to `room` tokens. `count` counts the tokens in a text, and `look` counts those of an image.
///
/// System messages, the newest message to the agent and the newest tool results are kept. If these results together are
/// too long, they are cut in the middle. Of the remaining messages, the newest are kept. The kept part begins with a
/// message to the agent, and a tool result is kept together with its call.
///
/// # Errors
/// Fails if the parts that must stay do not fit.
pub fn fit(
    mut messages: Vec<ModelMessage>,
    room: u64,
    count: impl Fn(&str) -> u64,
    look: impl Fn(&Image) -> u64,
) -> Result<Vec<ModelMessage>, ContextLimitError> {
    let seen = |images: &[Image]| images.iter().map(&look).sum::<u64>();
    // Count part by part, because most parts have already been counted in an earlier turn, and `count` can cache the
    // counts.
    let kept_cost = |transcript: &Transcript| {
        let counted = transcript.bare().parts().iter().map(|part| SEPARATOR_TOKENS + count(&part.text)).sum::<u64>();
        MESSAGE_OVERHEAD_TOKENS + counted.saturating_sub(SEPARATOR_TOKENS) + seen(&transcript.images)
    };
    let cost = |message: &ModelMessage| match message {
        ModelMessage::System(text) => MESSAGE_OVERHEAD_TOKENS + count(text),
        ModelMessage::Tool { result, .. } => MESSAGE_OVERHEAD_TOKENS + count(result.text()),
        ModelMessage::User(block) => MESSAGE_OVERHEAD_TOKENS + count(block.text()),
        ModelMessage::Transcript(transcript) => {
            let past = transcript.loose().map(|entry| MESSAGE_OVERHEAD_TOKENS + count(entry.block.text()));
            kept_cost(transcript) + past.sum::<u64>()
        }
        ModelMessage::Assistant { text, tool_calls } => {
            let calls =
                tool_calls.iter().map(|call| MESSAGE_OVERHEAD_TOKENS + count(&call.name) + count(&call.arguments));
            MESSAGE_OVERHEAD_TOKENS + count(text) + calls.sum::<u64>()
        }
    };
    let costs: Vec<u64> = messages.iter().map(&cost).collect();
    if costs.iter().sum::<u64>() <= room {
        return Ok(messages);
    }

    let groups = group_messages(&messages);
    let is_words = |group: &MessageGroup| group.is_words;
    let newest_words = groups.iter().rposition(is_words);
    let mut kept = vec![false; groups.len()];
    let mut past_of_newest = None;
    let mut must = 0;
    for (place, group) in groups.iter().enumerate() {
        if group.is_system || Some(place) == newest_words || place + 1 == groups.len() {
            kept[place] = true;
            must += match &messages[group.from] {
                ModelMessage::Transcript(transcript) if Some(place) == newest_words => {
                    past_of_newest = Some((group.from, transcript.clone()));
                    kept_cost(transcript)
                }
                _ => costs[group.from..group.to].iter().sum(),
            };
        }
    }
    let last_turn = groups.last().map_or(0, |group| group.from);
    let mut complete = must <= room;
    if !complete {
        let shortened = shorten_results(&mut messages[last_turn..], must - room, &count);
        let own = costs[last_turn..].iter().sum::<u64>() > must / 2 && newest_words != groups.len().checked_sub(1);
        shortened.ok_or(ContextLimitError { own, needed: must, room })?;
    }
    let mut left = room.saturating_sub(must);

    let newest = newest_words.unwrap_or(groups.len());
    for place in (newest..groups.len()).rev().filter(|place| *place != newest) {
        complete = complete && keep_if_fits(&groups[place], &costs, &mut kept[place], &mut left);
    }
    let mut messages: Vec<Option<ModelMessage>> = messages.into_iter().map(Some).collect();
    if let Some((at, transcript)) = past_of_newest {
        let (cut, whole) = if complete { shorten(transcript, &mut left, &count) } else { (transcript.bare(), false) };
        complete = complete && whole;
        messages[at] = Some(ModelMessage::Transcript(cut));
    }
    for place in (0..newest.min(groups.len())).rev() {
        complete = complete && keep_if_fits(&groups[place], &costs, &mut kept[place], &mut left);
    }
    // The kept history must begin with a message to the agent, not in the middle of a response.
    for (place, group) in groups.iter().enumerate().take(newest.min(groups.len())) {
        if group.is_system {
            continue;
        }
        if kept[place] && group.is_words {
            break;
        }
        kept[place] = false;
    }
    let keep = groups.iter().zip(kept).filter(|(_, kept)| *kept).flat_map(|(group, _)| group.from..group.to);
    Ok(keep.filter_map(|at| messages[at].take()).collect())
}

/// Messages that are kept or dropped together.
struct MessageGroup {
    from: usize,
    to: usize,
    is_system: bool,
    is_words: bool,
}

fn group_messages(messages: &[ModelMessage]) -> Vec<MessageGroup> {
    let mut groups: Vec<MessageGroup> = vec![];
    for (at, message) in messages.iter().enumerate() {
        // A message after a tool result arrived while the agent was working, so it is not the request that must stay.
        let after_result =
            at.checked_sub(1).is_some_and(|before| matches!(messages[before], ModelMessage::Tool { .. }));
        let stays_with_the_last = match message {
            ModelMessage::Tool { .. } => true,
            ModelMessage::User(_) => after_result,
            _ => false,
        };
        match groups.last_mut() {
            Some(group) if stays_with_the_last => group.to = at + 1,
            _ => groups.push(MessageGroup {
                from: at,
                to: at + 1,
                is_system: matches!(message, ModelMessage::System(_)),
                is_words: matches!(message, ModelMessage::User(_) | ModelMessage::Transcript(_)),
            }),
        }
    }
    groups
}

/// Keeps the group if it fits, and returns whether the group is kept. After a group that does not fit, the caller does
/// not try older groups.
fn keep_if_fits(group: &MessageGroup, costs: &[u64], kept: &mut bool, left: &mut u64) -> bool {
    if *kept {
        return true;
    }
    let cost = costs[group.from..group.to].iter().sum();
    let rest = left.checked_sub(cost);
    *left = rest.unwrap_or(*left);
    *kept = rest.is_some();
    *kept
}

/// Removes at least `over` tokens from the tool results of one turn, most of them from the longest results. Returns
/// `None` if this is not possible.
fn shorten_results(turn: &mut [ModelMessage], over: u64, count: &impl Fn(&str) -> u64) -> Option<()> {
    let results = turn.iter_mut().filter_map(|message| match message {
        ModelMessage::Tool { result, .. } => Some(result),
        _ => None,
    });
    let mut results: Vec<_> = results.map(|result| (count(result.text()), result)).collect();
    let costs: Vec<u64> = results.iter().map(|(cost, _)| *cost).collect();
    let room = costs.iter().sum::<u64>().checked_sub(over)?;
    let share = fair_share(costs, room);
    for (_, result) in results.iter_mut().filter(|(cost, _)| *cost > share) {
        **result = truncate(result, share, count)?;
    }
    Some(())
}

/// Returns the transcript with as much of its past as fits, and whether the whole past fits.
fn shorten(mut transcript: Transcript, left: &mut u64, count: &impl Fn(&str) -> u64) -> (Transcript, bool) {
    let mut from = transcript.past.len();
    while from > 0 {
        let newest = from == transcript.past.len();
        let entry = &mut transcript.past[from - 1];
        let mut cost =
            if entry.at_cut == CutBehavior::Stays { 0 } else { MESSAGE_OVERHEAD_TOKENS + count(entry.block.text()) };
        if cost > *left && newest && entry.at_cut == CutBehavior::Begins {
            // A part of the newest entry is better than nothing.
            let Some(some) = truncate(&entry.block, left.saturating_sub(MESSAGE_OVERHEAD_TOKENS), count) else { break };
            cost = MESSAGE_OVERHEAD_TOKENS + count(some.text());
            entry.block = some;
        }
        let Some(rest) = left.checked_sub(cost) else { break };
        *left = rest;
        from -= 1;
    }
    if from == 0 {
        return (transcript, true);
    }
    let begins = |entry: &TranscriptEntry| entry.at_cut != CutBehavior::Follows;
    let from = (from..transcript.past.len()).find(|at| begins(&transcript.past[*at])).unwrap_or(transcript.past.len());
    let kept = transcript.past.split_off(from);
    transcript.past.retain(|entry| entry.at_cut == CutBehavior::Stays);
    transcript.omitted += from - transcript.past.len();
    transcript.past.extend(kept);
    (transcript, false)
}

#[cfg(test)]
#[path = "context_budget_tests.rs"]
mod tests;
