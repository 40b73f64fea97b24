//! Folds facts into the state. Never fails, because everything in the log has happened.

mod calls;
mod gates;
mod history;
mod node_events;
mod results;
mod run;
mod sources;

use std::{collections::VecDeque, sync::Arc};

use super::gate::{Gate, GateKind};
use super::message::mention::RouteReason;
use super::session::title;
use super::state::Receipt;
use super::{
    Actor, Cause, Event, Fact, File, Knock, LeaveReason, Member, Message, MessageId, ParticipantId, QueuedMessage,
    State, Target, Task, Timestamp, UsageTotals, View, redaction,
};

/// Applies `event` to the state. Events must be applied in the order of the log.
pub fn evolve(state: &mut State, event: &Event) {
    state.seq = event.seq;
    state.view.updated_at = event.at;
    record_receipt(state, event);
    state.remember_redaction(event);
    history::record(&mut state.view, event);
    sources::record(&mut state.view, event);
    node_events::record(&mut state.view, event);
    record_guest(&mut state.view, event);
    apply(&mut state.view, event);
}

/// Records the receipt of a participant's command: the seq of the last event that the command led to.
fn record_receipt(state: &mut State, event: &Event) {
    let id = match &event.cause {
        Some(Cause::Command(id)) => id,
        Some(Cause::Seq(decision)) => return extend_receipt_of_vote(state, event.seq, *decision),
        None => return,
    };
    // Two participants can choose the same id. Events by the server name no participant, so the preceding seq shows
    // whose command they belong to.
    let same = |last: &&mut Arc<Receipt>| {
        let actor = event.by.participant_id().is_none() || event.by.id == last.actor;
        actor && last.command == *id && last.seq + 1 == event.seq
    };
    match state.receipts.back_mut().filter(same) {
        Some(last) => Arc::make_mut(last).seq = event.seq,
        None => {
            if state.receipts.len() == State::RECEIPTS {
                state.receipts.pop_front();
            }
            let receipt = Receipt { actor: event.by.id.clone(), command: id.clone(), seq: event.seq };
            state.receipts.push_back(Arc::new(receipt));
        }
    }
}

/// Extends the receipt of a vote to the events of the command that the vote approved, which are written together with
/// the vote. Otherwise, the response to a repeated vote would have a different seq than the first one.
fn extend_receipt_of_vote(state: &mut State, seq: u64, decision: u64) {
    let is_asked =
        |gate: &Arc<Gate>| gate.kind == GateKind::Command && gate.ended.is_some_and(|ended| ended.get() == decision);
    let last = state.receipts.back_mut().filter(|last| last.seq + 1 == seq && last.seq >= decision);
    if let Some(last) = last.filter(|_| state.view.decided.iter().any(is_asked)) {
        Arc::make_mut(last).seq = seq;
    }
}

/// Records whether the actor is now a guest. The server can change this while the participant is in the session.
fn record_guest(view: &mut View, event: &Event) {
    // An approved command records its sender as they were when they asked for the command.
    if !matches!(event.cause, Some(Cause::Seq(_))) {
        let member = view.participants.iter_mut().find(|member| Some(member.id) == event.by.participant_id());
        member.into_iter().for_each(|member| member.guest = event.by.guest);
    }
}

/// Removes the votes of a participant from all open gates.
fn remove_votes(view: &mut View, participant: ParticipantId) {
    let votes = |gate: &mut Gate| gate.votes.retain(|vote| vote.by.participant_id() != Some(participant));
    view.gates.iter_mut().for_each(votes);
}

fn apply(view: &mut View, event: &Event) {
    match &event.fact {
        Fact::SessionCreated { title, team, settings } => {
            view.created_at = event.at;
            view.title = title.clone();
            view.team = Arc::new(team.clone());
            view.settings = settings.clone();
        }
        Fact::SessionUpdated { title, settings, .. } => {
            view.titled |= title.is_some() && event.by.participant_id().is_some();
            view.title = title.as_ref().unwrap_or(&view.title).clone();
            view.settings = settings.as_ref().unwrap_or(&view.settings).clone();
        }
        Fact::SessionClosed { .. } => view.closed = true,
        Fact::ParticipantJoined { participant, kind, name, role, guest, lookalike } => {
            view.participants.retain(|member| member.id != *participant);
            view.removed.retain(|removed| removed != participant);
            view.refused.retain(|refused| refused != participant);
            view.knocks.retain(|knock| knock.participant != *participant);
            let (id, kind, name, role) = (*participant, *kind, name.clone(), *role);
            let (guest, lookalike) = (*guest, *lookalike);
            view.participants.push(Member { id, kind, name, role, guest, lookalike, delegate: None });
        }
        Fact::ParticipantRenamed { participant, name, .. } => {
            if let Some(member) = view.participants.iter_mut().find(|member| member.id == *participant) {
                (member.name, member.lookalike) = (name.clone(), false);
            }
        }
        Fact::ParticipantKnocked { participant, kind, name, role } => {
            view.knocks.retain(|knock| knock.participant != *participant);
            let (participant, kind, name, role) = (*participant, *kind, name.clone(), *role);
            view.knocks.push(Knock { participant, kind, name, role, guest: event.by.guest, at: event.at });
        }
        Fact::ParticipantRefused { participant } => {
            view.knocks.retain(|knock| knock.participant != *participant);
            push_bounded(&mut view.refused, *participant, View::REMOVED);
        }
        Fact::ParticipantLeft { participant, reason } => {
            view.participants.retain(|member| member.id != *participant);
            let represented = |member: &&mut Member| member.delegate.is_some_and(|known| known.to == *participant);
            view.participants.iter_mut().filter(represented).for_each(|member| member.delegate = None);
            remove_votes(view, *participant);
            if *reason == LeaveReason::Removed {
                push_bounded(&mut view.removed, *participant, View::REMOVED);
            }
        }
        Fact::ParticipantRoleChanged { participant, role } => {
            if let Some(member) = view.participants.iter_mut().find(|member| member.id == *participant) {
                member.role = *role;
            }
            // They vote again in the new role. Otherwise, a demoted reviewer would still count as one, a limited token
            // could decide in a role that it does not have, and a comment could become a vote.
            remove_votes(view, *participant);
        }
        Fact::MessagePosted { message, text, files, relays, request } => {
            add_message(view, event, *message, &event.by, text);
            change_message(view, *message, |posted| {
                (posted.files, posted.relays, posted.request) = (files.clone(), *relays, request.clone());
            });
        }
        Fact::FileAdded { file, name, version, media_type, bytes, digest, call, .. } => {
            view.files.push(Arc::new(File {
                id: *file,
                name: name.clone(),
                version: *version,
                media_type: media_type.clone(),
                bytes: *bytes,
                digest: digest.clone(),
                at: event.at,
                by: event.by.clone(),
                call: *call,
                removed: false,
                redacted: event.redacted.clone(),
            }));
        }
        Fact::FileRemoved { name, .. } => {
            for file in view.files.iter_mut().filter(|file| file.name == *name) {
                *file = Arc::new(File { removed: true, ..File::clone(file) });
            }
        }
        Fact::MessageRouted { message, to, waiting, reason, unresolved } => {
            change_message(view, *message, |posted| (posted.to, posted.unresolved) = (to.clone(), unresolved.clone()));
            let for_agents = to.is_empty() || to.iter().any(Target::is_for_agents);
            if for_agents && *reason != RouteReason::Unresolved {
                add_model_message(view, *message);
            }
            if let Some(mode) = waiting {
                view.inbox.push(QueuedMessage { message: *message, mode: *mode, to: to.clone() });
            }
        }
        Fact::MessageRedacted { .. }
        | Fact::FileRedacted { .. }
        | Fact::SessionRedacted { .. }
        | Fact::ParticipantRedacted { .. } => redaction::apply(view, event),
        Fact::MessageWithdrawn { message } => {
            view.inbox.retain(|queued| queued.message != *message);
            view.messages.retain(|known| known.id != *message);
            view.model_messages.retain(|known| known.id != *message);
        }
        Fact::GateOpened { .. }
        | Fact::GateVoted { .. }
        | Fact::GateVoteWithdrawn { .. }
        | Fact::GateCommented { .. }
        | Fact::GateThreadChanged { .. }
        | Fact::GateEscalated { .. }
        | Fact::GateRevised { .. }
        | Fact::GateDecided { .. }
        | Fact::GateExpired { .. }
        | Fact::GateClosed { .. } => gates::apply(view, event),
        Fact::VotesDelegated { participant, delegate } => {
            if let Some(member) = view.participants.iter_mut().find(|member| member.id == *participant) {
                member.delegate = *delegate;
            }
        }
        Fact::PermissionGranted { permission } => {
            // Permissions that have ended are removed when another one is added, so that their number is bounded.
            // Permissions of calls that wait to be sent stay, because their expiry is checked again when the calls are
            // sent.
            let run = view.run.as_ref();
            view.permissions
                .retain(|known| !known.is_over(event.at) || run.is_some_and(|run| calls::waits_under(run, known.id)));
            view.permissions.push(permission.clone());
        }
        Fact::PermissionRevoked { permission, .. } => {
            view.permissions.retain(|known| known.id != *permission);
            run::apply(view, event);
        }
        Fact::ToolChecked { standing, .. } => {
            let used = view.permissions.iter_mut().find(|known| Some(known.id) == *standing);
            used.into_iter().for_each(|known| known.uses += 1);
            run::apply(view, event);
        }
        Fact::RunFinished { run, .. } | Fact::RunFailed { run, .. } | Fact::RunCancelled { run, .. } => {
            view.permissions.retain(|known| known.run != Some(*run));
            run::apply(view, event);
        }
        Fact::RunStarted { run, flow, input, to } => {
            run::start(view, event, *run, flow, *input, to);
            title::record_request(view, *run, *input);
            let relayed = view.model_messages.iter().filter(|known| known.relays.is_some() && known.run.is_none());
            for message in relayed.map(|known| known.id).collect::<Vec<_>>() {
                change_message(view, message, |relayed| relayed.run = Some(*run));
            }
            add_to_run(view, Some(*input));
        }
        Fact::MessageConsumed { message, step, .. } => {
            let queued =
                view.inbox.iter().position(|queued| queued.message == *message).map(|at| view.inbox.remove(at));
            let author = view.message(*message).and_then(|message| message.by.participant_id());
            if let (Some(run), Some(author)) = (&mut view.run, author)
                && !run.directed_by.contains(&author)
            {
                run.directed_by.push(author);
            }
            if let (Some(run), Some(queued), None) = (&mut view.run, queued, step) {
                run::begin_round(run, queued.to, Some(*message), false);
            }
            add_to_run(view, Some(*message));
        }
        Fact::UsageRecorded {
            agent,
            message,
            participant,
            run,
            input_tokens,
            output_tokens,
            estimated,
            cost_micros,
            ..
        } => {
            title::end_request(view, agent, *message);
            let used = |totals: &mut UsageTotals| {
                totals.turns += 1;
                totals.input_tokens += input_tokens;
                totals.output_tokens += output_tokens;
                totals.cost_micros += cost_micros;
                totals.estimated |= estimated;
            };
            used(totals_of(&mut view.usage_by_agent, agent.as_str()));
            if let Some(participant) = participant {
                used(totals_of(&mut view.usage_by_participant, &participant.to_string()));
            }
            if *view.usage_of_run.of == *run.to_string() {
                used(&mut view.usage_of_run);
            }
        }
        Fact::MessageCompleted { message, step, text, run, calls, out_of_turns, truncated, agent, .. } => {
            add_message(view, event, *message, &event.by, text);
            let running = view.active_run().and_then(|run| run.running_message(*message));
            let task = running.map_or(Task::Reply, |running| running.task);
            change_message(view, *message, |done| {
                (done.run, done.step, done.task, done.calls) = (Some(*run), Some(*step), task, *calls);
                done.truncated = *truncated;
            });
            // Text that accompanies calls is read only by its author, together with the calls.
            if (*calls == 0 || *out_of_turns) && results::is_conversation(view, agent, task) {
                add_model_message(view, *message);
            }
            run::apply(view, event);
        }
        Fact::MessageAborted { message, step, text, reason, run, agent, .. } => {
            add_message(view, event, *message, &event.by, text);
            change_message(view, *message, |ended| {
                (ended.run, ended.step, ended.aborted) = (Some(*run), Some(*step), Some(*reason));
            });
            if results::is_conversation(view, agent, Task::Reply) {
                add_model_message(view, *message);
            }
            run::apply(view, event);
        }
        Fact::RunStateChanged { .. }
        | Fact::MessageStarted { .. }
        | Fact::StepStarted { .. }
        | Fact::StepCompleted { .. }
        | Fact::StepSkipped { .. }
        | Fact::AttemptFailed { .. }
        | Fact::ToolProposed { .. }
        | Fact::ToolStarted { .. }
        | Fact::ToolCompleted { .. }
        | Fact::ToolFailed { .. }
        | Fact::ToolUncertain { .. }
        | Fact::PlanProposed { .. }
        | Fact::PlanEdited { .. }
        | Fact::PlanItemChanged { .. }
        | Fact::DecisionMade { .. }
        | Fact::OutputProduced { .. }
        | Fact::OutputRejected { .. }
        | Fact::ControlRequested { .. }
        | Fact::ControlAcknowledged { .. }
        | Fact::ControlEffective { .. } => run::apply(view, event),
    }
}

/// Adds the message to the run, unless the run already contains it.
fn add_to_run(view: &mut View, message: Option<MessageId>) {
    let (Some(message), Some(run)) = (message, view.run.as_mut()) else { return };
    let id = run.id;
    if view.model_messages.iter().any(|known| known.id == message && known.run == Some(id)) {
        return;
    }
    run.messages += 1;
    change_message(view, message, |adopted| adopted.run = Some(id));
    add_model_message(view, message);
}

/// Adds the message to those that models can read. Waiting messages are not evicted before they are consumed.
fn add_model_message(view: &mut View, id: MessageId) {
    if view.model_messages.iter().any(|known| known.id == id) {
        return;
    }
    let Some(message) = view.message(id).cloned() else { return };
    if view.model_messages.len() >= View::MESSAGES {
        // Without the input, agents of a long run would not know their task.
        let input = view.active_run().map(|run| run.input);
        let stays = |known: &Arc<Message>| {
            Some(known.id) == input || view.inbox.iter().any(|queued| queued.message == known.id)
        };
        let oldest = view.model_messages.iter().position(|known| !stays(known)).unwrap_or(0);
        view.model_messages.remove(oldest);
    }
    view.model_messages.push_back(message);
}

fn add_message(view: &mut View, event: &Event, id: MessageId, by: &Actor, text: &Arc<str>) {
    if view.messages.len() == View::MESSAGES {
        view.messages.pop_front();
        view.more = true;
    }
    let at: Timestamp = event.at;
    let (by, text) = (by.clone(), text.clone());
    let (to, unresolved) = (vec![], vec![]);
    view.messages.push_back(Arc::new(Message {
        id,
        at,
        by,
        text,
        files: vec![],
        relays: None,
        request: None,
        to,
        unresolved,
        run: None,
        step: None,
        task: Task::Reply,
        comment_on: None,
        calls: 0,
        aborted: None,
        truncated: false,
        redacted: event.redacted.clone(),
    }));
}

fn change_message(view: &mut View, id: MessageId, change: impl FnOnce(&mut Message)) {
    let Some(mut changed) = view.message(id).map(|message| Message::clone(message)) else { return };
    change(&mut changed);
    let changed = Arc::new(changed);
    let comments = view.gates.iter_mut().flat_map(|gate| &mut gate.threads).flat_map(|thread| &mut thread.comments);
    let lists = view.messages.iter_mut().rev().chain(view.model_messages.iter_mut().rev()).chain(comments);
    lists.filter(|message| message.id == id).for_each(|message| *message = changed.clone());
}

fn push_bounded<T>(list: &mut VecDeque<T>, item: T, max_items: usize) {
    if list.len() >= max_items {
        list.pop_front();
    }
    list.push_back(item);
}

fn totals_of<'a>(list: &'a mut Vec<UsageTotals>, of: &str) -> &'a mut UsageTotals {
    let at = list.iter().position(|totals| *totals.of == *of).unwrap_or_else(|| {
        list.push(UsageTotals { of: of.into(), ..UsageTotals::default() });
        list.len() - 1
    });
    &mut list[at]
}
