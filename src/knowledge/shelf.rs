//! The knowledge bases of a server: documents are put in, and passages are looked for.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{
    Base, BaseId, BaseRoom, Document, Hit, Indexed, KnowledgeSettings, KnowledgeStore, NewDocument, Source, Term,
    TextId, asked, best, passages,
};
use crate::files::{Files, TooLarge, media_type};
use crate::identity::Participant;
use crate::kernel::{File, FileName, SessionId, Settings};
use crate::protocol::{Code, Problem};
use crate::store::StoreError;

/// Passages that the database gives for the best to be told among them.
const CANDIDATES: u32 = 200;

/// Knowledge bases, and what sessions have to be searched.
#[derive(Clone)]
pub struct Knowledge {
    store: Arc<dyn KnowledgeStore>,
    files: Files,
    settings: KnowledgeSettings,
}

/// What is looked into.
#[derive(Debug, Clone)]
pub struct Scope<'a> {
    /// The session.
    pub session: SessionId,
    /// Name of its team.
    pub team: &'a str,
    /// The bases that it was given, as its settings name them.
    pub bases: &'a [Arc<str>],
    /// Its files, of each the current version.
    pub files: &'a [Arc<File>],
}

/// Where a hit is.
#[derive(Debug, Clone)]
pub enum Origin {
    /// In a document of a base.
    Document(Arc<Base>, Arc<str>),
    /// In a file of the session.
    File(Arc<File>),
}

/// What was found, and what was not looked into.
#[derive(Debug, Default)]
pub struct Answer {
    /// The best passages, best first.
    pub hits: Vec<(Origin, Hit)>,
    /// The bases that were searched.
    pub bases: Vec<Arc<Base>>,
    /// How many files were.
    pub files: usize,
    /// Bases that were named and do not count.
    pub without_bases: Vec<Arc<str>>,
    /// Texts that are too large to be searched.
    pub without_files: Vec<Arc<File>>,
}

impl Knowledge {
    /// Those of a server.
    pub fn new(store: Arc<dyn KnowledgeStore>, files: Files, settings: KnowledgeSettings) -> Self {
        Self { store, files, settings }
    }

    /// Where it all is.
    pub fn store(&self) -> &dyn KnowledgeStore {
        &*self.store
    }

    /// The files of sessions.
    pub fn files(&self) -> &Files {
        &self.files
    }

    /// What they are bound by.
    pub fn settings(&self) -> &KnowledgeSettings {
        &self.settings
    }

    /// Whether a document of this size is taken.
    ///
    /// # Errors
    /// Where it is too large.
    pub fn check(&self, bytes: usize) -> Result<(), TooLarge> {
        let most = self.settings.document_bytes;
        if bytes > most { Err(TooLarge { most, setting: "knowledge.document_bytes" }) } else { Ok(()) }
    }

    /// A base that somebody may read. One that is not theirs to read is one that does not exist.
    ///
    /// # Errors
    /// Where there is none.
    pub async fn readable(&self, who: &Participant, id: BaseId) -> Result<Base, Problem> {
        let base = self.store.base(id).await?;
        base.filter(|base| base.may_read(who)).ok_or_else(|| unknown(&id.to_string()))
    }

    /// Whether somebody may give a session of this team these bases.
    ///
    /// # Errors
    /// Where one is not theirs to read, does not exist, or is for other teams.
    pub async fn check_named(&self, who: &Participant, team: &str, named: &[Arc<str>]) -> Result<(), Problem> {
        // Where they are too many the kernel says so, without a look at any of them.
        for name in named.iter().filter(|_| named.len() <= Settings::NAMED) {
            let id = name.parse().map_err(|_| unknown(name))?;
            if !self.readable(who, id).await?.readers.admit_team(team) {
                let words =
                    format!("knowledge base {id} is for sessions of other teams; its owner can open it to this one");
                return Err(Problem::new(Code::Forbidden, words));
            }
        }
        Ok(())
    }

    /// Put a document into a base, in place of one of the same name.
    ///
    /// # Errors
    /// Where it is no text, or the base has no room for it.
    pub async fn put(&self, base: BaseId, name: FileName, content: &[u8]) -> Result<Document, Problem> {
        let text = std::str::from_utf8(content).ok().filter(|text| !text.contains('\0')).ok_or_else(|| {
            let words =
                "a document is a text in UTF-8; make one of it first, as of a PDF or of a file in another encoding";
            Problem::new(Code::NotText, words)
        })?;
        let passages = cut(text.to_owned()).await?;
        let (name, media_type) = (name.as_str(), media_type(name.as_str(), content));
        let document = NewDocument { name, media_type, content: text, passages: &passages };
        let room = BaseRoom { documents: self.settings.documents, bytes: self.settings.base_bytes };
        self.store.put_document(base, &document, room).await?.ok_or_else(|| {
            let BaseRoom { documents, bytes } = room;
            let words = format!(
                "a knowledge base holds {documents} documents and {bytes} bytes and no more; remove some, or make another one"
            );
            Problem::new(Code::KnowledgeFull, words)
        })
    }

    /// The best passages of a base.
    ///
    /// # Errors
    /// If the store does not answer.
    pub async fn search_base(&self, base: BaseId, query: &str, limit: usize) -> Result<Vec<Hit>, StoreError> {
        self.best(&[base], None, &asked(query), limit).await
    }

    /// Of the bases that a session of this team was given, those that count in it.
    ///
    /// # Errors
    /// If the store does not answer.
    pub async fn bases(&self, session: SessionId, team: &str, named: &[Arc<str>]) -> Result<Vec<Base>, StoreError> {
        let named: Vec<BaseId> = named.iter().filter_map(|name| name.parse().ok()).collect();
        let bases = self.store.bases_of(session, &named).await?.into_iter();
        Ok(bases.filter(|base| base.readers.admit_team(team)).collect())
    }

    /// The best passages of what a session has. Files that were never looked into are cut first.
    ///
    /// # Errors
    /// If the store does not answer.
    pub async fn search(&self, scope: Scope<'_>, query: &str, limit: usize) -> Result<Answer, StoreError> {
        let mut answer = Answer::default();
        let bases = self.bases(scope.session, scope.team, scope.bases).await?;
        answer.bases = bases.into_iter().map(Arc::new).collect();
        let counts = |name: &Arc<str>| answer.bases.iter().any(|base| *base.id.to_string() == **name);
        answer.without_bases = scope.bases.iter().filter(|name| !counts(name)).cloned().collect();
        let texts = scope.files.iter().filter(|file| file.is_text()).cloned();
        let (files, large) = texts.partition(|file| file.bytes <= self.settings.document_bytes as u64);
        (answer.files, answer.without_files) = (Vec::len(&files), large);
        let texts = self.texts(scope.session, &files).await?;
        let bases: Vec<BaseId> = answer.bases.iter().map(|base| base.id).collect();
        let hits = self.best(&bases, Some((scope.session, &texts)), &asked(query), limit).await?;
        let origin = |source: &Source| match source {
            Source::Document { base, name } => {
                let base = answer.bases.iter().find(|known| known.id == *base)?;
                Some(Origin::Document(base.clone(), name.clone()))
            }
            Source::Content { digest } => files.iter().find(|file| file.digest == *digest).cloned().map(Origin::File),
        };
        answer.hits = hits.into_iter().filter_map(|hit| Some((origin(&hit.found.source)?, hit))).collect();
        Ok(answer)
    }

    async fn best(
        &self,
        bases: &[BaseId],
        session: Option<(SessionId, &[TextId])>,
        asked: &[Term],
        limit: usize,
    ) -> Result<Vec<Hit>, StoreError> {
        let found = self.store.find(bases, session, asked, CANDIDATES).await?;
        let asked = asked.to_vec();
        apart(move || best(&asked, found, limit)).await
    }

    /// What these files are to be found by; those that are not known yet are read.
    async fn texts(&self, session: SessionId, files: &[Arc<File>]) -> Result<Vec<TextId>, StoreError> {
        if files.is_empty() {
            return Ok(vec![]);
        }
        let known: BTreeMap<Arc<str>, TextId> = self.store.texts(session).await?.into_iter().collect();
        let mut texts = BTreeMap::new();
        for file in files {
            if texts.contains_key(&file.digest) {
                continue;
            }
            let text = match known.get(&file.digest) {
                Some(text) => *text,
                None => {
                    let content = self.files.content(session, file).await?;
                    let passages = cut(String::from_utf8_lossy(&content).into_owned()).await?;
                    self.store.add_text(session, &file.digest, &passages).await?
                }
            };
            texts.insert(&file.digest, text);
        }
        Ok(texts.into_values().collect())
    }
}

async fn cut(text: String) -> Result<Vec<Indexed>, StoreError> {
    apart(move || passages(&text).into_iter().map(Indexed::from).collect()).await
}

/// Terms of megabytes, or of some hundred passages, take longer than a turn on the executor should.
async fn apart<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, StoreError> {
    tokio::task::spawn_blocking(work).await.map_err(|error| StoreError(error.to_string().into()))
}

fn unknown(id: &str) -> Problem {
    let id: String = id.chars().take(20).collect();
    let words = format!(
        "there is no knowledge base {id}, or it is not yours to read; /api/v1/knowledge lists those that are and makes new ones; an empty list goes without"
    );
    Problem::new(Code::UnknownKnowledge, words).details(serde_json::json!({ "knowledge": id }))
}
