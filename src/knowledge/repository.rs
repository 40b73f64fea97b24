//! Repository of a server's knowledge bases, which adds documents and searches.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{
    Base, BaseId, BaseLimits, Document, IndexedPassage, KnowledgeSettings, KnowledgeStore, NewDocument, PassageHit,
    PassageSource, SearchTerm, TextId, passages, query_terms, rank,
};
use crate::files::{ContentTooLargeError, FileRepository, media_type};
use crate::identity::Participant;
use crate::kernel::{File, FileName, SessionId, Settings, first_chars};
use crate::protocol::{Code, Problem};
use crate::store_error::StoreError;

/// Maximum number of candidate passages that the database returns for the ranking.
const MAX_CANDIDATES: u32 = 200;

/// Knowledge bases, and the texts of session files, for search.
#[derive(Clone)]
pub struct KnowledgeRepository {
    store: Arc<dyn KnowledgeStore>,
    files: FileRepository,
    settings: KnowledgeSettings,
}

/// Scope of a search.
#[derive(Debug, Clone)]
pub struct SearchScope<'a> {
    /// Session that the search is for.
    pub session: SessionId,
    /// Name of the session's team.
    pub team: &'a str,
    /// Ids of the session's knowledge bases to search, as in its settings.
    pub bases: &'a [Arc<str>],
    /// Current versions of the session's files to search.
    pub files: &'a [Arc<File>],
}

/// Origin of a hit.
#[derive(Debug, Clone)]
pub enum HitOrigin {
    /// Document of a base, by name.
    Document(Arc<Base>, Arc<str>),
    /// File of the session.
    File(Arc<File>),
}

/// Result of a search.
#[derive(Debug, Default)]
pub struct SearchResults {
    /// Best passages, best first.
    pub hits: Vec<(HitOrigin, PassageHit)>,
    /// Bases that were searched.
    pub bases: Vec<Arc<Base>>,
    /// Number of files that were searched.
    pub files: usize,
    /// Ids of bases in the scope that the session cannot use, which were not searched.
    pub unsearched_bases: Vec<Arc<str>>,
    /// Text files that are too large to be searched.
    pub unsearched_files: Vec<Arc<File>>,
}

impl KnowledgeRepository {
    /// Creates the repository of a server's knowledge bases.
    pub fn new(store: Arc<dyn KnowledgeStore>, files: FileRepository, settings: KnowledgeSettings) -> Self {
        Self { store, files, settings }
    }

    /// Returns the store.
    pub fn store(&self) -> &dyn KnowledgeStore {
        &*self.store
    }

    /// Returns the repository of session files.
    pub fn files(&self) -> &FileRepository {
        &self.files
    }

    /// Returns the settings.
    pub fn settings(&self) -> &KnowledgeSettings {
        &self.settings
    }

    /// Checks the size of a document, in bytes.
    ///
    /// # Errors
    /// Fails if the document is too large.
    pub fn check(&self, bytes: usize) -> Result<(), ContentTooLargeError> {
        let max_bytes = self.settings.max_document_bytes;
        if bytes > max_bytes {
            Err(ContentTooLargeError { max_bytes, setting: "knowledge.max_document_bytes" })
        } else {
            Ok(())
        }
    }

    /// Returns a base that a participant can read. To a participant without read access, a base appears not to exist.
    ///
    /// # Errors
    /// Fails with `unknown_knowledge` if there is no such base.
    pub async fn readable(&self, who: &Participant, id: BaseId) -> Result<Base, Problem> {
        let base = self.store.base(id).await?;
        base.filter(|base| base.may_read(who)).ok_or_else(|| unknown(&id.to_string()))
    }

    /// Checks that a participant is allowed to add these bases to a session of this team.
    ///
    /// # Errors
    /// Fails with `unknown_knowledge` if a base does not exist or the participant cannot read it, or with `forbidden`
    /// if it is for other teams.
    pub async fn check_named(&self, who: &Participant, team: &str, named: &[Arc<str>]) -> Result<(), Problem> {
        // If there are too many, the kernel rejects them all, so there is no need to read any.
        for name in named.iter().filter(|_| named.len() <= Settings::NAMED) {
            let id = name.parse().map_err(|_| unknown(name))?;
            if !self.readable(who, id).await?.readers.admit_team(team) {
                let message =
                    format!("knowledge base {id} is for sessions of other teams; its owner can open it to this one");
                return Err(Problem::new(Code::Forbidden, message));
            }
        }
        Ok(())
    }

    /// Adds a document to a base, or replaces the one with the same name.
    ///
    /// # Errors
    /// Fails with `not_text` if the content is not text, or with `knowledge_full` if the base has no room for it.
    pub async fn put(&self, base: BaseId, name: FileName, content: &[u8]) -> Result<Document, Problem> {
        let text = std::str::from_utf8(content).ok().filter(|text| !text.contains('\0')).ok_or_else(|| {
            let message = "the document is not UTF-8 text; convert it first, for example from PDF or another encoding";
            Problem::new(Code::NotText, message)
        })?;
        let passages = index_text(text.to_owned()).await?;
        let (name, media_type) = (name.as_str(), media_type(name.as_str(), content));
        let document = NewDocument { name, media_type, content: text, passages: &passages };
        let limits =
            BaseLimits { documents: self.settings.max_documents_per_base, bytes: self.settings.max_base_bytes };
        self.store.put_document(base, &document, limits).await?.ok_or_else(|| {
            let BaseLimits { documents, bytes } = limits;
            let message = format!(
                "the knowledge base is full: at most {documents} documents and {bytes} bytes; remove some, or create another"
            );
            Problem::new(Code::KnowledgeFull, message)
        })
    }

    /// Searches one base, and returns the best passages.
    ///
    /// # Errors
    /// Fails if the store does not respond.
    pub async fn search_base(&self, base: BaseId, query: &str, limit: usize) -> Result<Vec<PassageHit>, StoreError> {
        self.best(&[base], None, &query_terms(query), limit).await
    }

    /// Returns the named bases that a session of this team can currently use.
    ///
    /// # Errors
    /// Fails if the store does not respond.
    pub async fn bases(&self, session: SessionId, team: &str, named: &[Arc<str>]) -> Result<Vec<Base>, StoreError> {
        let named: Vec<BaseId> = named.iter().filter_map(|name| name.parse().ok()).collect();
        let bases = self.store.bases_of(session, &named).await?.into_iter();
        Ok(bases.filter(|base| base.readers.admit_team(team)).collect())
    }

    /// Searches a session's knowledge bases and files, and returns the best passages. Files that are not indexed yet
    /// are indexed first.
    ///
    /// # Errors
    /// Fails if the store does not respond.
    pub async fn search(&self, scope: SearchScope<'_>, query: &str, limit: usize) -> Result<SearchResults, StoreError> {
        let mut answer = SearchResults::default();
        let bases = self.bases(scope.session, scope.team, scope.bases).await?;
        answer.bases = bases.into_iter().map(Arc::new).collect();
        let counts = |name: &Arc<str>| answer.bases.iter().any(|base| *base.id.to_string() == **name);
        answer.unsearched_bases = scope.bases.iter().filter(|name| !counts(name)).cloned().collect();
        let texts = scope.files.iter().filter(|file| file.is_text()).cloned();
        let (files, large) = texts.partition(|file| file.bytes <= self.settings.max_document_bytes as u64);
        (answer.files, answer.unsearched_files) = (Vec::len(&files), large);
        let texts = self.texts(scope.session, &files).await?;
        let bases: Vec<BaseId> = answer.bases.iter().map(|base| base.id).collect();
        let hits = self.best(&bases, Some((scope.session, &texts)), &query_terms(query), limit).await?;
        let origin = |source: &PassageSource| match source {
            PassageSource::Document { base, name } => {
                let base = answer.bases.iter().find(|known| known.id == *base)?;
                Some(HitOrigin::Document(base.clone(), name.clone()))
            }
            PassageSource::Content { digest } => {
                files.iter().find(|file| file.digest == *digest).cloned().map(HitOrigin::File)
            }
        };
        answer.hits = hits.into_iter().filter_map(|hit| Some((origin(&hit.found.source)?, hit))).collect();
        Ok(answer)
    }

    async fn best(
        &self,
        bases: &[BaseId],
        session: Option<(SessionId, &[TextId])>,
        query_terms: &[SearchTerm],
        limit: usize,
    ) -> Result<Vec<PassageHit>, StoreError> {
        let found = self.store.find(bases, session, query_terms, MAX_CANDIDATES).await?;
        let query_terms = query_terms.to_vec();
        run_blocking(move || rank(&query_terms, found, limit)).await
    }

    /// Returns the indexed texts of these files, indexing those that are missing.
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
                    let passages = index_text(String::from_utf8_lossy(&content).into_owned()).await?;
                    self.store.add_text(session, &file.digest, &passages).await?
                }
            };
            texts.insert(&file.digest, text);
        }
        Ok(texts.into_values().collect())
    }
}

async fn index_text(text: String) -> Result<Vec<IndexedPassage>, StoreError> {
    run_blocking(move || passages(&text).into_iter().map(IndexedPassage::from).collect()).await
}

/// Runs work on a blocking thread. Splitting megabytes into terms, or ranking several hundred passages, would block the
/// executor for too long.
async fn run_blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, StoreError> {
    tokio::task::spawn_blocking(work).await.map_err(StoreError::unavailable)
}

fn unknown(id: &str) -> Problem {
    let id = first_chars(id, 20);
    let message = format!(
        "there is no knowledge base {id}, or you cannot read it; GET /api/v1/knowledge lists those that you can read"
    );
    Problem::new(Code::UnknownKnowledge, message).details(serde_json::json!({ "knowledge": id }))
}
