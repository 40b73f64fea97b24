//! A decision in progress.

use std::collections::BTreeSet;

use super::event::attribution::{Author, RunOfFact};
use super::gate::AskedCommand;
use super::participant::right::{Right, RightAccess};
use super::{
    Actor, Cause, CommandId, CommandSender, Envelope, Event, Fact, FileId, ParticipantId, Rejection, Role, State,
    Timestamp, View, driver, evolve, file, redaction,
};

/// A decision in progress: the events so far, and the state after them.
#[derive(Clone)]
pub(super) struct Draft {
    state: State,
    events: Vec<Event>,
    at: Timestamp,
    by: Actor,
    granted_role: Option<Role>,
    max_role: Option<Role>,
    cause: Option<Cause>,
    /// Files of the next message.
    attached: Vec<FileId>,
    /// Rights that the owners grant the sender for this command.
    approved: BTreeSet<Right>,
    /// Participants whose commands must not be carried out, and who must not be invited, even if the owners approve.
    barred: BTreeSet<ParticipantId>,
}

impl Draft {
    pub(super) fn new(state: &State, envelope: &Envelope, barred: &BTreeSet<ParticipantId>) -> Self {
        let (by, granted_role, max_role, cause) = match &envelope.by {
            CommandSender::Participant { actor, id, granted_role, max_role } => {
                (actor.clone(), *granted_role, *max_role, Some(command_cause(id)))
            }
            CommandSender::Orchestrator { cause } => (Actor::system(), None, None, cause.map(Cause::Seq)),
        };
        // The session's list of participants determines a member's name. A name that was changed elsewhere applies only
        // after the session has recorded the change.
        let listed = by.participant_id().and_then(|id| state.view.member(id)).map(|member| member.name.clone());
        let nameless = by.participant_id().filter(|id| state.is_nameless(*id)).map(|_| redaction::REDACTED.into());
        let by = Actor { name: nameless.or(listed).unwrap_or(by.name), ..by };
        // Event times in the log must not decrease, even if the clock was set back.
        let at = envelope.at.max(state.view.updated_at);
        Self {
            state: state.clone(),
            events: vec![],
            at,
            by,
            granted_role,
            max_role,
            cause,
            attached: vec![],
            approved: BTreeSet::new(),
            barred: barred.clone(),
        }
    }

    /// Returns whether the command must not be carried out, because the account of its sender, or of the participant
    /// that it adds, has changed.
    pub(super) fn is_barred(&self, command: &AskedCommand) -> bool {
        [command.by.participant_id(), command.invited()].into_iter().flatten().any(|id| self.barred.contains(&id))
    }

    /// Records a fact and applies it to the draft's state.
    pub(super) fn emit(&mut self, fact: Fact) {
        let by = self.author(&fact);
        let run = match fact.run_of_fact() {
            RunOfFact::Named(run) => Some(run),
            RunOfFact::Active => self.view().active_run().map(|run| run.id),
            RunOfFact::None => None,
        };
        let (seq, at, cause) = (self.next_seq(), self.at, self.cause.clone());
        let event = Event { seq, at, by, run, cause, redacted: None, fact };
        evolve(&mut self.state, &event);
        self.events.push(event);
    }

    /// Returns the author of a fact: the agent that wrote it, the server if it controls the fact, otherwise the sender.
    fn author(&self, fact: &Fact) -> Actor {
        match fact.author() {
            Author::Agent(agent) => self.view().team.agent(agent).map_or_else(Actor::system, Actor::agent),
            Author::Server => Actor::system(),
            Author::Sender => self.sender(),
        }
    }

    /// Attaches files to the next message.
    pub(super) fn attach(&mut self, files: &[FileId]) -> Result<(), Rejection> {
        self.attached = file::commands::attached_files(self.view(), files)?;
        Ok(())
    }

    /// Takes the files that were attached to the message that is being posted.
    pub(super) fn take_attached(&mut self) -> Vec<FileId> {
        std::mem::take(&mut self.attached)
    }

    pub(super) fn has_attached(&self) -> bool {
        !self.attached.is_empty()
    }

    /// Returns the seq of the next event, which is also the number in any id that this event introduces.
    pub(super) fn next_seq(&self) -> u64 {
        self.state.seq + 1
    }

    pub(super) fn state(&self) -> &State {
        &self.state
    }

    /// Erases the sender's name from this point on.
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

    /// Returns the sender with their current role, for the log. The role can change later.
    pub(super) fn sender(&self) -> Actor {
        let role = self.by.participant_id().and_then(|_| self.role().ok());
        Actor { role, ..self.by.clone() }
    }

    /// Returns the sender's effective role: their own, or the maximum role of their token if that gives fewer rights.
    pub(super) fn role(&self) -> Result<Role, Rejection> {
        let own = self.own_role()?;
        Ok(self.max_role.filter(|limit| own.covers(*limit)).unwrap_or(own))
    }

    /// Returns the sender's role in the session or on the server, whichever gives more rights.
    pub(super) fn own_role(&self) -> Result<Role, Rejection> {
        let member = self.by.participant_id().and_then(|id| self.view().member(id)).map(|member| member.role);
        match (member, self.granted_role) {
            (Some(member), Some(granted_role)) if member.covers(granted_role) => Ok(member),
            (member, granted_role) => granted_role.or(member).ok_or(Rejection::NotAMember),
        }
    }

    /// Returns the roles in which the sender votes: their own, and their own as limited by their token.
    pub(super) fn voting_roles(&self) -> Result<(Role, Role), Rejection> {
        let (own, role) = (self.own_role()?, self.role()?);
        Ok((own.voting(self.by.kind), role.voting(self.by.kind)))
    }

    /// Checks that the sender has a right, and returns the sender's role.
    pub(super) fn require(&self, right: Right) -> Result<Role, Rejection> {
        let (own, role) = (self.own_role()?, self.role()?);
        let settings = &self.view().settings;
        // The session can deny the sender's own role a right that it allows to the lower role of a token.
        let may_without_token = settings.may(own, right);
        match settings.access(own, right).max(settings.access(role, right)) {
            RightAccess::Allow => return Ok(role),
            RightAccess::Ask if self.approved.contains(&right) => return Ok(role),
            RightAccess::Ask => return Err(Rejection::NeedsApproval { right }),
            RightAccess::Deny => {}
        }
        if let Some(max_role) = self.max_role.filter(|_| may_without_token) {
            return Err(Rejection::BeyondToken { right, max_role });
        }
        let may = Role::ALL.into_iter().filter(|role| settings.may(*role, right));
        let needed: Vec<_> = may.map(Role::as_str).collect();
        let message = format!("your role here is {}; this requires {}", role.as_str(), needed.join(" or "));
        Err(Rejection::Forbidden { right, message: message.into() })
    }

    /// Runs `work` with rights that the sender's role must ask for and that the owners have granted.
    pub(super) fn with_rights<T>(&mut self, rights: &BTreeSet<Right>, work: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.approved, rights.clone());
        let result = work(self);
        self.approved = before;
        result
    }

    /// Runs `work` as the participant who asked for a command.
    pub(super) fn acting_for<T>(
        &mut self,
        command: &AskedCommand,
        cause: Cause,
        work: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let listed =
            command.by.participant_id().and_then(|id| self.view().member(id)).map(|member| member.name.clone());
        let asking = Self {
            by: Actor { name: listed.unwrap_or_else(|| command.by.name.clone()), ..command.by.clone() },
            granted_role: command.granted_role,
            max_role: None,
            cause: Some(cause),
            attached: vec![],
            approved: BTreeSet::new(),
            ..self.clone()
        };
        let voter = std::mem::replace(self, asking);
        let result = work(self);
        let Self { by, granted_role, max_role, cause, attached, approved, .. } = voter;
        (self.by, self.granted_role, self.max_role, self.cause) = (by, granted_role, max_role, cause);
        (self.attached, self.approved) = (attached, approved);
        result
    }

    /// Returns whether owners approved the command.
    pub(super) fn is_approved(&self) -> bool {
        !self.approved.is_empty()
    }

    /// Returns the role that the server gives the sender.
    pub(super) fn granted_role(&self) -> Option<Role> {
        self.granted_role
    }

    /// Returns the facts so far.
    pub(super) fn facts(&self) -> impl Iterator<Item = &Fact> {
        self.events.iter().map(|event| &event.fact)
    }

    /// Returns the events and the state that they lead to.
    pub(super) fn finish(self) -> (Vec<Event>, State) {
        (self.events, self.state)
    }

    /// Records the phase of the run, if it has changed.
    pub(super) fn record_phase(&mut self) {
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
