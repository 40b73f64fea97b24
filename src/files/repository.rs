//! Repository of file contents.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::{Stream, TryStreamExt, stream};

use super::FileSettings;
use super::line::LineFinder;
use super::media_type::media_type;
use crate::backoff;
use crate::files::ContentStore;
use crate::kernel::{File, FileLimits, FileName, NewFile, ParticipantId, SessionId};
use crate::limits::{ConcurrencyLimit, ConcurrencyPermit};
use crate::store_error::StoreError;

/// Number of bytes per read while content is sent to a client, which might be slow.
const CHUNK_BYTES: u64 = 1024 * 1024;

/// Repository of file contents.
#[derive(Clone)]
pub struct FileRepository {
    contents: Arc<dyn ContentStore>,
    settings: FileSettings,
    places: Arc<ConcurrencyLimit<ParticipantId>>,
}

/// Returns the description of a file with this name and content: media type, size and digest.
pub fn new_file(name: FileName, content: &[u8]) -> NewFile {
    let media_type = media_type(name.as_str(), content).into();
    let digest = blake3::hash(content).to_hex().as_str().into();
    NewFile { name, media_type, bytes: content.len() as u64, digest }
}

/// Error: a file is too large.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the file is too large: at most {max_bytes} bytes are accepted ({setting}); make it smaller, or split it")]
pub struct ContentTooLargeError {
    /// Maximum size of a file, in bytes.
    pub max_bytes: usize,
    /// Name of the setting that limits the size.
    pub setting: &'static str,
}

impl FileRepository {
    /// Creates the repository of a server.
    pub fn new(contents: Arc<dyn ContentStore>, settings: FileSettings) -> Self {
        let places =
            ConcurrencyLimit::new(settings.max_concurrent_uploads, settings.max_concurrent_uploads_per_participant);
        Self { contents, settings, places }
    }

    /// Returns the settings.
    pub fn settings(&self) -> &FileSettings {
        &self.settings
    }

    /// Returns the store of the contents.
    pub fn contents(&self) -> &dyn ContentStore {
        &*self.contents
    }

    /// Returns the limits on the files of a session.
    pub fn limits(&self) -> FileLimits {
        FileLimits { versions: self.settings.max_session_versions, bytes: self.settings.max_session_bytes }
    }

    /// Checks the size of a file, in bytes.
    ///
    /// # Errors
    /// Fails if the file is too large.
    pub fn check(&self, bytes: usize) -> Result<(), ContentTooLargeError> {
        let max_bytes = self.settings.max_file_bytes;
        if bytes > max_bytes {
            Err(ContentTooLargeError { max_bytes, setting: "files.max_file_bytes" })
        } else {
            Ok(())
        }
    }

    /// Takes a slot for another upload of this participant. Returns `None` if too many uploads are in progress.
    pub fn place(&self, who: ParticipantId) -> Option<ConcurrencyPermit<ParticipantId>> {
        self.places.take(who)
    }

    /// Stores the content of a file that is about to be added to a session.
    ///
    /// # Errors
    /// Fails if the store does not respond.
    pub async fn put(&self, session: SessionId, file: &NewFile, content: &[u8]) -> Result<(), StoreError> {
        self.contents.put(session, &file.digest, content).await
    }

    /// Stores the content like [`FileRepository::put`], and retries until it succeeds, because the output of a tool
    /// cannot be produced again. Dropping the future stops the retries.
    pub async fn put_with_retry(&self, session: SessionId, file: &NewFile, content: &[u8]) {
        let mut failures = 0;
        loop {
            match self.put(session, file, content).await {
                Ok(()) => return,
                Err(error) => tracing::warn!(%error, "file content not stored; retrying"),
            }
            failures += 1;
            tokio::time::sleep(Duration::from_millis(backoff::delay_ms(failures, 250, 4_000))).await;
        }
    }

    /// Returns the whole content of a file.
    ///
    /// # Errors
    /// Fails if the store does not respond or the content is missing.
    pub async fn content(&self, session: SessionId, file: &File) -> Result<Vec<u8>, StoreError> {
        self.contents.slice(session, &file.digest, 0, file.bytes).await?.ok_or_else(missing_content)
    }

    /// Returns line `number` of a text file, counted from 1, or its beginning if the line is long. Returns `None` if
    /// there is no such line.
    ///
    /// # Errors
    /// Fails if the store does not respond or the content is missing.
    pub async fn line(&self, session: SessionId, file: &File, number: u32) -> Result<Option<String>, StoreError> {
        let (mut line, mut pieces) = (LineFinder::new(number), pin!(self.stream(session, file)));
        while let Some(piece) = pieces.try_next().await? {
            if line.read(&piece) {
                break;
            }
        }
        Ok(line.into_text())
    }

    /// Streams the content of a file in pieces, so that a slow reader holds at most one piece in memory.
    pub fn stream(&self, session: SessionId, file: &File) -> impl Stream<Item = Result<Bytes, StoreError>> + use<> {
        let (contents, digest, bytes) = (self.contents.clone(), file.digest.clone(), file.bytes);
        stream::try_unfold(0, move |from| {
            let (contents, digest) = (contents.clone(), digest.clone());
            async move {
                if from >= bytes {
                    return Ok(None);
                }
                let piece = contents.slice(session, &digest, from, CHUNK_BYTES).await?.ok_or_else(missing_content)?;
                if piece.is_empty() {
                    return Err(missing_content());
                }
                let next = from + piece.len() as u64;
                Ok(Some((Bytes::from(piece), next)))
            }
        })
    }
}

fn missing_content() -> StoreError {
    StoreError::corrupt("the content of a file is missing")
}
