//! Creation of sessions, for REST and all doors.

use std::collections::BTreeSet;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use uuid::Uuid;

use super::Node;
use crate::identity::{Participant, ServerRole};
use crate::kernel::call::Permission;
use crate::kernel::{
    CallRule, Command, CommandId, FileId, Language, MessageRequest, Mode, PriorMessage, RightRule, SessionId, Settings,
    Team, is_blank, title_of,
};
use crate::protocol::{Code, Problem};

/// Request for a new session. All fields are optional.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct NewSession {
    /// Name of a team that the server offers, such as `testcase-en`. If absent, `flow` and `language` decide.
    pub team: Option<String>,
    /// Flow of the team, such as `react`. If `team` is absent, the default is `review`; otherwise it must be the team's
    /// flow.
    pub flow: Option<String>,
    /// Title of the session, at most 200 characters. If absent, the beginning of the message, or the team's title.
    pub title: Option<Arc<str>>,
    /// First message, which starts a run unless it is only for people. If absent, no run starts.
    pub message: Option<Arc<str>>,
    /// Settings of the session, such as `{"max_messages_per_run": 20}`. Absent fields have the defaults of the team's
    /// flow.
    pub settings: Option<Map<String, Value>>,
    /// Name of a template of rights that the server offers, such as `review`. If absent, `rights` in `settings` or the
    /// server's default. Cannot be combined with `rights`.
    pub rights_template: Option<String>,
    /// Language of the team if `team` is absent, `zh` or `en`. If absent, the language of the message.
    pub language: Option<Language>,
}

/// A created session.
#[derive(Debug)]
pub struct StartedSession {
    /// Id of the session.
    pub session: SessionId,
    /// Title of the session.
    pub title: Arc<str>,
    /// Name of its team.
    pub team: Arc<str>,
    /// Seq of its last event.
    pub seq: u64,
}

/// Content of a new session.
#[derive(Debug, Clone)]
pub(crate) struct SessionPlan {
    /// Title of the session.
    pub(crate) title: Arc<str>,
    /// Copy of the team for the session.
    pub(crate) team: Team,
    /// Settings of the session.
    pub(crate) settings: Settings,
}

/// First run of a new session.
#[derive(Debug, Clone)]
pub(crate) struct FirstRun {
    /// Message that the run works on.
    pub(crate) input: Arc<str>,
    /// Files that belong to the message.
    pub(crate) files: Vec<FileId>,
    /// Messages of a conversation from elsewhere that precede the input, oldest first.
    pub(crate) earlier: Vec<PriorMessage>,
    /// Data that the program sends with the message.
    pub(crate) request: Option<Arc<MessageRequest>>,
}

impl FirstRun {
    /// Creates a run of this message alone.
    pub(crate) fn new(input: Arc<str>) -> Self {
        Self { input, files: vec![], earlier: vec![], request: None }
    }
}

impl Node {
    /// Creates a session without its first message. The creator owns it.
    ///
    /// # Errors
    /// Fails if the team, title, settings or message are invalid, or a limit is reached.
    pub async fn begin(&self, who: &Participant, request: &NewSession) -> Result<StartedSession, Problem> {
        let text = request.message.as_deref().unwrap_or_default();
        // Check before the session exists: a message that is rejected later would leave an empty session.
        self.check_text(text)?;
        let team = Team::clone(self.team(request, text)?);
        let named = request.title.clone().filter(|title| !title.trim().is_empty());
        let title = named.or_else(|| title_of(text)).unwrap_or_else(|| team.title.clone());
        let rights = self.template_rights(request)?;
        let usual = self.usual_settings(who, &team);
        let usual = Settings { rights: rights.unwrap_or(usual.rights), ..usual };
        let settings = request.settings.as_ref().map_or(Ok(usual.clone()), |changes| usual.with(changes));
        let settings = settings.map_err(|error| Problem::new(Code::InvalidArgument, format!("settings: {error}")))?;
        let session = SessionId(Uuid::now_v7());
        if !is_blank(text) {
            self.dispatcher.check_new_run(who, session, team.account()).await?;
        }
        self.create_session(who, session, None, SessionPlan { title, team, settings }).await
    }

    /// Returns the default settings of a session that this creator starts with this team.
    pub(crate) fn usual_settings(&self, who: &Participant, team: &Team) -> Settings {
        let sessions = &self.config.sessions;
        let template = sessions.rights_template.as_ref().and_then(|name| self.config.rights_templates.get(name));
        let rights = template.map(|template| template.rights.clone()).unwrap_or_default();
        let usual = Settings { retention_days: sessions.retention_days, rights, ..Settings::of(&team.flow) };
        let code = self.config.tools.code.readable_by_team(who, &team.name).take(Settings::NAMED).collect();
        Settings { code, ..self.config.quotas.session_settings.cap(usual) }
    }

    /// Returns the rights of the template that a request names, or `None` if it names none.
    fn template_rights(&self, request: &NewSession) -> Result<Option<Vec<RightRule>>, Problem> {
        let Some(name) = request.rights_template.as_deref() else { return Ok(None) };
        let invalid = |message: String| Err(Problem::new(Code::InvalidArgument, message));
        if request.settings.as_ref().is_some_and(|settings| settings.contains_key("rights")) {
            return invalid("give either rights_template or settings.rights, not both".into());
        }
        let templates = &self.config.rights_templates;
        match templates.get(name) {
            Some(template) => Ok(Some(template.rights.clone())),
            None if templates.is_empty() => {
                invalid("this server has no rights templates; leave rights_template out".into())
            }
            None => {
                let names: Vec<_> = templates.keys().map(String::as_str).collect();
                invalid(format!("no rights template has this name; use one of {}", names.join(", ")))
            }
        }
    }

    /// Creates a session with this id. `command` is the creator's id for the command, if any; a retry with the same id
    /// has no further effect.
    ///
    /// # Errors
    /// Fails if the plan is invalid, or a limit is reached.
    pub(crate) async fn create_session(
        &self,
        who: &Participant,
        session: SessionId,
        command: Option<CommandId>,
        SessionPlan { title, mut team, settings }: SessionPlan,
    ) -> Result<StartedSession, Problem> {
        if who.server_role == ServerRole::Guest && !self.config.tools.python.guests {
            remove_python(&mut team);
        }
        let name = team.name.clone();
        let create = Command::Create { title: title.clone(), team, settings };
        self.dispatcher.count(who, &create).await?;
        let seq = self.dispatcher.submit_counted(who, session, command, create).await?;
        Ok(StartedSession { session, title, team: name, seq })
    }

    /// Posts the first message in a new session.
    ///
    /// # Errors
    /// Fails if the session rejects the message.
    pub async fn post_first_message(
        &self,
        who: &Participant,
        session: SessionId,
        text: Arc<str>,
        files: Vec<FileId>,
    ) -> Result<u64, Problem> {
        self.dispatcher
            .submit_counted(who, session, None, Command::Say { text, to: None, mode: Mode::Queue, files })
            .await
    }

    /// Starts the first run of a new session. A door's message goes to the team even if it mentions only people. If it
    /// went to these people, it would start no run, and the client would wait forever.
    pub(crate) async fn first_run(
        &self,
        who: &Participant,
        session: SessionId,
        first: FirstRun,
    ) -> Result<u64, Problem> {
        let FirstRun { input, files, earlier, request } = first;
        self.dispatcher
            .submit_counted(who, session, None, Command::Start { flow: None, input, files, earlier, request })
            .await
    }

    /// Checks text that did not arrive in a frame.
    ///
    /// # Errors
    /// Fails if the text is too long or contains a NUL character.
    pub fn check_text(&self, text: &str) -> Result<(), Problem> {
        let max_bytes = self.dispatcher.text_bytes;
        if text.len() > max_bytes {
            let message = format!("the text has {} bytes; at most {max_bytes} are accepted", text.len());
            return Err(Problem::too_large(message, max_bytes));
        }
        if text.contains('\0') {
            return Err(Problem::new(Code::InvalidArgument, "the text contains a NUL character; remove it"));
        }
        Ok(())
    }

    /// Checks the texts of an earlier conversation that did not arrive in a frame. Together they have the same limit as
    /// one text.
    pub(crate) fn check_earlier<'a>(&self, texts: impl Iterator<Item = &'a str>) -> Result<(), Problem> {
        self.check_text(&texts.collect::<String>())
    }

    fn team(&self, request: &NewSession, message: &str) -> Result<&Arc<Team>, Problem> {
        let named = request.team.as_deref();
        let language = request.language.unwrap_or_else(|| Language::of_text(message));
        let mut teams = self.teams.iter();
        let found = match named {
            Some(name) => teams.find(|team| *team.name == *name),
            None => {
                let flow = request.flow.as_deref().unwrap_or("review");
                let fits = |team: &&Arc<Team>| *team.flow == *flow;
                let spoken = self.teams.iter().filter(fits).find(|team| team.language == language);
                spoken.or(self.teams.iter().find(fits))
            }
        };
        let invalid = |message: String| Err(Problem::new(Code::InvalidArgument, message));
        let Some(team) = found else {
            let listed = |names: BTreeSet<&str>| names.into_iter().collect::<Vec<_>>().join(", ");
            if named.is_some() {
                let names = listed(self.teams.iter().map(|team| &*team.name).collect());
                return Err(Problem::new(Code::UnknownTeam, format!("no team has this name; use one of {names}")));
            }
            let flows = listed(self.teams.iter().map(|team| &*team.flow).collect());
            return invalid(format!("no team has this flow; use one of {flows}"));
        };
        match request.flow.as_deref() {
            Some(flow) if *team.flow != *flow => invalid(format!(
                "the team {} has the flow {}, not {flow}; leave flow or team out",
                team.name, team.flow
            )),
            Some(_) | None => Ok(team),
        }
    }
}

/// Denies the `python` tool to all agents of a team, for a guest's session.
fn remove_python(team: &mut Team) {
    for agent in &mut team.agents {
        let rule = CallRule { tool: "python".into(), arguments: None, permission: Permission::Deny, risk: None };
        agent.permissions.insert(0, rule);
    }
}
