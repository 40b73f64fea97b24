//! Redaction: permanent erasure of content from a session's log. The numbering of the log does not change.
//! [`super::Eraser`] rewrites the events before a redaction.

pub(super) mod eraser;

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::draft::Draft;
use super::gate::{CommentPlace, CommentThread, Gate};
use super::{Actor, Event, Fact, File, FileId, Message, MessageId, ParticipantId, Rejection, State, Timestamp, View};

/// Placeholder for a redacted title or name.
pub const REDACTED: &str = "[redacted]";

/// Target of a redaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum RedactionTarget {
    /// A message, and everything else that its author made with it.
    Message(MessageId),
    /// One version of a file.
    File(FileId),
    /// All content of the session. Also closes the session.
    Session,
    /// The name of a participant, and optionally their content.
    Participant {
        /// Participant whose name is erased.
        participant: ParticipantId,
        /// True if their messages and files are erased as well.
        content: bool,
    },
}

impl RedactionTarget {
    /// Returns the target of a redaction; `None` for any other fact.
    pub(super) fn of(fact: &Fact) -> Option<Self> {
        match RedactionRelevance::of(fact) {
            RedactionRelevance::Erases(target) => Some(target),
            RedactionRelevance::Names(_) | RedactionRelevance::None => None,
        }
    }

    /// Returns whether a redaction of this target erases everything that a redaction of `other` would.
    fn covers(self, other: Self) -> bool {
        match (self, other) {
            (Self::Participant { participant, content }, Self::Participant { participant: of, content: all }) => {
                participant == of && (content || !all)
            }
            _ => self == other,
        }
    }
}

/// Relevance of a fact for the redactions that a state remembers.
enum RedactionRelevance {
    /// The fact is a redaction of this target.
    Erases(RedactionTarget),
    /// The fact gives this participant a name, which can be redacted again.
    Names(ParticipantId),
    /// The fact is neither of these.
    None,
}

impl RedactionRelevance {
    fn of(fact: &Fact) -> Self {
        use Fact::*;
        match fact {
            MessageRedacted { message, .. } => Self::Erases(RedactionTarget::Message(*message)),
            FileRedacted { file, .. } => Self::Erases(RedactionTarget::File(*file)),
            SessionRedacted { .. } => Self::Erases(RedactionTarget::Session),
            ParticipantRedacted { participant, content } => {
                Self::Erases(RedactionTarget::Participant { participant: *participant, content: *content })
            }
            ParticipantJoined { participant, .. }
            | ParticipantKnocked { participant, .. }
            | ParticipantRenamed { participant, .. } => Self::Names(*participant),
            SessionCreated { .. }
            | SessionUpdated { .. }
            | SessionClosed { .. }
            | ParticipantRefused { .. }
            | ParticipantLeft { .. }
            | ParticipantRoleChanged { .. }
            | RunStarted { .. }
            | RunStateChanged { .. }
            | RunFinished { .. }
            | RunFailed { .. }
            | RunCancelled { .. }
            | MessagePosted { .. }
            | MessageRouted { .. }
            | MessageWithdrawn { .. }
            | MessageConsumed { .. }
            | MessageStarted { .. }
            | MessageCompleted { .. }
            | MessageAborted { .. }
            | StepStarted { .. }
            | StepCompleted { .. }
            | StepSkipped { .. }
            | AttemptFailed { .. }
            | FileAdded { .. }
            | FileRemoved { .. }
            | ToolProposed { .. }
            | ToolChecked { .. }
            | ToolStarted { .. }
            | ToolCompleted { .. }
            | ToolFailed { .. }
            | ToolUncertain { .. }
            | PlanProposed { .. }
            | PlanEdited { .. }
            | PlanItemChanged { .. }
            | DecisionMade { .. }
            | OutputProduced { .. }
            | OutputRejected { .. }
            | GateVoted { .. }
            | GateRevised { .. }
            | GateDecided { .. }
            | GateVoteWithdrawn { .. }
            | GateCommented { .. }
            | GateThreadChanged { .. }
            | GateEscalated { .. }
            | VotesDelegated { .. }
            | GateExpired { .. }
            | GateClosed { .. }
            | PermissionGranted { .. }
            | PermissionRevoked { .. }
            | ControlRequested { .. }
            | ControlAcknowledged { .. }
            | ControlEffective { .. }
            | UsageRecorded { .. } => Self::None,
            // The gate asks the owners to add a participant, and contains the participant's name.
            GateOpened { gate } => {
                gate.command.as_ref().and_then(|asked| asked.invited()).map_or(Self::None, Self::Names)
            }
        }
    }
}

/// Mark on an event, message or file whose content was erased.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Redaction {
    /// Seq of the event that recorded the redaction.
    pub seq: u64,
    /// Time of the redaction.
    pub at: Timestamp,
    /// Actor who decided it.
    pub by: Actor,
}

impl Redaction {
    /// Returns the mark of a redaction.
    pub(super) fn of(event: &Event) -> Arc<Self> {
        Arc::new(Self { seq: event.seq, at: event.at, by: event.by.clone() })
    }
}

impl Fact {
    /// Returns whether earlier events lose content because of this fact. Caches of these events must be reloaded.
    pub fn is_redaction(&self) -> bool {
        RedactionTarget::of(self).is_some()
    }

    /// Returns whether the message begins with this fact.
    pub fn begins(&self, id: MessageId) -> bool {
        matches!(self, Self::MessagePosted { message, .. } | Self::MessageStarted { message, .. } if *message == id)
    }
}

impl State {
    /// Maximum number of redactions in a state, which are kept so that repeating one changes nothing. The same limit
    /// applies separately to participants whose names were redacted.
    const REDACTIONS: usize = 500;

    /// Returns whether a redaction of `target` would erase nothing, because everything was erased and nothing new was
    /// written.
    fn has_redacted(&self, target: RedactionTarget) -> bool {
        self.redactions.iter().any(|known| known.covers(target))
    }

    /// Returns whether the participant's name was redacted. The session accepts no new name for them, because a rename
    /// or another command with a name might have been in progress when the name was redacted.
    pub(super) fn is_nameless(&self, participant: ParticipantId) -> bool {
        self.nameless.contains(&participant)
    }

    /// Records the target of a redaction. The redaction of a participant is removed when the participant acts or gets a
    /// name again.
    pub(super) fn remember_redaction(&mut self, event: &Event) {
        let (target, named) = match RedactionRelevance::of(&event.fact) {
            RedactionRelevance::Erases(target) => (Some(target), None),
            RedactionRelevance::Names(participant) => (None, Some(participant)),
            RedactionRelevance::None => (None, None),
        };
        let acts = event.by.participant_id();
        self.redactions.retain(|known| match known {
            RedactionTarget::Participant { participant, .. } => ![named, acts].contains(&Some(*participant)),
            RedactionTarget::Message(_) | RedactionTarget::File(_) | RedactionTarget::Session => true,
        });
        if let Some(target) = target {
            if self.redactions.len() == Self::REDACTIONS {
                self.redactions.pop_front();
            }
            self.redactions.push_back(target);
        }
        if let Some(RedactionTarget::Participant { participant, .. }) = target
            && !self.is_nameless(participant)
        {
            if self.nameless.len() == Self::REDACTIONS {
                self.nameless.pop_front();
            }
            self.nameless.push_back(participant);
        }
    }
}

/// Applies the `redact` command. Ignored if the target is already redacted.
pub(super) fn redact(draft: &mut Draft, target: RedactionTarget, reason: Option<&Arc<str>>) -> Result<(), Rejection> {
    if draft.state().has_redacted(target) {
        return Ok(());
    }
    let reason = reason.filter(|reason| !reason.trim().is_empty()).cloned();
    let view = draft.view();
    let fact = match target {
        RedactionTarget::Message(message) => {
            let known = view.message(message);
            if message.0 >= draft.next_seq() {
                return Err(Rejection::UnknownMessage(message));
            }
            if known.is_some_and(|known| known.redacted.is_some()) {
                return Ok(());
            }
            if is_in_use(view, message) {
                return Err(Rejection::RunActive);
            }
            Fact::MessageRedacted { message, reason }
        }
        RedactionTarget::File(file) => {
            if view.file(file).ok_or(Rejection::UnknownFile(file))?.redacted.is_some() {
                return Ok(());
            }
            refuse_while_running(view)?;
            Fact::FileRedacted { file, reason }
        }
        RedactionTarget::Session => {
            if view.redacted.is_some() {
                return Ok(());
            }
            refuse_while_running(view)?;
            Fact::SessionRedacted { reason }
        }
        RedactionTarget::Participant { participant, content } => {
            if content {
                refuse_while_running(view)?;
            }
            if draft.by().participant_id() == Some(participant) {
                draft.forget_name();
            }
            Fact::ParticipantRedacted { participant, content }
        }
    };
    draft.emit(fact);
    Ok(())
}

fn refuse_while_running(view: &View) -> Result<(), Rejection> {
    view.active_run().map_or(Ok(()), |_| Err(Rejection::RunActive))
}

/// Returns whether the current run contains the message, or can still send it to a model.
fn is_in_use(view: &View, message: MessageId) -> bool {
    let Some(run) = view.active_run() else { return false };
    // A run of the `structure` flow reads results of the run before it.
    let is_read = run.task_results.iter().any(|done| done.message == Some(message));
    is_read
        || match view.message(message) {
            Some(known) => known.run == Some(run.id) || view.model_messages.iter().any(|other| other.id == message),
            None => message >= run.input,
        }
}

/// Applies the part of a redaction that a view shows immediately. The rest follows when the view is rebuilt from the
/// log.
pub(super) fn apply(view: &mut View, event: &Event) {
    let mark = Redaction::of(event);
    let Some(target) = RedactionTarget::of(&event.fact) else { return };
    match target {
        RedactionTarget::Message(message) => {
            change_messages(view, |known| (known.id == message).then(|| redacted_message(known, &mark)));
        }
        RedactionTarget::File(file) => {
            change_files(view, |known| (known.id == file).then(|| redacted_file(known, &mark)));
            erase_quotes(view);
        }
        RedactionTarget::Session => {
            (view.closed, view.redacted, view.title) = (true, Some(mark.clone()), REDACTED.into());
            change_messages(view, |known| Some(redacted_message(known, &mark)));
            change_files(view, |known| Some(redacted_file(known, &mark)));
            erase_quotes(view);
        }
        RedactionTarget::Participant { participant, content } => {
            let theirs = |by: &Actor| by.participant_id() == Some(participant);
            let renamed = |by: &Actor| Actor { name: REDACTED.into(), ..by.clone() };
            view.participants.iter_mut().filter(|member| member.id == participant).for_each(|member| {
                member.name = REDACTED.into();
            });
            let knocks = view.knocks.iter_mut().filter(|knock| knock.participant == participant);
            knocks.for_each(|knock| knock.name = REDACTED.into());
            change_messages(view, |known| {
                let kept = || Message { ..known.clone() };
                let changed = if content { redacted_message(known, &mark) } else { kept() };
                theirs(&known.by).then(|| Message { by: renamed(&known.by), ..changed })
            });
            change_files(view, |known| {
                let changed = if content { redacted_file(known, &mark) } else { known.clone() };
                theirs(&known.by).then(|| File { by: renamed(&known.by), ..changed })
            });
            erase_quotes(view);
        }
    }
    forget_request(view, target);
}

/// Erases the data of the run if its input is erased. The input can be older than the messages of the view.
fn forget_request(view: &mut View, target: RedactionTarget) {
    let Some(run) = &mut view.run else { return };
    let goes = match target {
        RedactionTarget::Message(message) => message == run.input,
        RedactionTarget::Participant { participant, content } => {
            content && run.started_by.is_some_and(|(id, _)| id == participant)
        }
        RedactionTarget::Session => true,
        RedactionTarget::File(_) => false,
    };
    if goes {
        run.request = None;
    }
}

fn redacted_message(known: &Message, mark: &Arc<Redaction>) -> Message {
    let redacted = known.redacted.clone().or_else(|| Some(mark.clone()));
    Message { text: "".into(), request: None, unresolved: vec![], redacted, ..known.clone() }
}

fn redacted_file(known: &File, mark: &Arc<Redaction>) -> File {
    let redacted = known.redacted.clone().or_else(|| Some(mark.clone()));
    File { digest: "".into(), redacted, ..known.clone() }
}

/// Erases the lines of redacted files that comments quote.
fn erase_quotes(view: &mut View) {
    let redacted = view.files.iter().filter(|file| file.redacted.is_some()).map(|file| file.id);
    let redacted: Vec<FileId> = redacted.collect();
    let erased = |place: &CommentPlace| {
        let quotes = !place.quote.is_empty() && redacted.iter().any(|file| place.is_in(*file));
        quotes.then(|| Arc::new(CommentPlace { line: None, quote: "".into(), ..place.clone() }))
    };
    change_messages(view, |known| {
        let comment_on = erased(known.comment_on.as_deref()?)?;
        Some(Message { comment_on: Some(comment_on), ..known.clone() })
    });
    for thread in threads_mut(&mut view.gates, &mut view.decided) {
        if let Some(place) = erased(&thread.place) {
            thread.place = place;
        }
    }
}

fn change_messages(view: &mut View, change: impl Fn(&Message) -> Option<Message>) {
    let comments = threads_mut(&mut view.gates, &mut view.decided).flat_map(|thread| &mut thread.comments);
    for message in view.messages.iter_mut().chain(&mut view.model_messages).chain(comments) {
        if let Some(changed) = change(message) {
            *message = Arc::new(changed);
        }
    }
}

/// Returns the threads of the open gates and of the decided ones, without copying those that have none.
fn threads_mut<'a>(
    open: &'a mut [Gate],
    decided: impl IntoIterator<Item = &'a mut Arc<Gate>>,
) -> impl Iterator<Item = &'a mut CommentThread> {
    let decided = decided.into_iter().filter(|gate| !gate.threads.is_empty()).map(Arc::make_mut);
    open.iter_mut().chain(decided).flat_map(|gate| &mut gate.threads)
}

fn change_files(view: &mut View, change: impl Fn(&File) -> Option<File>) {
    for file in &mut view.files {
        if let Some(changed) = change(file) {
            *file = Arc::new(changed);
        }
    }
}
