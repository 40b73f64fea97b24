//! A new session, whatever it is asked for through.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value};
use uuid::Uuid;

use super::guests;
use crate::identity::{Participant, Standing};
use crate::kernel::{Command, Earlier, FileId, Language, Mode, SessionId, Settings, Team, is_hidden, title_of};
use crate::node::Node;
use crate::protocol::{Code, Problem, plain};

/// What somebody wants a session to be; everything may be left to the server.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct NewSession {
    /// A team that the server offers, by name.
    pub team: Option<String>,
    /// The flow of the team, where none is named.
    pub flow: Option<String>,
    /// What lists show; absent: the beginning of the message.
    pub title: Option<Arc<str>>,
    /// The first words, which begin a run.
    pub message: Option<Arc<str>>,
    /// What the session is bound by; absent fields are as its team's flow has them.
    pub settings: Option<Map<String, Value>>,
    /// In which language a team is chosen where none is named; absent: that of the message.
    pub language: Option<Language>,
}

/// A session that has begun.
#[derive(Debug)]
pub struct Begun {
    /// Its id.
    pub session: SessionId,
    /// Its title.
    pub title: Arc<str>,
    /// The name of its team.
    pub team: Arc<str>,
    /// The seq of its last event.
    pub seq: u64,
}

impl Node {
    /// Begin a session, without its first words. Its maker owns it.
    pub async fn begin(&self, who: &Participant, wanted: &NewSession) -> Result<Begun, Problem> {
        let words = wanted.message.as_deref().unwrap_or_default();
        // Before the session exists: a message that is refused after it would leave an empty one behind.
        self.check_text(words)?;
        let mut team = Team::clone(self.team(wanted, words)?);
        if who.standing == Standing::Guest && !self.config.tools.python.guests {
            guests::without_python(&mut team);
        }
        let named = wanted.title.clone().filter(|title| !title.trim().is_empty());
        let title = named.or_else(|| title_of(words)).unwrap_or_else(|| team.title.clone());
        if title.chars().count() > 200 || title.chars().any(is_hidden) {
            let words = "a title has at most 200 characters, no line break and no hidden ones; leave them out";
            return Err(Problem::new(Code::InvalidArgument, words));
        }
        let session = SessionId(Uuid::now_v7());
        let usual = Settings { retention_days: self.config.sessions.retention_days, ..Settings::of(&team.flow) };
        let settings = self.config.quotas.session_settings.cap(usual);
        let settings = wanted.settings.as_ref().map_or(Ok(settings.clone()), |wanted| settings.with(wanted));
        let mut settings =
            settings.map_err(|error| Problem::new(Code::InvalidArgument, format!("settings: {}", plain(&error))))?;
        if !wanted.settings.as_ref().is_some_and(|named| named.contains_key("code")) {
            settings.code = self.config.tools.code.readable_by_team(who, &team.name).take(Settings::NAMED).collect();
        }
        let name = team.name.clone();
        let command = Command::Create { session, title: title.clone(), team, settings };
        let seq = self.reception.command(who, session, command).await?;
        Ok(Begun { session, title, team: name, seq })
    }

    /// Say the first words in a session that has just begun.
    pub async fn first_words(
        &self,
        who: &Participant,
        session: SessionId,
        text: Arc<str>,
        files: Vec<FileId>,
    ) -> Result<u64, Problem> {
        self.reception.counted(who, session, None, Command::Say { text, to: None, mode: Mode::Queue, files }).await
    }

    /// Begin the first run of such a session. Words that a door takes are for the team, whomever else they mention: said as
    /// to people, they would begin nothing, and their sender would wait for ever.
    pub(super) async fn first_run(
        &self,
        who: &Participant,
        session: SessionId,
        input: Arc<str>,
        files: Vec<FileId>,
        earlier: Vec<Earlier>,
    ) -> Result<u64, Problem> {
        self.reception.counted(who, session, None, Command::Start { flow: None, input, files, earlier }).await
    }

    /// Whether a text that did not come in a frame may be said.
    pub fn check_text(&self, text: &str) -> Result<(), Problem> {
        let most = self.reception.text_bytes;
        if text.len() > most {
            let message = format!("the text has {} bytes; at most {most} are accepted", text.len());
            return Err(Problem::too_large(message, most));
        }
        if text.contains('\0') {
            return Err(Problem::new(Code::InvalidArgument, "the text contains a NUL character; remove it"));
        }
        Ok(())
    }

    /// Whether a conversation that took place elsewhere may be passed on, when it did not come in a frame.
    pub(super) fn check_earlier<'a>(&self, texts: impl Iterator<Item = &'a str>) -> Result<(), Problem> {
        self.check_text(&texts.collect::<String>())
    }

    fn team(&self, wanted: &NewSession, words: &str) -> Result<&Arc<Team>, Problem> {
        let named = wanted.team.as_deref();
        let language = wanted.language.unwrap_or_else(|| language_of(words));
        let mut teams = self.teams.iter();
        let found = match named {
            Some(name) => teams.find(|team| *team.name == *name),
            None => {
                let flow = wanted.flow.as_deref().unwrap_or("review");
                let fits = |team: &&Arc<Team>| *team.flow == *flow;
                let spoken = self.teams.iter().filter(fits).find(|team| team.language == language);
                spoken.or(self.teams.iter().find(fits))
            }
        };
        found.ok_or_else(|| {
            let names: Vec<_> = self.teams.iter().map(|team| &*team.name).collect();
            let words = format!("there is no team of this name; there are {}", names.join(", "));
            Problem::new(Code::InvalidArgument, words)
        })
    }
}

/// Chinese as soon as one of its characters is there: English texts have none, Chinese ones have English names.
fn language_of(text: &str) -> Language {
    let chinese = |c: char| matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}');
    if text.chars().any(chinese) { Language::Zh } else { Language::En }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_choose_the_language() {
        assert_eq!(language_of("生成 API 的测试用例"), Language::Zh);
        assert_eq!(language_of("write test cases"), Language::En);
        assert_eq!(language_of(""), Language::En);
    }
}
