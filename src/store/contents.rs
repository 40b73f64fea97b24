//! Contents of session files. They are stored next to the log, which names them by digest.
//!
//! Content is stored before the event that names it. A crash in between leaves content that no event names, never an
//! event without content. A sweep finds such content by its age.

use std::sync::Arc;

use async_trait::async_trait;
use uuid::Uuid;

use super::{
    StoreError,
    connection::{SqlRow, SqlValue, int},
    database::Database,
    engine::Engine,
    sql,
};
use crate::kernel::{ParticipantId, SessionId, Timestamp};

/// A file that was uploaded before its session exists.
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
/// 3. `settle` removes contents that are old and not named. It never removes contents that are named, recent, or stored
///    again in the meantime.
/// 4. No participant has more waiting or taken uploads than the limits allow.
#[async_trait]
pub trait ContentStore: Send + Sync + 'static {
    /// Stores content for an existing session. Content that is already stored counts as recent again.
    async fn put(&self, session: SessionId, digest: &str, content: &[u8]) -> Result<(), StoreError>;

    /// Returns up to `most` bytes of a session's content, starting at `from`. `None` if there is no such content.
    async fn slice(
        &self,
        session: SessionId,
        digest: &str,
        from: u64,
        most: u64,
    ) -> Result<Option<Vec<u8>>, StoreError>;

    /// Returns the sessions that have content from before `before` that is not known to be named.
    async fn loose(&self, before: Timestamp) -> Result<Vec<SessionId>, StoreError>;

    /// Settles a session's contents from before `before`: marks those in `named` as permanent and removes the others.
    /// Returns the number of removed contents.
    async fn settle(&self, session: SessionId, named: &[Arc<str>], before: Timestamp) -> Result<u64, StoreError>;

    /// Stores an upload. Of its owner's waiting uploads, only the newest `most` are kept.
    async fn add_upload(&self, upload: &Upload, digest: &str, content: &[u8], most: u32) -> Result<(), StoreError>;

    /// Marks an upload as taken, because a session now has it as a file of its own. Of its owner's taken uploads, the
    /// newest `most` are kept, so that a retried command can name them again.
    async fn take_upload(&self, upload: &Upload, most: u32) -> Result<(), StoreError>;

    /// Returns an upload without its content.
    async fn upload(&self, id: Uuid) -> Result<Option<Upload>, StoreError>;

    /// Returns the content of an upload.
    async fn upload_content(&self, id: Uuid) -> Result<Option<Vec<u8>>, StoreError>;

    /// Removes uploads from before `before`. Returns their number.
    async fn remove_uploads(&self, before: Timestamp) -> Result<u64, StoreError>;
}

#[async_trait]
impl<E: Engine> ContentStore for Database<E> {
    async fn put(&self, session: SessionId, digest: &str, content: &[u8]) -> Result<(), StoreError> {
        let values =
            vec![SqlValue::Id(session.0), SqlValue::Text(digest), SqlValue::Bytes(content), SqlValue::Flag(false)];
        self.writer().await?.run(sql::put_content(E::NOW), values).await?;
        Ok(())
    }

    async fn slice(
        &self,
        session: SessionId,
        digest: &str,
        from: u64,
        most: u64,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        // SQL counts from one, and PostgreSQL uses 32 bits for positions in byte strings.
        let [from, most] = [from.saturating_add(1), most].map(|bytes| int(bytes.min(0x7fff_ffff)));
        let values = vec![SqlValue::Id(session.0), SqlValue::Text(digest), from, most];
        let rows = self.reader().await?.rows(sql::CONTENT_SLICE, values).await?;
        Ok(rows.first().map(|row| row.bytes(0)).transpose()?)
    }

    async fn loose(&self, before: Timestamp) -> Result<Vec<SessionId>, StoreError> {
        let rows = self.reader().await?.rows(sql::LOOSE, vec![int(before.millis())]).await?;
        Ok(rows.iter().map(|row| row.id(0).map(SessionId)).collect::<Result<_, _>>()?)
    }

    async fn settle(&self, session: SessionId, named: &[Arc<str>], before: Timestamp) -> Result<u64, StoreError> {
        let mut connection = self.writer().await?;
        let values = vec![SqlValue::Id(session.0), int(before.millis())];
        let rows = connection.rows(sql::LOOSE_CONTENTS, values).await?;
        let mut removed = 0;
        for row in rows {
            let digest = row.text(0)?;
            if named.iter().any(|named| **named == *digest) {
                let values = vec![SqlValue::Id(session.0), SqlValue::Text(&digest), SqlValue::Flag(true)];
                connection.run(sql::CONTENT_IS_NAMED, values).await?;
            } else {
                let values = vec![SqlValue::Id(session.0), SqlValue::Text(&digest), int(before.millis())];
                removed += connection.run(sql::REMOVE_CONTENT, values).await?;
            }
        }
        Ok(removed)
    }

    async fn add_upload(&self, upload: &Upload, digest: &str, content: &[u8], most: u32) -> Result<(), StoreError> {
        let [id, owner, name] = [SqlValue::Id(upload.id), SqlValue::Id(upload.owner.0), SqlValue::Text(&upload.name)];
        let values = vec![id, owner, name, SqlValue::Text(digest), SqlValue::Bytes(content)];
        let mut connection = self.writer().await?;
        connection.run(sql::add_upload(E::NOW), values).await?;
        connection.run(sql::REMOVE_OLDEST_UPLOADS, of_owner(upload, false, most)).await?;
        Ok(())
    }

    async fn take_upload(&self, upload: &Upload, most: u32) -> Result<(), StoreError> {
        let mut connection = self.writer().await?;
        connection.run(sql::UPLOAD_IS_TAKEN, vec![SqlValue::Id(upload.id), SqlValue::Flag(true)]).await?;
        connection.run(sql::REMOVE_OLDEST_UPLOADS, of_owner(upload, true, most)).await?;
        Ok(())
    }

    async fn upload(&self, id: Uuid) -> Result<Option<Upload>, StoreError> {
        let rows = self.reader().await?.rows(sql::UPLOAD, vec![SqlValue::Id(id)]).await?;
        let Some(row) = rows.first() else { return Ok(None) };
        let (owner, name) = (ParticipantId(row.id(0)?), row.text(1)?.into());
        Ok(Some(Upload { id, owner, name }))
    }

    async fn upload_content(&self, id: Uuid) -> Result<Option<Vec<u8>>, StoreError> {
        let rows = self.reader().await?.rows(sql::UPLOAD_CONTENT, vec![SqlValue::Id(id)]).await?;
        Ok(rows.first().map(|row| row.bytes(0)).transpose()?)
    }

    async fn remove_uploads(&self, before: Timestamp) -> Result<u64, StoreError> {
        self.writer().await?.run(sql::REMOVE_UPLOADS, vec![int(before.millis())]).await
    }
}

fn of_owner(upload: &Upload, taken: bool, most: u32) -> Vec<SqlValue<'static>> {
    vec![SqlValue::Id(upload.owner.0), SqlValue::Flag(taken), int(most.into())]
}
