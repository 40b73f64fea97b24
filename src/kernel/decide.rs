//! Decisions: the events that a command leads to in a given state, or the reason for its rejection.

use std::collections::BTreeSet;

use super::call::inquiry;
use super::draft::Draft;
use super::gate::{asked_command, comment, delegation, settle, vote};
use super::message::say;
use super::participant::{NewMember, knock};
use super::run::lost_requests::LostRequests;
use super::run::{control, due, recover, turn};
use super::session::title;
use super::{
    Command, CommandKind, CommandRight, CommandSender, Envelope, Event, ParticipantId, Rejection, Right, RightAccess,
    State, call, driver, file, participant, redaction, session,
};

/// Result of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandOutcome {
    /// The command applies.
    Events {
        /// New events, in order. Empty if nothing needs to change.
        events: Vec<Event>,
        /// The state that the events lead to.
        next: Box<State>,
    },
    /// The command was already applied. Contains the seq of its last event, so that the response is the same as the
    /// first time.
    Repeated(u64),
}

/// Returns the events that the command in `envelope` leads to in `state`. A rejection leaves no trace.
pub fn decide(state: &State, envelope: &Envelope) -> Result<CommandOutcome, Rejection> {
    decide_barring(state, envelope, &BTreeSet::new())
}

/// Decides like [`decide`], but carries out no approved command that a participant in `barred` asked for, or that
/// invites one of them. The server has disabled these participants, or changed the role that it gave them.
pub fn decide_barring(
    state: &State,
    envelope: &Envelope,
    barred: &BTreeSet<ParticipantId>,
) -> Result<CommandOutcome, Rejection> {
    if let CommandSender::Participant { actor, id, .. } = &envelope.by
        && let Some(seq) = state.receipt(actor, id)
    {
        return Ok(CommandOutcome::Repeated(seq));
    }
    let mut draft = Draft::new(state, envelope, barred);
    check_open(&draft, &envelope.command)?;
    match apply(&mut draft, &envelope.command) {
        Err(Rejection::NeedsApproval { right }) => {
            draft = Draft::new(state, envelope, barred);
            asked_command::ask(&mut draft, &envelope.command, right)?;
        }
        result => result?,
    }
    settle::settle(&mut draft);
    call::learned_rules::propose_due(&mut draft);
    driver::drive(&mut draft);
    asked_command::close_obsolete(&mut draft);
    draft.record_phase();
    let (events, next) = draft.finish();
    Ok(CommandOutcome::Events { events, next: Box::new(next) })
}

/// Applies a command if its sender has the required right.
pub(super) fn apply(draft: &mut Draft, command: &Command) -> Result<(), Rejection> {
    check_right(draft, command)?;
    dispatch(draft, command)
}

fn dispatch(draft: &mut Draft, command: &Command) -> Result<(), Rejection> {
    match command {
        Command::Create { title, team, settings } => session::create(draft, title, team, settings),
        Command::Enter { role } => participant::enter(draft, *role),
        Command::Knock { role } => knock::knock(draft, *role),
        Command::Rename { name } => participant::rename(draft, name),
        Command::Admit { participant } => knock::admit(draft, *participant),
        Command::Refuse { participant } => knock::refuse(draft, *participant),
        Command::Leave => participant::leave(draft),
        Command::Invite { participant, kind, name, role, guest } => {
            let member = NewMember { participant: *participant, kind: *kind, name, guest: *guest };
            participant::invite(draft, member, *role)
        }
        Command::SetRole { participant, role } => participant::set_role(draft, *participant, *role),
        Command::Remove { participant } => participant::remove(draft, *participant),
        Command::Set { title, settings } => session::set(draft, title.as_ref(), settings.as_ref()),
        Command::Close { reason } => session::close(draft, reason),
        Command::Say { text, to, mode, files } => {
            draft.attach(files)?;
            say::say(draft, text, to.as_deref(), *mode)
        }
        Command::Withdraw { message } => say::withdraw(draft, *message),
        Command::WithdrawCommand { gate } => asked_command::withdraw(draft, *gate),
        Command::Start { flow, input, files, earlier, request } => {
            draft.attach(files)?;
            say::start(draft, flow.as_ref(), input, earlier, request.as_ref())
        }
        Command::AddFile { file, limits } => file::commands::add(draft, file, *limits),
        Command::RemoveFile { name } => file::commands::remove(draft, name),
        Command::RestoreFile { file, limits } => file::commands::restore(draft, *file, *limits),
        Command::Redact { target, reason } => redaction::redact(draft, *target, reason.as_ref()),
        Command::Vote { gate, rev, choice, comment, edit, standing } => {
            let (rev, choice, standing) = (*rev, *choice, *standing);
            let ballot = vote::Ballot { rev, choice, comment: comment.as_ref(), edit: edit.as_deref(), standing };
            vote::vote(draft, *gate, ballot)
        }
        Command::VoteBatch { votes } => vote::vote_batch(draft, votes),
        Command::WithdrawVote { gate } => vote::withdraw(draft, *gate),
        Command::Comment { gate, rev, target, text } => comment::comment(draft, *gate, *rev, target, text),
        Command::ResolveComment { gate, thread, resolved } => comment::resolve(draft, *gate, *thread, *resolved),
        Command::DeleteComment { gate, comment } => comment::delete(draft, *gate, *comment),
        Command::DelegateVotes { to, until } => delegation::delegate(draft, *to, *until),
        Command::RevokePermission { permission } => call::standing_permission::revoke(draft, *permission),
        Command::ProposeRule { suggestion } => call::learned_rules::propose(draft, suggestion),
        Command::Answer { gate, rev, text } => vote::answer(draft, *gate, *rev, text),
        Command::Pause { run } => control::pause(draft, *run),
        Command::Resume { run } => control::resume(draft, *run),
        Command::Interrupt { run, step, message, text } => {
            control::interrupt(draft, *run, *step, *message, text.as_ref())
        }
        Command::Cancel { run, reason } => control::cancel(draft, *run, reason.as_ref()),
        Command::Acknowledge { control } => control::acknowledge(draft, *control),
        Command::Stopped { control, left } => control::record_stop(draft, *control, left),
        Command::TurnCompleted { message, attempt, text, calls, usage, truncated, output_file } => {
            let (truncated, output_file) = (*truncated, output_file.as_deref());
            let output = turn::TurnOutput { text, calls, usage, truncated, output_file };
            turn::complete(draft, *message, *attempt, &output);
            Ok(())
        }
        Command::CallChecked { call, check } => {
            call::lifecycle::apply_check(draft, *call, check);
            Ok(())
        }
        Command::CallEnded { call, attempt, result } => {
            call::lifecycle::apply_result(draft, *call, *attempt, result);
            Ok(())
        }
        Command::OpenInquiry { call, attempt, inquiry } => {
            inquiry::ask(draft, *call, *attempt, inquiry);
            Ok(())
        }
        Command::WithdrawInquiry { call, attempt } => {
            inquiry::withdraw(draft, *call, *attempt);
            Ok(())
        }
        Command::TurnFailed { attempt, error, retry_in_ms, left } => {
            turn::fail(draft, *attempt, error, *retry_in_ms, left);
            Ok(())
        }
        Command::TitleMade { run, message, title, usage } => {
            title::apply_title(draft, *run, *message, title.as_ref(), usage.as_ref());
            Ok(())
        }
        Command::DeadlineReached => {
            due::apply_due(draft);
            Ok(())
        }
        Command::Recover { sent } => {
            recover::recover(draft, LostRequests::new(sent.as_deref()));
            Ok(())
        }
    }
}

/// Checks that the sender has the right that the command requires. If the right depends on the content of the command,
/// the code that applies the command checks it.
fn check_right(draft: &Draft, command: &Command) -> Result<(), Rejection> {
    match command.right() {
        CommandRight::Nothing | CommandRight::Vote => Ok(()),
        CommandRight::Right(right) => draft.require(right).map(drop),
        CommandRight::RightOrAsking(right) => match draft.require(right) {
            Err(Rejection::NeedsApproval { .. }) => Ok(()),
            result => result.map(drop),
        },
        CommandRight::Message => {
            let settings = &draft.view().settings;
            let role = draft.role()?;
            if [Right::Steer, Right::Answer].iter().any(|right| settings.access(role, *right) != RightAccess::Deny) {
                return Ok(());
            }
            draft.require(Right::Say).map(drop)
        }
    }
}

/// Checks that the session accepts this command in its current state.
fn check_open(draft: &Draft, command: &Command) -> Result<(), Rejection> {
    let (is_new, is_closed) = (draft.state().seq == 0, draft.view().closed);
    match command.kind() {
        CommandKind::Creation if is_new => Ok(()),
        CommandKind::Creation => {
            Err(Rejection::Invalid("a session with this id already exists; choose another id".into()))
        }
        _ if is_new => Err(Rejection::UnknownSession),
        CommandKind::Control | CommandKind::Entry | CommandKind::Ordinary if is_closed => Err(Rejection::SessionClosed),
        CommandKind::Redaction
        | CommandKind::Title
        | CommandKind::Control
        | CommandKind::Entry
        | CommandKind::Ordinary => Ok(()),
    }
}
