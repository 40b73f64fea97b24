//! Deciding: what a command makes happen in a state, or why it may not.

use super::attribution::Author;
use super::role::Right;
use super::{
    Actor, By, Cause, Command, CommandId, Envelope, Event, Fact, FileId, Rejection, Role, State, Timestamp, View,
    calls, control, driver, evolve, files, inquiry, knock, people, recover, redaction, say, title, turn, vote,
};

/// What a command leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// These events, in order; none where nothing needs to change.
    Events(Vec<Event>),
    /// It was applied before; this is its first answer, the seq of its last event.
    Repeated(u64),
}

/// What `envelope`'s command makes happen in `state`. A rejection leaves no trace.
pub fn decide(state: &State, envelope: &Envelope) -> Result<Decision, Rejection> {
    if let By::Participant { actor, id, .. } = &envelope.by
        && let Some(seq) = state.receipt(actor, id)
    {
        return Ok(Decision::Repeated(seq));
    }
    let mut draft = Draft::new(state, envelope);
    draft.check_open(&envelope.command)?;
    dispatch(&mut draft, &envelope.command)?;
    vote::settle(&mut draft);
    driver::drive(&mut draft);
    draft.record_phase();
    Ok(Decision::Events(draft.events))
}

fn dispatch(draft: &mut Draft, command: &Command) -> Result<(), Rejection> {
    match command {
        Command::Create { title, team, settings, .. } => people::create(draft, title, team, settings),
        Command::Enter { role } => people::enter(draft, *role),
        Command::Knock { role } => knock::knock(draft, *role),
        Command::Rename { name } => people::rename(draft, name),
        Command::Admit { participant } => knock::admit(draft, *participant),
        Command::Refuse { participant } => knock::refuse(draft, *participant),
        Command::Leave => people::leave(draft),
        Command::Invite { participant, kind, name, role } => people::invite(draft, *participant, *kind, name, *role),
        Command::SetRole { participant, role } => people::set_role(draft, *participant, *role),
        Command::Remove { participant } => people::remove(draft, *participant),
        Command::Set { title, settings } => people::set(draft, title.as_ref(), settings.as_ref()),
        Command::Close { reason } => people::close(draft, reason),
        Command::Say { text, to, mode, files } => {
            draft.attach(files)?;
            say::say(draft, text, to.as_deref(), *mode)
        }
        Command::Withdraw { message } => say::withdraw(draft, *message),
        Command::Start { flow, input, files, earlier } => {
            draft.attach(files)?;
            say::start(draft, flow.as_ref(), input, earlier)
        }
        Command::AddFile { file, room } => files::add(draft, file, *room),
        Command::RemoveFile { name } => files::remove(draft, name),
        Command::RestoreFile { file, room } => files::restore(draft, *file, *room),
        Command::Redact { target, reason } => redaction::redact(draft, *target, reason.as_ref()),
        Command::Vote { gate, rev, choice, comment, edit } => {
            vote::vote(draft, *gate, *rev, *choice, comment.as_ref(), edit.as_deref())
        }
        Command::Answer { gate, text } => vote::answer(draft, *gate, text),
        Command::Pause { run } => control::pause(draft, *run),
        Command::Resume { run } => control::resume(draft, *run),
        Command::Interrupt { run, step, item, text } => control::interrupt(draft, *run, *step, *item, text.as_ref()),
        Command::Cancel { run, reason } => control::cancel(draft, *run, reason.as_ref()),
        Command::Acknowledge { control } => control::acknowledge(draft, *control),
        Command::Stopped { control, left } => control::stopped(draft, *control, left),
        Command::TurnCompleted { message, attempt, text, calls, usage, truncated } => {
            turn::completed(draft, *message, *attempt, &turn::Answer { text, calls, usage, truncated: *truncated });
            Ok(())
        }
        Command::CallJudged { call, judged } => {
            calls::judged(draft, *call, judged);
            Ok(())
        }
        Command::CallEnded { call, attempt, result } => {
            calls::ended(draft, *call, *attempt, result);
            Ok(())
        }
        Command::CallAsks { call, attempt, inquiry } => {
            inquiry::ask(draft, *call, *attempt, inquiry);
            Ok(())
        }
        Command::CallAsksNoMore { call, attempt } => {
            inquiry::withdraw(draft, *call, *attempt);
            Ok(())
        }
        Command::TurnFailed { attempt, error, retry_in, left } => {
            turn::failed(draft, *attempt, error, *retry_in, left);
            Ok(())
        }
        Command::TitleMade { run, message, title, usage } => {
            title::titled(draft, *run, *message, title.as_ref(), usage.as_ref());
            Ok(())
        }
        Command::Due => {
            recover::due(draft);
            Ok(())
        }
        Command::Recover => {
            recover::recover(draft);
            Ok(())
        }
    }
}

/// A decision in the making: the events so far and the state after them.
pub(super) struct Draft {
    state: State,
    events: Vec<Event>,
    at: Timestamp,
    by: Actor,
    standing: Option<Role>,
    cause: Option<Cause>,
    /// The files that the next words come with.
    attached: Vec<FileId>,
}

impl Draft {
    fn new(state: &State, envelope: &Envelope) -> Self {
        let (by, standing, cause) = match &envelope.by {
            By::Participant { actor, id, standing } => (actor.clone(), *standing, Some(command_cause(id))),
            By::Shell { cause } => (Actor::system(), None, cause.map(Cause::Seq)),
        };
        // In a session everybody goes by the name that its list has: only a rename that it recorded changes that.
        let listed = by.participant_id().and_then(|id| state.view.member(id)).map(|member| member.name.clone());
        let nameless = by.participant_id().filter(|id| state.is_nameless(*id)).map(|_| redaction::REDACTED.into());
        let by = Actor { name: nameless.or(listed).unwrap_or(by.name), ..by };
        // A clock that was set back must not make the log run backwards.
        let at = envelope.at.max(state.view.updated_at);
        Self { state: state.clone(), events: vec![], at, by, standing, cause, attached: vec![] }
    }

    /// Record a fact and see what it changes.
    pub(super) fn emit(&mut self, fact: Fact) {
        let by = self.author(&fact);
        let around = self.view().active_run().filter(|_| fact.is_spoken()).map(|run| run.id);
        let run = fact.run().or(around);
        let (seq, at, cause) = (self.next_seq(), self.at, self.cause.clone());
        let event = Event { seq, at, by, run, cause, redacted: None, fact };
        evolve(&mut self.state, &event);
        self.events.push(event);
    }

    /// Who a fact is by: agents write, the server drives, and the rest is whoever asked.
    fn author(&self, fact: &Fact) -> Actor {
        match fact.author() {
            Author::Agent(agent) => self.view().team.agent(agent).map_or_else(Actor::system, Actor::agent),
            Author::Server => Actor::system(),
            Author::Sender => self.sender(),
        }
    }

    /// What is said next comes with these files.
    fn attach(&mut self, files: &[FileId]) -> Result<(), Rejection> {
        self.attached = files::attached(self.view(), files)?;
        Ok(())
    }

    /// The files that come with the words that are being posted.
    pub(super) fn take_attached(&mut self) -> Vec<FileId> {
        std::mem::take(&mut self.attached)
    }

    pub(super) fn has_attached(&self) -> bool {
        !self.attached.is_empty()
    }

    /// The seq of the next event, which is also the number of whatever it brings into being.
    pub(super) fn next_seq(&self) -> u64 {
        self.state.seq + 1
    }

    pub(super) fn state(&self) -> &State {
        &self.state
    }

    /// The sender has no name from now on.
    pub(super) fn forget_name(&mut self) {
        self.by.name = redaction::REDACTED.into();
    }

    pub(super) fn view(&self) -> &View {
        &self.state.view
    }

    pub(super) fn at(&self) -> Timestamp {
        self.at
    }

    pub(super) fn by(&self) -> &Actor {
        &self.by
    }

    /// The sender with the role that they hold at this moment, for what the log keeps: the role may change later.
    pub(super) fn sender(&self) -> Actor {
        let role = self.by.participant_id().and_then(|_| self.role().ok());
        Actor { role, ..self.by.clone() }
    }

    /// The sender's role here: the session's, or the server's where that is higher.
    pub(super) fn role(&self) -> Result<Role, Rejection> {
        let member = self.by.participant_id().and_then(|id| self.view().member(id)).map(|member| member.role);
        match (member, self.standing) {
            (Some(member), Some(standing)) if member.covers(standing) => Ok(member),
            (member, standing) => standing.or(member).ok_or(Rejection::NotAMember),
        }
    }

    /// That the sender may.
    pub(super) fn require(&self, right: Right) -> Result<Role, Rejection> {
        let role = self.role()?;
        if role.may(right) {
            return Ok(role);
        }
        let needed: Vec<_> = Role::ALL.iter().filter(|role| role.may(right)).map(|role| role.as_str()).collect();
        let message = format!("your role here is {}; this takes {}", role.as_str(), needed.join(" or "));
        Err(Rejection::Forbidden { right, message: message.into() })
    }

    fn check_open(&self, command: &Command) -> Result<(), Rejection> {
        match (command, self.state.seq) {
            (Command::Create { .. }, 0) => Ok(()),
            (Command::Create { .. }, _) => Err(Rejection::Invalid("there is a session with this id already".into())),
            (_, 0) => Err(Rejection::UnknownSession),
            // What should not be there may be found out late.
            (Command::Redact { .. }, _) => Ok(()),
            // It was thought of while the session was open, and is not wanted any more.
            (Command::TitleMade { .. }, _) => Ok(()),
            _ if self.view().closed => Err(Rejection::SessionClosed),
            _ => Ok(()),
        }
    }

    /// Record where the run stands now, if that has changed.
    fn record_phase(&mut self) {
        let Some(run) = self.view().active_run() else { return };
        let (id, from, to) = (run.id, run.phase, driver::phase(self.view(), run));
        if from != to {
            self.emit(Fact::RunStateChanged { run: id, from, to });
        }
    }
}

fn command_cause(id: &CommandId) -> Cause {
    Cause::Command(id.clone())
}
