//! Commands that a participant asks the owners to approve. The gate contains the command, and an approval runs exactly
//! that command.

use std::collections::BTreeSet;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::command_failure::CommandFailure;
use super::vote::open_gate;
use super::{GateKind, Outcome, opening, settle};
use crate::draft::Draft;
use crate::mention::Addressee;
use crate::redaction::REDACTED;
use crate::{
    Actor, ActorKind, Cause, Command, Fact, FileId, GateId, Language, MessageId, Mode, ParticipantId, Rejection, Right,
    Role, RunId, StepId, decide,
};

/// A command that is carried out exactly as it is if the owners approve it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AskedCommand {
    /// Participant who asks. The command is carried out in their name, with the rights that they have when it is
    /// carried out.
    pub by: Actor,
    /// Role that the server gave the participant when they asked. Absent if it gave none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub granted_role: Option<Role>,
    /// Rights that the participant asks for. Example: `["steer"]`.
    pub rights: BTreeSet<Right>,
    /// The command.
    pub command: AskedCommandData,
}

/// Command that owners can be asked to approve, in the form of a command frame: `do` is the name, `data` has the
/// fields.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "do", content = "data", rename_all = "snake_case")]
pub enum AskedCommandData {
    /// Send a message.
    Say {
        /// Text of the message.
        text: Arc<str>,
        /// Recipients: names, or targets as JSON. Absent: the mentions in the text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<Vec<AskedAddressee>>,
        /// Delivery to a busy run.
        #[serde(default)]
        mode: Mode,
        /// Files that belong to the message.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        files: Vec<FileId>,
    },
    /// Start a run.
    Start {
        /// Flow of the run. Absent: the flow of the team.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        flow: Option<Arc<str>>,
        /// Message that the run works on.
        input: Arc<str>,
        /// Files that belong to the message.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        files: Vec<FileId>,
    },
    /// Pause a run.
    Pause {
        /// Run to pause.
        run: RunId,
    },
    /// Resume a run.
    Resume {
        /// Run to resume.
        run: RunId,
    },
    /// Stop the current output of a run.
    Interrupt {
        /// Run to interrupt.
        run: RunId,
        /// Step to stop. Absent: any step.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        step: Option<StepId>,
        /// Message to stop. Absent: any message.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<MessageId>,
        /// Text that the stopped agents continue with. Absent: people are asked.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<Arc<str>>,
    },
    /// End a run.
    Cancel {
        /// Run to end.
        run: RunId,
        /// Reason for the log. Absent if there is none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<Arc<str>>,
    },
    /// Add a participant.
    Invite {
        /// Participant to add.
        participant: ParticipantId,
        /// Kind of participant: user or bot.
        kind: ActorKind,
        /// Name of the participant when the owners were asked.
        name: Arc<str>,
        /// Role to give.
        role: Role,
        /// True for a guest, such as a person who joined through a link and chose their own name.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        guest: bool,
    },
}

/// Recipient of a message that owners are asked to approve.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum AskedAddressee {
    /// Recipient in the form that the server writes.
    Target(crate::Target),
    /// Name as a person writes it after the `@`.
    Name(String),
}

impl AskedCommand {
    /// Maximum number of commands of one participant that wait for the owners at the same time.
    pub const MAX_OPEN: u32 = 3;

    /// Erases the text of the command.
    pub(crate) fn erase(&mut self) {
        match &mut self.command {
            AskedCommandData::Say { text, to, .. } => (*text, *to) = (REDACTED.into(), None),
            AskedCommandData::Start { input, .. } => *input = REDACTED.into(),
            AskedCommandData::Interrupt { text, .. } => text.iter_mut().for_each(|text| *text = REDACTED.into()),
            AskedCommandData::Cancel { reason, .. } => *reason = None,
            AskedCommandData::Invite { name, .. } => *name = REDACTED.into(),
            AskedCommandData::Pause { .. } | AskedCommandData::Resume { .. } => {}
        }
    }

    /// Returns the participant whom the command would add.
    pub fn invited(&self) -> Option<ParticipantId> {
        match self.command {
            AskedCommandData::Invite { participant, .. } => Some(participant),
            AskedCommandData::Say { .. }
            | AskedCommandData::Start { .. }
            | AskedCommandData::Pause { .. }
            | AskedCommandData::Resume { .. }
            | AskedCommandData::Interrupt { .. }
            | AskedCommandData::Cancel { .. } => None,
        }
    }

    /// Erases these names of a person from the recipients.
    pub(crate) fn erase_names(&mut self, names: &BTreeSet<Arc<str>>) {
        let AskedCommandData::Say { to: Some(to), .. } = &mut self.command else { return };
        to.retain(|to| !matches!(to, AskedAddressee::Name(name) if names.contains(name.trim_start_matches('@'))));
    }
}

impl AskedCommandData {
    /// Returns the command in the form that a gate stores. Returns `None` if owners cannot be asked to approve it.
    fn of(command: &Command) -> Option<Self> {
        let asked_addressee = |to: &Addressee| match to {
            Addressee::Target(target) => AskedAddressee::Target(target.clone()),
            Addressee::Name(name) => AskedAddressee::Name(name.clone()),
        };
        Some(match command.clone() {
            Command::Say { text, to, mode, files } => {
                let to = to.map(|to| to.iter().map(asked_addressee).collect());
                Self::Say { text, to, mode, files }
            }
            // A program that relays a conversation or wants structured output needs the right itself.
            Command::Start { flow, input, files, earlier, request: None } if earlier.is_empty() => {
                Self::Start { flow, input, files }
            }
            Command::Pause { run } => Self::Pause { run },
            Command::Resume { run } => Self::Resume { run },
            Command::Interrupt { run, step, message, text } => Self::Interrupt { run, step, message, text },
            Command::Cancel { run, reason } => Self::Cancel { run, reason },
            Command::Invite { participant, kind, name, role, guest } => {
                Self::Invite { participant, kind, name, role, guest }
            }
            Command::Start { .. }
            | Command::Create { .. }
            | Command::Enter { .. }
            | Command::Knock { .. }
            | Command::Rename { .. }
            | Command::Admit { .. }
            | Command::Refuse { .. }
            | Command::Leave
            | Command::Withdraw { .. }
            | Command::WithdrawCommand { .. }
            | Command::Vote { .. }
            | Command::VoteBatch { .. }
            | Command::WithdrawVote { .. }
            | Command::DelegateVotes { .. }
            | Command::RevokePermission { .. }
            | Command::ProposeRule { .. }
            | Command::Answer { .. }
            | Command::Comment { .. }
            | Command::ResolveComment { .. }
            | Command::DeleteComment { .. }
            | Command::SetRole { .. }
            | Command::Remove { .. }
            | Command::Set { .. }
            | Command::AddFile { .. }
            | Command::RemoveFile { .. }
            | Command::RestoreFile { .. }
            | Command::Redact { .. }
            | Command::Close { .. }
            | Command::TurnCompleted { .. }
            | Command::CallChecked { .. }
            | Command::CallEnded { .. }
            | Command::OpenInquiry { .. }
            | Command::WithdrawInquiry { .. }
            | Command::TurnFailed { .. }
            | Command::Acknowledge { .. }
            | Command::Stopped { .. }
            | Command::TitleMade { .. }
            | Command::DeadlineReached
            | Command::Recover { .. } => return None,
        })
    }

    /// Returns the command as its sender wrote it.
    fn command(&self) -> Command {
        let named = |to: &AskedAddressee| match to {
            AskedAddressee::Target(target) => Addressee::Target(target.clone()),
            AskedAddressee::Name(name) => Addressee::Name(name.clone()),
        };
        match self.clone() {
            Self::Say { text, to, mode, files } => {
                Command::Say { text, to: to.map(|to| to.iter().map(named).collect()), mode, files }
            }
            Self::Start { flow, input, files } => Command::Start { flow, input, files, earlier: vec![], request: None },
            Self::Pause { run } => Command::Pause { run },
            Self::Resume { run } => Command::Resume { run },
            Self::Interrupt { run, step, message, text } => Command::Interrupt { run, step, message, text },
            Self::Cancel { run, reason } => Command::Cancel { run, reason },
            Self::Invite { participant, kind, name, role, guest } => {
                Command::Invite { participant, kind, name, role, guest }
            }
        }
    }

    /// Returns the question of the gate. It names nobody, so that a redaction of a name does not have to search it.
    pub(super) fn question(&self, language: Language) -> &'static str {
        match (self, language) {
            (Self::Say { .. }, Language::En) => "May this message be sent?",
            (Self::Say { .. }, Language::Zh) => "是否同意发送这条消息？",
            (Self::Start { .. }, Language::En) => "May a run start with this message?",
            (Self::Start { .. }, Language::Zh) => "是否同意用这条消息开始运行？",
            (Self::Pause { .. }, Language::En) => "May the run be paused?",
            (Self::Pause { .. }, Language::Zh) => "是否同意暂停运行？",
            (Self::Resume { .. }, Language::En) => "May the run be resumed?",
            (Self::Resume { .. }, Language::Zh) => "是否同意继续运行？",
            (Self::Interrupt { .. }, Language::En) => "May the run be interrupted?",
            (Self::Interrupt { .. }, Language::Zh) => "是否同意中断运行？",
            (Self::Cancel { .. }, Language::En) => "May the run be ended?",
            (Self::Cancel { .. }, Language::Zh) => "是否同意结束运行？",
            (Self::Invite { .. }, Language::En) => "May this participant be added?",
            (Self::Invite { .. }, Language::Zh) => "是否同意添加这位参与者？",
        }
    }

    /// Returns the run that the command is about. Returns `None` if the command does not name one.
    fn run(&self) -> Option<RunId> {
        match self {
            Self::Pause { run } | Self::Resume { run } | Self::Interrupt { run, .. } | Self::Cancel { run, .. } => {
                Some(*run)
            }
            Self::Say { .. } | Self::Start { .. } | Self::Invite { .. } => None,
        }
    }
}

/// Opens a gate about a command that requires a right that the sender must ask for. The command is tried first, so that
/// owners are not asked about something that would be rejected anyway. `draft` is the state before the command.
pub(crate) fn ask(draft: &mut Draft, command: &Command, first: Right) -> Result<(), Rejection> {
    let Some(mut data) = AskedCommandData::of(command) else {
        let text = "your role here must ask the owners for this right, and they cannot be asked for this command; ask one of \
                     them in words";
        return Err(Rejection::Forbidden { right: first, message: text.into() });
    };
    let mut rights = BTreeSet::from([first]);
    loop {
        let mut trial = draft.clone();
        match trial.with_rights(&rights, |trial| decide::apply(trial, command)) {
            Err(Rejection::NeedsApproval { right }) if rights.insert(right) => {}
            result => break result?,
        }
    }
    // A redaction of the name must not be followed by a gate that contains it.
    if let AskedCommandData::Invite { participant, name, .. } = &mut data
        && draft.state().is_nameless(*participant)
    {
        *name = REDACTED.into();
    }
    let own = draft.by().id.clone();
    let open = || draft.view().gates.iter().filter_map(|gate| gate.command.as_deref()).filter(|open| open.by.id == own);
    if open().any(|open| open.command == data) {
        return Err(Rejection::AlreadyAsked);
    }
    if open().count() >= AskedCommand::MAX_OPEN as usize {
        return Err(Rejection::TooManyAsked { limit: AskedCommand::MAX_OPEN });
    }
    let (by, granted_role) = (draft.sender(), draft.granted_role());
    opening::open_command(draft, AskedCommand { by, granted_role, rights, command: data });
    Ok(())
}

/// Records the approval of a command, and carries it out in the name of the participant who asked. If that is no longer
/// possible, the decision says so and nothing else happens.
pub(crate) fn carry_out(draft: &mut Draft, decided: Fact, asked: &AskedCommand) {
    let before = draft.clone();
    let cause = draft.next_seq();
    draft.emit(decided.clone());
    let command = asked.command.command();
    let done = match draft.is_barred(asked) {
        true => Err(Rejection::NotAMember),
        false => draft.acting_for(asked, Cause::Seq(cause), |draft| {
            draft.with_rights(&asked.rights, |draft| decide::apply(draft, &command))
        }),
    };
    if let (Err(rejection), Fact::GateDecided { gate, rev, outcome, votes, message, to, comments, .. }) =
        (done, decided)
    {
        *draft = before;
        let failure = Some(CommandFailure::of(&rejection));
        draft.emit(Fact::GateDecided { gate, rev, outcome, votes, message, to, failure, comments });
    }
}

/// Applies the `withdraw_command` command: withdraws a command that the sender asked the owners to approve.
pub(crate) fn withdraw(draft: &mut Draft, id: GateId) -> Result<(), Rejection> {
    draft.role()?;
    let gate = open_gate(draft, id)?;
    let Some(command) = &gate.command else {
        return Err(Rejection::Invalid(
            "this gate is not about a command; use withdraw_vote to take back a vote".into(),
        ));
    };
    if command.by.id != draft.by().id {
        return Err(Rejection::NotTheAuthor);
    }
    settle::record_decision(draft, id, Outcome::Withdrawn, None, vec![]);
    Ok(())
}

/// Closes the gates about obsolete commands: their run has ended, the participant who asked has left, or the text was
/// erased.
pub(crate) fn close_obsolete(draft: &mut Draft) {
    let view = draft.view();
    let active = view.active_run().map(|run| run.id);
    let erased = |asked: &AskedCommand| {
        let own = |id: ParticipantId| asked.by.participant_id() == Some(id);
        draft.facts().any(|fact| {
            matches!(fact, Fact::SessionRedacted { .. })
                || matches!(fact, Fact::ParticipantRedacted { participant, content }
                    if *content && own(*participant) || asked.invited() == Some(*participant))
        })
    };
    let is_obsolete = |asked: &AskedCommand| {
        let asking = asked.by.participant_id();
        let gone = asking.is_none_or(|id| view.member(id).is_none() && asked.granted_role.is_none())
            || asking.is_some_and(|id| view.removed.contains(&id));
        gone || asked.command.run().is_some_and(|run| active != Some(run)) || erased(asked)
    };
    let gates = view.gates.iter().filter(|gate| gate.kind == GateKind::Command);
    let obsolete: Vec<_> =
        gates.filter(|gate| gate.command.as_deref().is_some_and(is_obsolete)).map(|gate| gate.id).collect();
    for gate in obsolete {
        draft.emit(Fact::GateClosed { gate });
    }
}
