//! Redactions in the simulation, and their law: no node holds redacted content anywhere. Each participant marks their
//! messages with a unique word.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use roundtable::feed::{Cursor, Viewer};
use roundtable::kernel::*;
use roundtable::protocol::ServerFrame;
use servers::random::Random;
use tokio::time::timeout;
use uuid::Uuid;

use super::simulation::Simulation;

/// Returns the word that marks the text that a participant writes with one command.
pub(super) fn mark(who: u64, command: &str) -> String {
    format!("W{who}w{command}z")
}

fn marks(text: &str, of: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    words.filter(|word| word.starts_with(of) && word.ends_with('z')).map(str::to_owned).collect()
}

fn number_of(who: ParticipantId) -> u128 {
    who.0.as_u128() - 1
}

/// Returns a redaction of a random kind.
pub(super) fn redaction(dice: &mut Random, state: &State, whole: bool) -> Command {
    let view = state.view();
    let target = match dice.below(if whole { 7 } else { 6 }) {
        0..3 => {
            let messages: Vec<MessageId> = view.messages.iter().map(|message| message.id).collect();
            RedactionTarget::Message(if messages.is_empty() { MessageId(1) } else { *dice.pick(&messages) })
        }
        3 => RedactionTarget::File(view.files.last().map_or(FileId(1), |file| file.id)),
        4 | 5 => {
            let participant = ParticipantId(Uuid::from_u128(1 + u128::from(dice.below(5))));
            RedactionTarget::Participant { participant, content: dice.below(3) > 0 }
        }
        _ => RedactionTarget::Session,
    };
    Command::Redact { target, reason: None }
}

/// Redacts something in each session once no work is in progress.
pub(super) async fn redact_at_rest(simulation: &Arc<Simulation>, dice: &mut Random) -> Result<(), String> {
    for session in &simulation.sessions {
        let state = super::check::state(simulation, *session).0;
        if let Some(run) = state.view().active_run() {
            let cancel = Command::Cancel { run: run.id, reason: Some(mark(0, "x0").into()) };
            simulation.clone().send(dice, 0, "last-cancel", *session, cancel, 1).await;
        }
    }
    super::check::wait_until_idle(simulation).await?;
    for session in &simulation.sessions {
        let state = super::check::state(simulation, *session).0;
        let command = redaction(dice, &state, true);
        simulation.clone().send(dice, 0, "last-redaction", *session, command, 1).await;
    }
    Ok(())
}

/// Checks that no redacted text remains in the log, in snapshots, or in the state and output of any node.
pub(super) async fn check(simulation: &Simulation, session: SessionId) -> Result<(), String> {
    let frames: Vec<String> =
        simulation.log(session).iter().map(|frame| String::from_utf8_lossy(frame).into_owned()).collect();
    let events: Vec<Event> = frames
        .iter()
        .filter_map(|frame| match serde_json::from_str(frame) {
            Ok(ServerFrame::Event { event, .. }) => Some(event),
            _ => None,
        })
        .collect();
    let redacts = |event: &&Event| event.fact.is_redaction();
    let held =
        if events.iter().any(|event| redacts(&event)) { held_content(simulation, session).await } else { vec![] };
    // Nodes also hold messages that were posted during the check.
    let newest: Vec<String> =
        simulation.log(session).iter().map(|frame| String::from_utf8_lossy(frame).into_owned()).collect();
    for (at, event) in events.iter().enumerate().filter(|(_, event)| redacts(event)) {
        let (before, after) = (&frames[..at], newest[at..].concat());
        let complain = |what: &str, place: &str| {
            Err(format!("{what} is left of what seq {} redacted, {:?}, in {place}", event.seq, event.fact))
        };
        let (of, own_marks) = match &event.fact {
            Fact::MessageRedacted { message, .. } => match mark_of(&events, *message) {
                Some(mark) => (mark.clone(), vec![mark]),
                None => continue,
            },
            Fact::ParticipantRedacted { participant, content } => {
                check_name_erased(&events[..at], *participant)?;
                match content {
                    true => (format!("W{}w", number_of(*participant)), vec![]),
                    false => continue,
                }
            }
            Fact::SessionRedacted { .. } => ("W".to_owned(), vec![]),
            _ => continue,
        };
        // Later messages of a participant are not affected; each message is posted once.
        let since = if own_marks.is_empty() { marks(&after, &of) } else { BTreeSet::new() };
        for place in before.iter().chain(&held).chain(own_marks.iter().map(|_| &after)) {
            if let Some(left) = marks(place, &of).difference(&since).next() {
                return complain(left, place);
            }
        }
    }
    Ok(())
}

/// Returns the mark of a message, derived from its command because its text is gone.
fn mark_of(events: &[Event], message: MessageId) -> Option<String> {
    let is_posted =
        |event: &&Event| matches!(event.fact, Fact::MessagePosted { message: posted, .. } if posted == message);
    let posted = events.iter().find(is_posted)?;
    let Some(Cause::Command(id)) = &posted.cause else { return None };
    let who = u64::try_from(number_of(posted.by.participant_id()?)).ok()?;
    // Relayed messages have their own mark.
    let relays = matches!(posted.fact, Fact::MessagePosted { relays: Some(_), .. });
    Some(mark(who, &format!("{id}{}", if relays { "h" } else { "" })))
}

fn check_name_erased(before: &[Event], participant: ParticipantId) -> Result<(), String> {
    for event in before {
        let named = match &event.fact {
            Fact::ParticipantJoined { participant: of, name, .. }
            | Fact::ParticipantKnocked { participant: of, name, .. }
            | Fact::ParticipantRenamed { participant: of, name, .. }
                if *of == participant =>
            {
                &**name != REDACTED
            }
            _ => event.by.participant_id() == Some(participant) && &*event.by.name != REDACTED,
        };
        if named {
            return Err(format!("{participant} still has a name: {event:?}"));
        }
    }
    Ok(())
}

/// Returns the stored snapshot, and everything that each living node holds of the session.
async fn held_content(simulation: &Simulation, session: SessionId) -> Vec<String> {
    let kept = simulation.memory.snapshot(session).map(|(_, state)| String::from_utf8_lossy(&state).into_owned());
    let mut held: Vec<String> = kept.into_iter().collect();
    for node in simulation.living() {
        let wait = Duration::from_millis(1_000);
        if let Ok(Ok(feed)) = timeout(wait, node.feeds.open(session)).await
            && let Ok(Ok(())) = timeout(wait, feed.catch_up()).await
            && let Ok(Ok((_, snapshot))) = timeout(wait, Viewer::with_snapshot(Cursor::new(feed, None))).await
        {
            held.push(String::from_utf8_lossy(&snapshot).into_owned());
        }
    }
    held.extend(simulation.snapshot_of_owner(session).await);
    held
}
