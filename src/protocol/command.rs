//! Parser that turns a command frame into a request, which the server completes into a kernel command.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value;

use super::{Code, CommandData, CommandFrame, Problem, Recipient};
use crate::json_pointer;
use crate::kernel::gate::CommentTarget;
use crate::kernel::mention::Addressee;
use crate::kernel::schema::bounds::ValueError;
use crate::kernel::schema::json_error::plain;
use crate::kernel::{
    Command, CommandId, CommandKind, FileId, FileName, FileNameError, GateId, MessageRequest, ParticipantId,
    RedactionTarget, Role,
};

/// Maximum number of addressees of one message.
const MAX_ADDRESSEES: usize = 50;

/// Maximum number of characters in the name of an addressee, equal to the maximum length of a name.
const MAX_NAME_CHARS: usize = 64;

/// Minimum similarity (0 to 1) of a known command to an unknown name for a suggestion. A suggestion that does not
/// correct a typing error could be mistaken for advice.
const MIN_SIMILARITY: f64 = 0.7;

/// A command of a participant with everything that its sender knows. The dispatcher adds what only the server knows.
#[derive(Debug, Clone)]
pub enum CommandRequest {
    /// A command to which the server adds nothing.
    Complete(Box<Command>),
    /// Adds a participant. The server adds their kind and name.
    Invite {
        /// Participant to add.
        participant: ParticipantId,
        /// Role to give.
        role: Role,
    },
    /// Comments on a line of a file. The server adds the text of the line.
    CommentOnLine {
        /// Gate to comment at.
        gate: GateId,
        /// Revision of the subject that the sender saw.
        rev: u32,
        /// Version of the file.
        file: FileId,
        /// Number of the line, from 1.
        line: u32,
        /// Text of the comment.
        text: Arc<str>,
    },
    /// Makes an earlier version of a file its newest. The server adds the limits of the session's files.
    RestoreFile {
        /// Version to restore.
        file: FileId,
    },
}

impl CommandRequest {
    /// Returns the kind of the command.
    pub fn kind(&self) -> CommandKind {
        match self {
            Self::Complete(command) => command.kind(),
            Self::Invite { .. } => CommandKind::Entry,
            Self::CommentOnLine { .. } | Self::RestoreFile { .. } => CommandKind::Ordinary,
        }
    }
}

impl CommandFrame {
    /// Parses the request and checks the shape and size of its arguments.
    ///
    /// # Errors
    /// `unknown_command`, `invalid_argument` or `too_large`.
    pub fn command(&self, text_bytes: usize) -> Result<(CommandId, CommandRequest), Problem> {
        Ok((self.id.clone(), self.parse(text_bytes)?))
    }

    fn parse(&self, text_bytes: usize) -> Result<CommandRequest, Problem> {
        let data = self.arguments()?;
        check_texts(&data, text_bytes)?;
        let has_revision =
            matches!(data, CommandData::Vote { .. } | CommandData::Comment { .. } | CommandData::Answer { .. });
        if self.expect.is_some() && !has_revision {
            let reason = format!("{}: expect is valid only with vote, comment and answer; leave it out", self.r#do);
            return Err(Problem::new(Code::InvalidArgument, reason));
        }
        let command = match data {
            CommandData::Say { text, to, mode, files } => {
                let to: Option<Vec<Addressee>> = to.map(|list| list.into_iter().map(addressee).collect());
                to.as_deref().map_or(Ok(()), check_addressees)?;
                Command::Say { text, to, mode, files }
            }
            CommandData::Withdraw { message } => Command::Withdraw { message },
            CommandData::WithdrawCommand { gate } => Command::WithdrawCommand { gate },
            CommandData::Start { flow, input, files, earlier, context, output_schema, timeout_seconds } => {
                let request = MessageRequest::of(context, output_schema.map(Value::Object), timeout_seconds);
                request.as_deref().map_or(Ok(()), check_request)?;
                Command::Start { flow, input, files, earlier, request }
            }
            CommandData::Vote { gate, choice, edit, comment, standing } => {
                let rev = self.expect.map(|expect| expect.rev).ok_or_else(|| {
                    Problem::new(Code::InvalidArgument, "a vote must name its revision; set expect.rev")
                })?;
                Command::Vote { gate, rev, choice, comment, edit, standing }
            }
            CommandData::VoteBatch { votes } => Command::VoteBatch { votes },
            CommandData::WithdrawVote { gate } => Command::WithdrawVote { gate },
            CommandData::Comment { gate, thread, file, path, line, text } => {
                let rev = self.expect.map(|expect| expect.rev).ok_or_else(|| {
                    Problem::new(
                        Code::InvalidArgument,
                        "a comment must name the revision that it is about; set expect.rev",
                    )
                })?;
                let invalid = |reason: &str| Problem::new(Code::InvalidArgument, format!("comment: {reason}"));
                let target = match (thread, file, path, line) {
                    (Some(thread), None, None, None) => CommentTarget::Thread(thread),
                    (Some(_), ..) => {
                        return Err(invalid("a reply has the place of its thread; leave file, path and line out"));
                    }
                    (None, Some(file), None, None) => CommentTarget::File { file, line: None },
                    (None, Some(file), None, Some(line)) => {
                        return Ok(CommandRequest::CommentOnLine { gate, rev, file, line, text });
                    }
                    (None, Some(_), Some(_), _) => return Err(invalid("a file has no paths; leave path out")),
                    (None, None, path, line) => {
                        CommentTarget::Subject { path: path.unwrap_or_else(|| "".into()), line }
                    }
                };
                Command::Comment { gate, rev, target, text }
            }
            CommandData::ResolveComment { gate, thread, resolved } => {
                Command::ResolveComment { gate, thread, resolved }
            }
            CommandData::DeleteComment { gate, comment } => Command::DeleteComment { gate, comment },
            CommandData::DelegateVotes { to, until } => Command::DelegateVotes { to, until },
            CommandData::Answer { gate, text, value } => {
                let text = answer_text(text.as_deref(), value.as_ref());
                let text = text
                    .ok_or_else(|| Problem::new(Code::InvalidArgument, "answer: give exactly one of text and value"))?;
                Command::Answer { gate, rev: self.expect.map(|expect| expect.rev), text: text.into() }
            }
            CommandData::RevokePermission { permission } => Command::RevokePermission { permission },
            CommandData::ProposeRule { suggestion } => Command::ProposeRule { suggestion },
            CommandData::Pause { run } => Command::Pause { run },
            CommandData::Resume { run } => Command::Resume { run },
            CommandData::Interrupt { run, step, message, text } => Command::Interrupt { run, step, message, text },
            CommandData::Cancel { run, reason } => Command::Cancel { run, reason },
            CommandData::Invite { participant, role } => return Ok(CommandRequest::Invite { participant, role }),
            CommandData::SetRole { participant, role } => Command::SetRole { participant, role },
            CommandData::Admit { participant } => Command::Admit { participant },
            CommandData::Refuse { participant } => Command::Refuse { participant },
            CommandData::Remove { participant } => Command::Remove { participant },
            CommandData::Leave {} => Command::Leave,
            CommandData::Set { title, settings } => Command::Set { title, settings },
            CommandData::RemoveFile { name } => Command::RemoveFile { name: file_name(&name)? },
            CommandData::RestoreFile { file } => return Ok(CommandRequest::RestoreFile { file }),
            CommandData::Redact { message, file, participant, content, reason } => {
                let target = match (message, file, participant) {
                    (Some(message), None, None) => RedactionTarget::Message(message),
                    (None, Some(file), None) => RedactionTarget::File(file),
                    (None, None, Some(participant)) => RedactionTarget::Participant { participant, content },
                    _ => return Err(redact("give exactly one of message, file and participant")),
                };
                match (target, &reason, content) {
                    (RedactionTarget::Participant { .. }, Some(_), _) => {
                        return Err(redact("reason is valid only with message or file; leave it out"));
                    }
                    (RedactionTarget::Message(_) | RedactionTarget::File(_), _, true) => {
                        return Err(redact("content is valid only with participant; leave it out"));
                    }
                    _ => Command::Redact { target, reason },
                }
            }
            CommandData::Close { reason } => Command::Close { reason: reason.unwrap_or_else(|| "".into()) },
        };
        Ok(CommandRequest::Complete(Box::new(command)))
    }

    fn arguments(&self) -> Result<CommandData, Problem> {
        let data = self.data.as_deref().map_or("{}", |data| data.get());
        if !CommandData::NAMES.contains(&self.r#do.as_str()) {
            return Err(unknown(&self.r#do));
        }
        if !data.starts_with('{') {
            let message = format!("{}: data must be a JSON object with the command's arguments", self.r#do);
            return Err(Problem::new(Code::InvalidArgument, message));
        }
        let tagged = format!("{{\"do\":\"{}\",\"data\":{data}}}", self.r#do);
        serde_json::from_str(&tagged).map_err(|error| {
            // The path `/data` alone does not help the client, because the message already names the missing field.
            let place = json_pointer::of_error::<CommandData>(tagged.as_bytes()).filter(|place| place != "/data");
            let place = place.map(|place| format!("invalid at {place}: ")).unwrap_or_default();
            Problem::new(Code::InvalidArgument, format!("{}: {place}{}", self.r#do, describe(&error)))
        })
    }
}

fn unknown(name: &str) -> Problem {
    // Comparing a name of hundreds of kilobytes would cost time, and it resembles no command.
    let near = CommandData::NAMES.iter().filter(|_| name.len() <= MAX_NAME_CHARS);
    let near = near.map(|known| (strsim::normalized_damerau_levenshtein(known, name), known));
    let near = near.filter(|(likeness, _)| *likeness >= MIN_SIMILARITY);
    let hint = match near.max_by(|a, b| a.0.total_cmp(&b.0)) {
        Some((_, known)) => format!("did you mean {known}?"),
        None => format!("use one of {}", CommandData::NAMES.join(", ")),
    };
    Problem::new(Code::UnknownCommand, format!("unknown command; {hint}"))
}

/// Returns serde's error message without its position, which refers to JSON that the client did not write.
pub(crate) fn describe(error: &serde_json::Error) -> String {
    let text = plain(error);
    text.split(" at line ").next().unwrap_or_default().to_owned()
}

/// Checks the number and length of addressees. Each is compared with every name, so without a bound one message could
/// keep its session busy for seconds.
pub(crate) fn check_addressees(to: &[Addressee]) -> Result<(), Problem> {
    if to.len() > MAX_ADDRESSEES {
        let message = format!("to has {} addressees; at most {MAX_ADDRESSEES} are accepted", to.len());
        return Err(Problem::new(Code::InvalidArgument, message));
    }
    let long = |addressee: &Addressee| match addressee {
        Addressee::Name(name) => name.chars().nth(MAX_NAME_CHARS).is_some(),
        Addressee::Target(_) => false,
    };
    if to.iter().any(long) {
        let message = format!("a name in to has more than {MAX_NAME_CHARS} characters; shorten it");
        return Err(Problem::new(Code::InvalidArgument, message));
    }
    Ok(())
}

/// Parses the name of a file into the form that the server stores.
pub(crate) fn file_name(text: &str) -> Result<FileName, Problem> {
    text.parse().map_err(|error: FileNameError| Problem::new(Code::InvalidArgument, error.to_string()))
}

/// Checks the size of the data that a program sends with a message.
pub(crate) fn check_request(request: &MessageRequest) -> Result<(), Problem> {
    request.check_bounds().map_err(|(part, error)| match error {
        ValueError::TooLarge { max, .. } => Problem::too_large(format!("{part}: {error}"), max),
        ValueError::TooDeep(_) | ValueError::Nul => Problem::new(Code::InvalidArgument, format!("{part}: {error}")),
    })
}

fn redact(message: &str) -> Problem {
    Problem::new(Code::InvalidArgument, format!("redact: {message}"))
}

fn addressee(to: Recipient) -> Addressee {
    match to {
        Recipient::Target(target) => Addressee::Target(target),
        Recipient::Name(name) => Addressee::Name(name),
    }
}

/// Returns the text of an answer: `text` or a string in `value` unchanged, or any other `value` as JSON. Returns `None`
/// unless exactly one of the two is given.
fn answer_text<'a>(text: Option<&'a str>, value: Option<&'a Value>) -> Option<Cow<'a, str>> {
    match (text, value) {
        (Some(text), None) => Some(Cow::Borrowed(text)),
        (None, Some(Value::String(text))) => Some(Cow::Borrowed(text)),
        (None, Some(value)) => Some(Cow::Owned(value.to_string())),
        _ => None,
    }
}

/// Checks that the texts in a command are within the size limit and contain no NUL, which SQLite stores but PostgreSQL
/// does not. The match lists every command, so that no text in a new command is unlimited.
fn check_texts(data: &CommandData, text_bytes: usize) -> Result<(), Problem> {
    let (mut edit, mut earlier) = (None, [].as_slice());
    let answered;
    let texts: [Option<&str>; 2] = match data {
        CommandData::Say { text, .. } => [Some(text), None],
        CommandData::Start { flow, input, earlier: messages, .. } => {
            earlier = messages;
            [Some(input), flow.as_deref()]
        }
        CommandData::Vote { comment, edit: edited, .. } => {
            edit = edited.as_ref().map(|edited| edited.get());
            [comment.as_deref(), edit]
        }
        CommandData::Answer { text, value, .. } => {
            answered = answer_text(text.as_deref(), value.as_ref());
            [answered.as_deref(), None]
        }
        CommandData::Comment { text, path, .. } => [Some(text), path.as_deref()],
        CommandData::Interrupt { text, .. } => [text.as_deref(), None],
        CommandData::Cancel { reason, .. } | CommandData::Redact { reason, .. } | CommandData::Close { reason } => {
            [reason.as_deref(), None]
        }
        CommandData::Set { title, .. } => [title.as_deref(), None],
        // The name has its own limit; settings are checked by the kernel.
        CommandData::RemoveFile { .. }
        | CommandData::RestoreFile { .. }
        | CommandData::Withdraw { .. }
        | CommandData::WithdrawCommand { .. }
        | CommandData::VoteBatch { .. }
        | CommandData::WithdrawVote { .. }
        | CommandData::ResolveComment { .. }
        | CommandData::DeleteComment { .. }
        | CommandData::DelegateVotes { .. }
        | CommandData::RevokePermission { .. }
        | CommandData::ProposeRule { .. }
        | CommandData::Pause { .. }
        | CommandData::Resume { .. }
        | CommandData::Invite { .. }
        | CommandData::SetRole { .. }
        | CommandData::Admit { .. }
        | CommandData::Refuse { .. }
        | CommandData::Remove { .. }
        | CommandData::Leave {} => [None, None],
    };
    let bytes = earlier.iter().map(|message| message.text.len()).sum::<usize>();
    if bytes > text_bytes {
        let message = format!("the earlier messages have {bytes} bytes in total; at most {text_bytes} are accepted");
        return Err(Problem::too_large(message, text_bytes));
    }
    for text in texts.into_iter().flatten().chain(earlier.iter().map(|message| &*message.text)) {
        if text.len() > text_bytes {
            let message = format!("the text has {} bytes; at most {text_bytes} are accepted", text.len());
            return Err(Problem::too_large(message, text_bytes));
        }
        // JSON encodes NUL as \u0000.
        if text.contains('\0') || edit == Some(text) && text.contains("\\u0000") {
            return Err(Problem::new(Code::InvalidArgument, "the text contains a NUL character; remove it"));
        }
    }
    Ok(())
}

#[cfg(test)]
#[path = "command_tests.rs"]
mod tests;
