//! Audit entries about commands.

use serde_json::Value;

use super::{AuditAction, NewAuditEntry};
use crate::identity::Participant;
use crate::kernel::{Command, ParticipantId, RedactionTarget, Role, SessionId};

/// Maximum number of participants in `approved_by`. With more, an entry could exceed its maximum size, and would lose
/// all of its details.
const MAX_APPROVERS: usize = 20;

/// Returns the entry for an applied command, or `None` if the session's own log is a sufficient record of the command.
pub(crate) fn of_command(who: &Participant, session: SessionId, command: &Command) -> Option<NewAuditEntry> {
    use AuditAction::{KnockDecided, ParticipantRemoved, Redaction, RoleChanged, SettingsChanged};
    let entry = match command {
        Command::Invite { participant, role, .. } => invitation(*participant, *role),
        Command::SetRole { participant, role } => {
            NewAuditEntry::new(RoleChanged).subject(participant).detail("role", role.as_str())
        }
        Command::Remove { participant } => NewAuditEntry::new(ParticipantRemoved).subject(participant),
        Command::Admit { participant } => {
            NewAuditEntry::new(KnockDecided).subject(participant).detail("decision", "admit")
        }
        Command::Refuse { participant } => {
            NewAuditEntry::new(KnockDecided).subject(participant).detail("decision", "refuse")
        }
        Command::Set { settings: Some(settings), .. } => {
            NewAuditEntry::new(SettingsChanged).detail("settings", Value::Object(settings.clone()))
        }
        Command::Redact { target, .. } => {
            let entry = NewAuditEntry::new(Redaction);
            match target {
                RedactionTarget::Message(message) => entry.subject(message),
                RedactionTarget::File(file) => entry.subject(file),
                RedactionTarget::Session => entry.subject(session),
                RedactionTarget::Participant { participant, content } => {
                    entry.subject(participant).detail("content", *content)
                }
            }
        }
        Command::Set { settings: None, .. }
        | Command::Create { .. }
        | Command::Enter { .. }
        | Command::Knock { .. }
        | Command::Rename { .. }
        | Command::Leave
        | Command::Say { .. }
        | Command::Withdraw { .. }
        | Command::WithdrawCommand { .. }
        | Command::Start { .. }
        | Command::Vote { .. }
        | Command::VoteBatch { .. }
        | Command::WithdrawVote { .. }
        | Command::Comment { .. }
        | Command::ResolveComment { .. }
        | Command::DeleteComment { .. }
        | Command::DelegateVotes { .. }
        | Command::Answer { .. }
        | Command::RevokePermission { .. }
        | Command::ProposeRule { .. }
        | Command::Pause { .. }
        | Command::Resume { .. }
        | Command::Interrupt { .. }
        | Command::Cancel { .. }
        | Command::AddFile { .. }
        | Command::RemoveFile { .. }
        | Command::RestoreFile { .. }
        | Command::Close { .. }
        // Commands of the orchestrator, not of a participant.
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
    };
    Some(entry.by(who).session(session))
}

/// Returns the entry for the addition of a participant that was requested earlier and has now been decided. Its actor
/// is `decider`, whose command decided the request.
pub(crate) fn of_approved_invitation(
    decider: &Participant,
    session: SessionId,
    (participant, role): (ParticipantId, Role),
    approved_by: &[ParticipantId],
) -> NewAuditEntry {
    let approved_by: Vec<String> = approved_by.iter().take(MAX_APPROVERS).map(ToString::to_string).collect();
    invitation(participant, role).detail("approved_by", approved_by).by(decider).session(session)
}

fn invitation(participant: ParticipantId, role: Role) -> NewAuditEntry {
    NewAuditEntry::new(AuditAction::ParticipantInvited).subject(participant).detail("role", role.as_str())
}
