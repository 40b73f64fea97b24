//! Interface of the store for contents of session files.
//!
//! Content is stored before the event that names it. A crash in between leaves content without an event, never an event
//! without content. A sweep finds such content by its age.

use std::sync::Arc;

use async_trait::async_trait;
use uuid::Uuid;

use crate::kernel::{ParticipantId, SessionId, Timestamp};
use crate::store_error::StoreError;

/// A file that was uploaded before its session existed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upload {
    /// Id of the upload.
    pub id: Uuid,
    /// The participant who uploaded the file.
    pub owner: ParticipantId,
    /// Name of the file, for example `report.pdf`.
    pub name: Arc<str>,
}

/// The store of file contents.
///
/// Laws, each with its own test in `tests/it/contents_laws.rs`:
/// 1. Content that `put` acknowledged is read back byte for byte, in one piece or in slices, from any process.
/// 2. A session reads only its own contents, and its removal deletes them.
/// 3. `delete_unreferenced` removes contents that are old and not named. It never removes contents that are named,
///    recent, or stored again in the meantime.
/// 4. A participant never has more waiting or taken uploads than the limits allow.
#[async_trait]
pub trait ContentStore: Send + Sync + 'static {
    /// Stores content for an existing session. Content that is already stored counts as recent again.
    async fn put(&self, session: SessionId, digest: &str, content: &[u8]) -> Result<(), StoreError>;

    /// Returns up to `max_bytes` bytes of a session's content, starting at `from`. Returns `None` if there is no such
    /// content.
    async fn slice(
        &self,
        session: SessionId,
        digest: &str,
        from: u64,
        max_bytes: u64,
    ) -> Result<Option<Vec<u8>>, StoreError>;

    /// Returns the sessions with content older than `before` that no event is known to name.
    async fn sessions_with_unreferenced(&self, before: Timestamp) -> Result<Vec<SessionId>, StoreError>;

    /// Settles a session's contents that are older than `before`: marks those in `named` as permanent and removes the
    /// others. Returns the number of removed contents.
    async fn delete_unreferenced(
        &self,
        session: SessionId,
        named: &[Arc<str>],
        before: Timestamp,
    ) -> Result<u64, StoreError>;

    /// Stores an upload. Only the newest `max_uploads` of its owner's waiting uploads are kept.
    async fn add_upload(
        &self,
        upload: &Upload,
        digest: &str,
        content: &[u8],
        max_uploads: u32,
    ) -> Result<(), StoreError>;

    /// Marks an upload as taken because a session now has its own copy of the file. The newest `max_uploads` of its
    /// owner's taken uploads are kept, so that a retried command can name them again.
    async fn take_upload(&self, upload: &Upload, max_uploads: u32) -> Result<(), StoreError>;

    /// Returns an upload without its content, or `None` if there is no such upload.
    async fn upload(&self, id: Uuid) -> Result<Option<Upload>, StoreError>;

    /// Returns the content of an upload, or `None` if there is no such upload.
    async fn upload_content(&self, id: Uuid) -> Result<Option<Vec<u8>>, StoreError>;

    /// Removes uploads older than `before`. Returns their number.
    async fn remove_uploads(&self, before: Timestamp) -> Result<u64, StoreError>;
}
