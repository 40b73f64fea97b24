//! From the frame of a command to the kernel's command.

use super::{Code, CommandData, CommandFrame, Problem, SayTo};
use crate::kernel::mention::Addressee;
use crate::kernel::{ActorKind, Command, CommandId};

impl CommandFrame {
    /// The kernel's command, with its arguments checked for shape and size.
    ///
    /// `invite` comes out without name and kind, which the server fills in: see [`Command::Invite`].
    pub fn command(&self, text_bytes: usize) -> Result<(CommandId, Command), Problem> {
        Ok((self.id.clone(), self.parse(text_bytes)?))
    }

    fn parse(&self, text_bytes: usize) -> Result<Command, Problem> {
        let command = match self.arguments()? {
            CommandData::Say { text, to, mode } => {
                let to = to.map(|list| list.into_iter().map(addressee).collect());
                Command::Say { text, to, mode }
            }
            CommandData::Withdraw { message } => Command::Withdraw { message },
            CommandData::Start { flow, input } => Command::Start { flow, input },
            CommandData::Vote { gate, choice, comment } => {
                let rev = self.expect.map(|expect| expect.rev).ok_or_else(|| {
                    Problem::new(Code::InvalidArgument, "a vote names the revision it is about: set expect.rev")
                })?;
                Command::Vote { gate, rev, choice, comment }
            }
            CommandData::Answer { gate, value } => Command::Answer { gate, text: value },
            CommandData::Pause {} => Command::Pause,
            CommandData::Resume {} => Command::Resume,
            CommandData::Interrupt { text } => Command::Interrupt { text },
            CommandData::Cancel { reason } => Command::Cancel { reason },
            CommandData::Invite { participant, role } => {
                Command::Invite { participant, kind: ActorKind::User, name: "".into(), role }
            }
            CommandData::SetRole { participant, role } => Command::SetRole { participant, role },
            CommandData::Remove { participant } => Command::Remove { participant },
            CommandData::Leave {} => Command::Leave,
            CommandData::Set { title, settings } => Command::Set { title, settings },
            CommandData::Close { reason } => Command::Close { reason: reason.unwrap_or_else(|| "".into()) },
        };
        check_texts(&command, text_bytes)?;
        Ok(command)
    }

    fn arguments(&self) -> Result<CommandData, Problem> {
        let data = self.data.as_deref().map_or("{}", |data| data.get());
        if !CommandData::NAMES.contains(&self.r#do.as_str()) {
            let nearest = CommandData::NAMES
                .iter()
                .max_by(|a, b| strsim::jaro_winkler(a, &self.r#do).total_cmp(&strsim::jaro_winkler(b, &self.r#do)));
            let hint = nearest.map_or(String::new(), |name| format!("; did you mean {name}?"));
            return Err(Problem::new(Code::UnknownCommand, format!("there is no command of this name{hint}")));
        }
        let tagged = format!("{{\"do\":\"{}\",\"data\":{data}}}", self.r#do);
        serde_json::from_str(&tagged)
            .map_err(|error| Problem::new(Code::InvalidArgument, format!("{}: {}", self.r#do, describe(&error))))
    }
}

/// serde's words without its position, which is that of a text the client never wrote.
pub(crate) fn describe(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or_default().chars().take(300).collect()
}

fn addressee(to: SayTo) -> Addressee {
    match to {
        SayTo::Target(target) => Addressee::Target(target),
        SayTo::Name(name) => Addressee::Name(name),
    }
}

/// Texts are bounded, and free of NUL, which PostgreSQL cannot keep and SQLite would.
fn check_texts(command: &Command, text_bytes: usize) -> Result<(), Problem> {
    let texts: [Option<&str>; 2] = match command {
        Command::Say { text, .. } | Command::Answer { text, .. } => [Some(text), None],
        Command::Start { flow, input } => [Some(input), flow.as_deref()],
        Command::Vote { comment, .. } => [comment.as_deref(), None],
        Command::Interrupt { text } => [text.as_deref(), None],
        Command::Cancel { reason } => [reason.as_deref(), None],
        Command::Close { reason } => [Some(reason), None],
        Command::Set { title, .. } => [title.as_deref(), None],
        _ => [None, None],
    };
    for text in texts.into_iter().flatten() {
        if text.len() > text_bytes {
            let message = format!("the text has {} bytes; at most {text_bytes} are accepted", text.len());
            return Err(Problem::new(Code::TooLarge, message));
        }
        if text.contains('\0') {
            return Err(Problem::new(Code::InvalidArgument, "the text contains a NUL character; remove it"));
        }
    }
    Ok(())
}
