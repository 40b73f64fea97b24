//! Where the contents of files are put and taken from.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::{Stream, stream};

use super::FileSettings;
use super::kind::media_type;
use crate::kernel::{File, FileName, FileRoom, NewFile, ParticipantId, SessionId};
use crate::limits::{ConcurrencyLimit, ConcurrencyPermit};
use crate::retry;
use crate::store::{Contents, StoreError};

/// Bytes that are read at a time of what goes to a client, who may be slow.
const SLICE: u64 = 1024 * 1024;

/// The contents of files.
#[derive(Clone)]
pub struct Files {
    contents: Arc<dyn Contents>,
    settings: FileSettings,
    places: Arc<ConcurrencyLimit<ParticipantId>>,
}

/// A file with this name and content.
pub fn describe(name: FileName, content: &[u8]) -> NewFile {
    let media_type = media_type(name.as_str(), content).into();
    let digest = blake3::hash(content).to_hex().as_str().into();
    NewFile { name, media_type, bytes: content.len() as u64, digest }
}

/// A file is larger than a file may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a file has {most} bytes at most here (the setting {setting}); make it smaller, or split it")]
pub struct TooLarge {
    /// Bytes of a file, at most.
    pub most: usize,
    /// The setting that says so.
    pub setting: &'static str,
}

impl Files {
    /// The files of a server.
    pub fn new(contents: Arc<dyn Contents>, settings: FileSettings) -> Self {
        let places = ConcurrencyLimit::new(settings.at_once, settings.max_at_once_per_participant);
        Self { contents, settings, places }
    }

    /// What they are bound by.
    pub fn settings(&self) -> &FileSettings {
        &self.settings
    }

    /// Where it all is.
    pub fn contents(&self) -> &dyn Contents {
        &*self.contents
    }

    /// How much a session may hold.
    pub fn room(&self) -> FileRoom {
        FileRoom { versions: self.settings.session_versions, bytes: self.settings.session_bytes }
    }

    /// Whether a file of this size is taken.
    ///
    /// # Errors
    /// Where it is too large.
    pub fn check(&self, bytes: usize) -> Result<(), TooLarge> {
        let most = self.settings.bytes;
        if bytes > most { Err(TooLarge { most, setting: "files.bytes" }) } else { Ok(()) }
    }

    /// A place for one more file of this participant on its way to this server.
    pub fn place(&self, who: ParticipantId) -> Option<ConcurrencyPermit<ParticipantId>> {
        self.places.take(who)
    }

    /// Keep the content of a file that is about to be added to a session.
    ///
    /// # Errors
    /// If the store does not answer.
    pub async fn put(&self, session: SessionId, file: &NewFile, content: &[u8]) -> Result<(), StoreError> {
        self.contents.put(session, &file.digest, content).await
    }

    /// The same, however long the store takes: what a tool has made is not made again. Dropping the future ends it.
    pub async fn put_in_the_end(&self, session: SessionId, file: &NewFile, content: &[u8]) {
        let mut failures = 0;
        loop {
            match self.put(session, file, content).await {
                Ok(()) => return,
                Err(error) => tracing::warn!(%session, %error, "will keep the file later"),
            }
            failures += 1;
            tokio::time::sleep(Duration::from_millis(retry::pause(failures, 250, 4_000))).await;
        }
    }

    /// All that is in a file.
    ///
    /// # Errors
    /// If the store does not answer.
    pub async fn content(&self, session: SessionId, file: &File) -> Result<Vec<u8>, StoreError> {
        self.contents.slice(session, &file.digest, 0, file.bytes).await?.ok_or_else(missing)
    }

    /// The same piece by piece: a slow reader holds no more of it than one piece.
    pub fn stream(&self, session: SessionId, file: &File) -> impl Stream<Item = Result<Bytes, StoreError>> + use<> {
        let (contents, digest, bytes) = (self.contents.clone(), file.digest.clone(), file.bytes);
        stream::try_unfold(0, move |from| {
            let (contents, digest) = (contents.clone(), digest.clone());
            async move {
                if from >= bytes {
                    return Ok(None);
                }
                let piece = contents.slice(session, &digest, from, SLICE).await?.ok_or_else(missing)?;
                if piece.is_empty() {
                    return Err(missing());
                }
                let next = from + piece.len() as u64;
                Ok(Some((Bytes::from(piece), next)))
            }
        })
    }
}

fn missing() -> StoreError {
    StoreError("the content of a file is not there".into())
}
