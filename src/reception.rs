//! Where commands of participants come in, whatever they came through.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::audit::{self, Audit};
use crate::identity::{IdentityStore, Participant, Standing};
use crate::kernel::mention::{self, Addressee};
use crate::kernel::{
    Actor, By, Command, CommandId, FileRoom, ParticipantId, REDACTED, RedactionTarget, Rejection, SessionId,
};
use crate::knowledge::Knowledge;
use crate::limits::RateLimits;
use crate::orchestrator::Orchestrators;
use crate::protocol::{Code, CommandFrame, Problem};
use crate::quotas::{QuotaAmount, QuotaReservation, Quotas};
use crate::redactions::{Redactions, RequestTarget};
use crate::retry;
use crate::store::StoreError;
use crate::tool::code::CodeSettings;

/// Looks for a redaction that a command may have missed, with growing pauses: about ten minutes.
const FOLLOW_ATTEMPTS: u32 = 20;

/// The bases that a session was given, and its team.
#[derive(Debug, Clone, Default)]
pub struct GivenBases {
    /// Name of the team.
    pub team: Arc<str>,
    /// Code bases, by name.
    pub code: Vec<Arc<str>>,
    /// Knowledge bases, by id.
    pub knowledge: Vec<Arc<str>>,
}

/// Where commands go.
#[async_trait]
pub trait Submit: Send + Sync + 'static {
    /// Apply a command and answer with the seq of its last event, once that is durable.
    async fn submit(&self, session: SessionId, by: By, command: Command) -> Result<u64, Problem>;

    /// Whether words for these addressees would begin a run in a session; without addressees or mentions they are for its
    /// agents.
    async fn begins_run(&self, session: SessionId, text: &str, to: Option<&[Addressee]>) -> Result<bool, Problem>;

    /// The bases that a session was given.
    async fn given(&self, session: SessionId) -> Result<GivenBases, Problem>;
}

#[async_trait]
impl Submit for Orchestrators {
    async fn submit(&self, session: SessionId, by: By, command: Command) -> Result<u64, Problem> {
        Orchestrators::submit(self, session, by, command).await
    }

    async fn begins_run(&self, session: SessionId, text: &str, to: Option<&[Addressee]>) -> Result<bool, Problem> {
        let state = self.state(session).await?;
        Ok(state.view().active_run().is_none() && mention::route(state.view(), text, to).is_for_agents())
    }

    async fn given(&self, session: SessionId) -> Result<GivenBases, Problem> {
        let state = self.state(session).await?;
        let (team, settings) = (state.view().team.name.clone(), &state.view().settings);
        Ok(GivenBases { team, code: settings.code.clone(), knowledge: settings.knowledge.clone() })
    }
}

/// Takes commands of participants: checks their shape, keeps them to their pace, fills in what only the server knows,
/// stamps who sends them (law 7), and hands them to the session.
#[derive(Clone)]
pub struct Reception {
    /// The sessions.
    pub sessions: Arc<dyn Submit>,
    /// Who is who.
    pub identities: Arc<dyn IdentityStore>,
    /// The redaction that erases a name again which a command carried past the first one.
    pub redactions: Redactions,
    /// The audit log, which has who changes roles and settings.
    pub audit: Audit,
    /// Which knowledge bases may be given to sessions.
    pub knowledge: Knowledge,
    /// How fast one may act.
    pub limits: Arc<RateLimits>,
    /// Which code bases may be given to sessions.
    pub code: CodeSettings,
    /// How much a participant may have and use.
    pub quotas: Quotas,
    /// How many files a session may hold.
    pub room: FileRoom,
    /// Bytes of a text at most.
    pub text_bytes: usize,
    /// How long a client's command may take until it is answered `timed_out`. What reached its session is done all the same.
    pub within: Duration,
}

impl Reception {
    /// A command as clients write it. The answer is the seq of its last event, durable.
    pub async fn frame(&self, who: &Participant, session: SessionId, frame: &CommandFrame) -> Result<u64, Problem> {
        let (id, command) = self.read(who, frame)?;
        self.carry_out(who, session, id, command).await
    }

    /// The first half of it, which waits for nothing: the command, where its shape and its sender's pace here are right.
    pub fn read(&self, who: &Participant, frame: &CommandFrame) -> Result<(CommandId, Command), Problem> {
        let (id, command) = frame.command(self.text_bytes)?;
        self.limits.command(who.id, &command)?;
        Ok((id, command))
    }

    /// The second half, in time.
    pub async fn carry_out(
        &self,
        who: &Participant,
        session: SessionId,
        id: CommandId,
        command: Command,
    ) -> Result<u64, Problem> {
        let work = async {
            self.limits.command_everywhere(who.id, &command).await?;
            self.take(who, session, id, command).await
        };
        let words = "the command took longer than the setting http.timeout_seconds; send it again, under the same id: \
                     it counts once";
        tokio::time::timeout(self.within, work).await.map_err(|_| Problem::new(Code::TimedOut, words))?
    }

    /// Whether a participant may send one more command like this now. What is done with [`Reception::counted`] is counted so.
    pub async fn count(&self, who: &Participant, command: &Command) -> Result<(), Problem> {
        self.limits.command(who.id, command)?;
        self.limits.command_everywhere(who.id, command).await
    }

    /// A command that was counted already, by itself or because it completes what was: a new session and its first words
    /// are one act, as are an administrator's look into a session and their coming into it. Its sender may have chosen its
    /// id.
    pub async fn counted(
        &self,
        who: &Participant,
        session: SessionId,
        id: Option<CommandId>,
        command: Command,
    ) -> Result<u64, Problem> {
        let id = id.map_or_else(fresh_id, Ok)?;
        self.take(who, session, id, command).await
    }

    /// A command that the server itself words on somebody's behalf.
    pub async fn command(&self, who: &Participant, session: SessionId, command: Command) -> Result<u64, Problem> {
        self.count(who, &command).await?;
        self.counted(who, session, None, command).await
    }

    async fn take(
        &self,
        who: &Participant,
        session: SessionId,
        id: CommandId,
        command: Command,
    ) -> Result<u64, Problem> {
        let (command, reserved) = self.complete(who, session, command).await?;
        let entry = audit::of_command(who, session, &command);
        let named = introduced(who, &command);
        let submitted = self.sessions.submit(session, who.sends(id), command).await;
        if let Some(reserved) = reserved {
            reserved.release().await;
        }
        if let Some(participant) = named {
            // Also where it has failed: what is in doubt may be in the log.
            self.follow_redaction(session, participant).await;
        }
        let seq = submitted?;
        entry.into_iter().for_each(|entry| self.audit.record(entry));
        Ok(seq)
    }

    /// Redact a participant again whose redaction ended while a command was bringing their name into a session that had not
    /// heard of them: it looked for their sessions after it had erased their name, so whoever it missed finds them erased.
    async fn follow_redaction(&self, session: SessionId, participant: ParticipantId) {
        let (identities, redactions) = (self.identities.clone(), self.redactions.clone());
        let follow = async move || {
            let known = identities.participant(participant).await?;
            if known.is_none_or(|known| &*known.name != REDACTED) || !identities.is_disabled(participant).await? {
                return Ok::<_, StoreError>(());
            }
            let target = RequestTarget::Participant { participant, content: false };
            redactions.request(target, &Actor::system()).await.map(drop)
        };
        let Err(error) = follow().await else { return };
        tracing::warn!(%error, %session, %participant, "cannot tell whether a participant was redacted meanwhile; will retry");
        tokio::spawn(async move {
            let mut failures = 1;
            while failures < FOLLOW_ATTEMPTS {
                tokio::time::sleep(Duration::from_millis(retry::pause(failures, 100, 60_000))).await;
                if follow().await.is_ok() {
                    return;
                }
                failures += 1;
            }
            tracing::error!(%session, %participant, "the participant's name may stay in this session: redact them again");
        });
    }

    /// The command with what the server knows and its sender does not say, and what it will add to a quota.
    async fn complete(
        &self,
        who: &Participant,
        session: SessionId,
        command: Command,
    ) -> Result<(Command, Option<QuotaReservation>), Problem> {
        let reserved = match command {
            Command::Create { ref settings, ref team, .. } => {
                let named = settings.named().map(|mut named| {
                    named.entry("retention_days").or_insert(Value::Null);
                    named
                });
                self.check_ceilings(who, named)?;
                self.check_code(who, &team.name, &settings.code)?;
                self.knowledge.check_named(who, &team.name, &settings.knowledge).await?;
                Some(self.quotas.reserve(who.id, QuotaAmount::Session).await?)
            }
            Command::Set { settings: Some(ref wanted), .. } => {
                self.check_ceilings(who, Ok(wanted.clone()))?;
                self.check_given(who, session, wanted).await?;
                None
            }
            Command::Start { .. } => self.reserve_run(who, session, "", None).await?,
            Command::Say { ref text, ref to, .. } => self.reserve_run(who, session, text, to.as_deref()).await?,
            Command::Invite { participant, role, .. } => {
                let known = self.identities.participant(participant).await?;
                let unknown = || Problem::new(Code::UnknownParticipant, "the server knows nobody of this id");
                let known = known.ok_or_else(unknown)?;
                return Ok((Command::Invite { participant, kind: known.kind, name: known.name, role }, None));
            }
            Command::Redact { target: RedactionTarget::Participant { participant, .. }, .. } => {
                // Whether a log names somebody is known without a look at all of it.
                if !self.redactions.has_appeared(session, participant).await? {
                    return Err(Rejection::UnknownParticipant.into());
                }
                None
            }
            Command::RestoreFile { file, .. } => return Ok((Command::RestoreFile { file, room: self.room }, None)),
            _ => None,
        };
        Ok((command, reserved))
    }

    /// The run that these words will begin; none where one is under way already, so that a command that began it and is sent
    /// again gets its first answer.
    async fn reserve_run(
        &self,
        who: &Participant,
        session: SessionId,
        text: &str,
        to: Option<&[Addressee]>,
    ) -> Result<Option<QuotaReservation>, Problem> {
        // Asked first: it costs less than the state of a session that another node has.
        if self.quotas.has_counted_run(session).await? || !self.sessions.begins_run(session, text, to).await? {
            return Ok(None);
        }
        self.quotas.reserve(who.id, QuotaAmount::Run).await.map(Some)
    }

    /// Whether a participant may give these settings these values.
    fn check_ceilings(
        &self,
        who: &Participant,
        named: Result<Map<String, Value>, serde_json::Error>,
    ) -> Result<(), Problem> {
        if who.standing == Standing::Admin {
            return Ok(());
        }
        self.quotas.settings().session_settings.check(&named.map_err(Problem::internal)?).map_err(Problem::from)
    }

    fn check_code(&self, who: &Participant, team: &str, named: &[Arc<str>]) -> Result<(), Problem> {
        self.code.check_named(who, team, named).map_err(|words| Problem::new(Code::InvalidArgument, words))
    }

    /// Whether a participant may give a session these code bases and these knowledge bases, as far as it does not have them:
    /// others may have given it what this one cannot read. The kernel refuses a value that is no list of names.
    async fn check_given(
        &self,
        who: &Participant,
        session: SessionId,
        wanted: &Map<String, Value>,
    ) -> Result<(), Problem> {
        let list = |setting: &str| Vec::<Arc<str>>::deserialize(wanted.get(setting)?).ok();
        let [mut code, mut knowledge] = ["code", "knowledge"].map(|setting| list(setting).unwrap_or_default());
        if code.is_empty() && knowledge.is_empty() {
            return Ok(());
        }
        let given = self.sessions.given(session).await?;
        code.retain(|name| !given.code.contains(name));
        self.check_code(who, &given.team, &code)?;
        knowledge.retain(|name| !given.knowledge.contains(name));
        self.knowledge.check_named(who, &given.team, &knowledge).await
    }
}

/// The participant whose name this command may bring into a session, which may not have heard of them.
fn introduced(who: &Participant, command: &Command) -> Option<ParticipantId> {
    let (participant, name) = match command {
        Command::Create { .. } | Command::Enter { .. } | Command::Knock { .. } => (who.id, &who.name),
        Command::Invite { participant, name, .. } => (*participant, name),
        _ => return None,
    };
    (&**name != REDACTED).then_some(participant)
}

pub(crate) fn fresh_id() -> Result<CommandId, Problem> {
    format!("srv-{}", uuid::Uuid::now_v7().simple()).parse().map_err(Problem::internal)
}
