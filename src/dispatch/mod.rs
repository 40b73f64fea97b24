//! Entry point for participants' commands from every transport.

mod approved_invitations;
mod command_handler;
mod follow_redaction;

pub use approved_invitations::ApprovedInvitation;
pub use command_handler::{CommandHandler, SessionBases};

use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value};
use tracing::Instrument;
use uuid::Uuid;

use crate::agent::teams::topology::ModelCatalog;
use crate::audit::{self, AuditLog};
use crate::files::FileRepository;
use crate::identity::{IdentityStore, Participant, ServerRole};
use crate::kernel::gate::{CommentTarget, FileLine};
use crate::kernel::mention::Addressee;
use crate::kernel::{self, Command, CommandId, RedactionTarget, Rejection, SessionId};
use crate::knowledge::KnowledgeRepository;
use crate::limits::RateLimiters;
use crate::protocol::{Code, CommandFrame, CommandRequest, Problem};
use crate::quotas::{ModelSpender, QuotaAmount, QuotaReservation, Quotas};
use crate::redactions::RedactionQueue;
use crate::telemetry::log_spans;
use crate::tool::code::CodeSettings;

/// Handles commands of participants: checks their shape and rate limits, completes them with data that only the server
/// knows, sets their actor (law 7), and submits them to the session.
#[derive(Clone)]
pub struct Dispatcher {
    /// Receiver of the completed commands.
    pub sessions: Arc<dyn CommandHandler>,
    /// Participants and their credentials.
    pub identities: Arc<dyn IdentityStore>,
    /// Queue of redactions, for names that a command wrote after their redaction.
    pub redactions: RedactionQueue,
    /// Audit log for changes of roles and settings.
    pub audit: AuditLog,
    /// Knowledge bases, for access checks when a session adds one.
    pub knowledge: KnowledgeRepository,
    /// Rate limits of participants.
    pub limits: Arc<RateLimiters>,
    /// Code bases, for access checks when a session adds one.
    pub code: CodeSettings,
    /// Models that a session can use for all of its agents.
    pub models: Arc<ModelCatalog>,
    /// Quotas of participants.
    pub quotas: Quotas,
    /// Contents of session files.
    pub files: FileRepository,
    /// Maximum size of each text in a command, in bytes.
    pub text_bytes: usize,
    /// Time after which a client's command fails with `timed_out`. A command on its way to its session can still take
    /// effect.
    pub within: Duration,
}

impl Dispatcher {
    /// Handles a command frame. Returns the seq of the command's last event, which is durable.
    pub async fn frame(&self, who: &Participant, session: SessionId, frame: &CommandFrame) -> Result<u64, Problem> {
        let (id, request) = self.read(who, frame)?;
        self.submit(who, session, id, request).await
    }

    /// Parses a command frame and checks its shape and the sender's rate limit on this node. This first half of
    /// [`Dispatcher::frame`] does not wait.
    pub fn read(&self, who: &Participant, frame: &CommandFrame) -> Result<(CommandId, CommandRequest), Problem> {
        let (id, request) = frame.command(self.text_bytes)?;
        self.limits.command(who, request.kind())?;
        Ok((id, request))
    }

    /// Submits a parsed request, within the timeout. This is the second half of [`Dispatcher::frame`].
    pub async fn submit(
        &self,
        who: &Participant,
        session: SessionId,
        id: CommandId,
        request: CommandRequest,
    ) -> Result<u64, Problem> {
        let work = async {
            self.limits.command_everywhere(who, request.kind()).await?;
            self.execute(who, session, id, request).await
        };
        let message = "the command took longer than http.timeout_seconds; retry it with the same id, it counts once";
        tokio::time::timeout(self.within, work).await.map_err(|_| Problem::new(Code::TimedOut, message))?
    }

    /// Counts a command toward the sender's rate limits. Callers of [`Dispatcher::submit_counted`] use it.
    ///
    /// # Errors
    /// `rate_limited` if a limit is exceeded.
    pub async fn count(&self, who: &Participant, command: &Command) -> Result<(), Problem> {
        self.limits.command(who, command.kind())?;
        self.limits.command_everywhere(who, command.kind()).await
    }

    /// Submits a command that was already counted, either itself or as a part of another: a new session and its first
    /// message count once, as do an administrator's read access and their joining. `id` is the sender's id for the
    /// command, if any.
    pub async fn submit_counted(
        &self,
        who: &Participant,
        session: SessionId,
        id: Option<CommandId>,
        command: Command,
    ) -> Result<u64, Problem> {
        let id = id.map_or_else(fresh_id, Ok)?;
        self.execute(who, session, id, CommandRequest::Complete(Box::new(command))).await
    }

    /// Counts and submits a command that the server creates on behalf of a participant.
    pub async fn command(&self, who: &Participant, session: SessionId, command: Command) -> Result<u64, Problem> {
        self.count(who, &command).await?;
        self.submit_counted(who, session, None, command).await
    }

    async fn execute(
        &self,
        who: &Participant,
        session: SessionId,
        id: CommandId,
        request: CommandRequest,
    ) -> Result<u64, Problem> {
        let command = self.complete(who, session, &id, request).await?;
        if let Some(scope) = &who.scope {
            scope.check_command(&command)?;
        }
        let reserved = self.check_and_reserve(who, session, &command).await?;
        let entry = audit::of_command(who, session, &command);
        let can_be_asked = matches!(command, Command::Invite { .. });
        let can_decide = can_decide_gates(&command);
        let named = follow_redaction::new_participant(who, &command);
        let (this, sender, decider) = (self.clone(), who.sends(id.clone()), who.clone());
        let work = async move {
            let submitted = this.sessions.submit(session, sender, command).await;
            if let Some(reserved) = reserved {
                reserved.release().await;
            }
            if let Some(participant) = named {
                // Even after a failure: an append with an unknown outcome might be in the log.
                this.follow_redaction(participant).instrument(log_spans::own_session(session)).await;
            }
            let seq = submitted?;
            if let Some(entry) = entry {
                // The audit log must not say that someone was added while the owners have not agreed yet.
                let asks = can_be_asked && this.sessions.has_asked(session, seq).await.unwrap_or(false);
                let entry = entry.detail("seq", seq);
                this.audit.record(if asks { entry.detail("asked", true) } else { entry });
            }
            if can_decide {
                match this.sessions.approved_invitations(session, decider.id, &id, seq).await {
                    Ok(added) => added.iter().for_each(|added| {
                        let invited = (added.participant, added.role);
                        let entry = audit::of_approved_invitation(&decider, session, invited, &added.approved_by);
                        this.audit.record(entry.detail("seq", seq));
                    }),
                    Err(problem) => {
                        tracing::warn!(%problem, "an approved invitation may be missing from the audit log")
                    }
                }
            }
            Ok(seq)
        };
        // A separate task, which continues after the timeout and after the sender has disconnected: a command that
        // takes effect must be in the audit log, and the redaction must be checked.
        let work = audit::RequestOrigin::current().scope(work).in_current_span();
        tokio::spawn(work).await.map_err(Problem::internal)?
    }

    /// Completes a request into a kernel command, with data that only the server knows.
    async fn complete(
        &self,
        who: &Participant,
        session: SessionId,
        id: &CommandId,
        request: CommandRequest,
    ) -> Result<Command, Problem> {
        Ok(match request {
            CommandRequest::Complete(command) => *command,
            CommandRequest::Invite { participant, role } => {
                let known = self.identities.participant(participant).await?;
                let known = known.ok_or_else(Problem::unknown_participant)?;
                let guest = known.server_role == ServerRole::Guest;
                Command::Invite { participant, kind: known.kind, name: known.name, role, guest }
            }
            CommandRequest::CommentOnLine { gate, rev, file, line, text } => {
                let comment = |line_text: Option<String>| {
                    let line = Some(FileLine { number: line, text: line_text.map(Into::into) });
                    Command::Comment { gate, rev, target: CommentTarget::File { file, line }, text: text.clone() }
                };
                let probe = comment(Some(String::new()));
                who.scope.as_deref().map_or(Ok(()), |scope| scope.check_command(&probe))?;
                // Otherwise, anyone could make the server read files with comments that the session rejects.
                let line_text = match self.sessions.commented_file(session, who.sends(id.clone()), probe).await? {
                    Some(file) => self.files.line(session, &file, line).await?,
                    None => None,
                };
                comment(line_text)
            }
            CommandRequest::RestoreFile { file } => Command::RestoreFile { file, limits: self.files.limits() },
        })
    }

    /// Checks what the kernel cannot check, such as quotas, models, and access to code bases and knowledge bases.
    /// Reserves the amount that the command adds to a quota. The match lists every command, so that the checks of a new
    /// command are not forgotten.
    async fn check_and_reserve(
        &self,
        who: &Participant,
        session: SessionId,
        command: &Command,
    ) -> Result<Option<QuotaReservation>, Problem> {
        match command {
            Command::Create { settings, team, .. } => {
                let mut named = settings.named();
                named.entry("retention_days").or_insert(Value::Null);
                self.check_ceilings(who, &named)?;
                self.check_model(settings.model.as_deref())?;
                self.check_code(who, &team.name, &settings.code)?;
                self.knowledge.check_named(who, &team.name, &settings.knowledge).await?;
                self.quotas.reserve(who.id, QuotaAmount::Session).await.map(Some)
            }
            Command::Set { settings: Some(settings), .. } => {
                self.check_ceilings(who, settings)?;
                self.check_model(settings.get("model").and_then(Value::as_str))?;
                self.check_given(who, session, settings).await?;
                Ok(None)
            }
            Command::Vote { gate, edit: Some(edit), .. } => {
                match self.check_model(kernel::proposed_model(edit.get()).as_deref()) {
                    Err(unlisted) if self.sessions.is_budget_gate(session, *gate).await? => Err(unlisted),
                    Ok(()) | Err(_) => Ok(None),
                }
            }
            Command::Start { .. } => self.reserve_run(who, session, "", None).await,
            Command::Say { text, to, .. } => self.reserve_run(who, session, text, to.as_deref()).await,
            Command::Redact { target: RedactionTarget::Participant { participant, .. }, .. } => {
                // The database knows which logs name a participant, so the whole log need not be read.
                if !self.redactions.has_appeared(session, *participant).await? {
                    return Err(Rejection::UnknownParticipant.into());
                }
                Ok(None)
            }
            Command::Set { settings: None, .. }
            | Command::Redact { .. }
            | Command::Enter { .. }
            | Command::Knock { .. }
            | Command::Rename { .. }
            | Command::Admit { .. }
            | Command::Refuse { .. }
            | Command::Leave
            | Command::Withdraw { .. }
            | Command::WithdrawCommand { .. }
            | Command::Vote { edit: None, .. }
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
            | Command::Invite { .. }
            | Command::SetRole { .. }
            | Command::Remove { .. }
            | Command::AddFile { .. }
            | Command::RemoveFile { .. }
            | Command::RestoreFile { .. }
            | Command::Close { .. }
            // Sent by the orchestrator, not by a participant.
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
            | Command::Recover { .. } => Ok(None),
        }
    }

    /// Reserves the run that a message will start. Returns `None` if the message starts no run, because it is only for
    /// people or a run is already active. A retry of the command that started the active run then gets the first
    /// response.
    async fn reserve_run(
        &self,
        who: &Participant,
        session: SessionId,
        text: &str,
        to: Option<&[Addressee]>,
    ) -> Result<Option<QuotaReservation>, Problem> {
        // Without the state in memory, this check costs less than reading the state from the store.
        if !self.sessions.has_state(session) && self.quotas.has_counted_run(session).await? {
            return Ok(None);
        }
        let Some(team) = self.sessions.run_team(session, text, to).await? else { return Ok(None) };
        self.reserve_run_with(who, session, team).await.map(Some)
    }

    async fn reserve_run_with(
        &self,
        who: &Participant,
        session: SessionId,
        team: Uuid,
    ) -> Result<QuotaReservation, Problem> {
        self.quotas.check_month(ModelSpender { participant: Some(who.id), session, team }).await?;
        self.quotas.reserve_run(who.id, team).await
    }

    /// Checks that the participant's quotas have room for a run with this team. Called before a session is created for
    /// the run, because otherwise an empty session would remain and count toward a quota itself.
    ///
    /// # Errors
    /// `quota_exceeded`.
    pub async fn check_new_run(&self, who: &Participant, session: SessionId, team: Uuid) -> Result<(), Problem> {
        self.reserve_run_with(who, session, team).await?.release().await;
        Ok(())
    }

    /// Checks that the participant is allowed to set these values of session settings.
    fn check_ceilings(&self, who: &Participant, named: &Map<String, Value>) -> Result<(), Problem> {
        if who.server_role == ServerRole::Admin {
            return Ok(());
        }
        self.quotas.settings().session_settings.check(named).map_err(Problem::from)
    }

    fn check_code(&self, who: &Participant, team: &str, named: &[Arc<str>]) -> Result<(), Problem> {
        self.code.check_named(who, team, named).map_err(|message| Problem::new(Code::InvalidArgument, message))
    }

    fn check_model(&self, model: Option<&str>) -> Result<(), Problem> {
        let Some(model) = model else { return Ok(()) };
        self.models.check_listed(model).map_err(|message| Problem::new(Code::InvalidArgument, message))
    }

    /// Checks that the participant can read the code bases and knowledge bases that a session gains. Bases that the
    /// session already has are not checked, because others might have added bases that this participant cannot read.
    /// Ignores a value that is not a list of names, because the kernel rejects it.
    async fn check_given(
        &self,
        who: &Participant,
        session: SessionId,
        settings: &Map<String, Value>,
    ) -> Result<(), Problem> {
        let list = |setting: &str| Vec::<Arc<str>>::deserialize(settings.get(setting)?).ok();
        let [mut code, mut knowledge] = ["code", "knowledge"].map(|setting| list(setting).unwrap_or_default());
        if code.is_empty() && knowledge.is_empty() {
            return Ok(());
        }
        let given = self.sessions.session_bases(session).await?;
        code.retain(|name| !given.code.contains(name));
        self.check_code(who, &given.team, &code)?;
        knowledge.retain(|name| !given.knowledge.contains(name));
        self.knowledge.check_named(who, &given.team, &knowledge).await
    }
}

pub(crate) fn fresh_id() -> Result<CommandId, Problem> {
    format!("srv-{}", Uuid::now_v7().simple()).parse().map_err(Problem::internal)
}

/// Returns whether the command can decide gates, because it votes, changes who can vote, or resolves something that
/// holds a gate open.
fn can_decide_gates(command: &Command) -> bool {
    matches!(
        command,
        Command::Vote { .. }
            | Command::VoteBatch { .. }
            | Command::WithdrawVote { .. }
            | Command::DelegateVotes { .. }
            | Command::Leave
            | Command::Remove { .. }
            | Command::SetRole { .. }
            | Command::Set { .. }
            | Command::ResolveComment { .. }
            | Command::DeleteComment { .. }
            | Command::Redact { .. }
    )
}
