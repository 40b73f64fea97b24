//! What is in the files of sessions: kept beside the log, which names it by its digest.
//!
//! Content is kept before the event that names it is written, so a crash between the two leaves content that nothing
//! names, and never the other way round. Such content is found again by its age.

use std::sync::Arc;

use async_trait::async_trait;
use uuid::Uuid;

use super::{
    StoreError,
    connection::{Cells, Value, int},
    database::Database,
    engine::Engine,
    sql,
};
use crate::kernel::{ParticipantId, SessionId, Timestamp};

/// What somebody has brought before there is a session for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upload {
    /// Its id.
    pub id: Uuid,
    /// Who brought it.
    pub owner: ParticipantId,
    /// What it is called.
    pub name: Arc<str>,
}

/// What is in files.
///
/// Laws, each with a test of its own in `tests/it/contents_laws.rs`:
/// 1. What `put` acknowledged is read back byte for byte, in one piece or in slices, from any process.
/// 2. A session reads its own contents only, and takes them along when it is removed.
/// 3. `settle` removes what is old and not named, and nothing that is named, young, or brought again since.
/// 4. Nobody has more uploads that wait, nor more that are taken, than they may.
#[async_trait]
pub trait Contents: Send + Sync + 'static {
    /// Keep content for a session that exists. What is there already becomes young again.
    async fn put(&self, session: SessionId, digest: &str, content: &[u8]) -> Result<(), StoreError>;

    /// Bytes of a session's content from `from` on, at most `most`; `None` where there is no such content.
    async fn slice(
        &self,
        session: SessionId,
        digest: &str,
        from: u64,
        most: u64,
    ) -> Result<Option<Vec<u8>>, StoreError>;

    /// Sessions with content from before `before` that is not known to be named.
    async fn loose(&self, before: Timestamp) -> Result<Vec<SessionId>, StoreError>;

    /// Of a session's content from before `before`: what is `named` stays for good, the rest is removed; how much was.
    async fn settle(&self, session: SessionId, named: &[Arc<str>], before: Timestamp) -> Result<u64, StoreError>;

    /// Keep an upload, and of its owner's that wait to be taken the newest `most`.
    async fn add_upload(&self, upload: &Upload, digest: &str, content: &[u8], most: u32) -> Result<(), StoreError>;

    /// A session has the upload as a file of its own: it waits no longer. Of its owner's that are taken the newest `most` are
    /// kept, so that it can be named once more.
    async fn take_upload(&self, upload: &Upload, most: u32) -> Result<(), StoreError>;

    /// An upload, without what is in it.
    async fn upload(&self, id: Uuid) -> Result<Option<Upload>, StoreError>;

    /// What is in an upload.
    async fn upload_content(&self, id: Uuid) -> Result<Option<Vec<u8>>, StoreError>;

    /// Remove uploads from before `before`; how many.
    async fn remove_uploads(&self, before: Timestamp) -> Result<u64, StoreError>;
}

#[async_trait]
impl<E: Engine> Contents for Database<E> {
    async fn put(&self, session: SessionId, digest: &str, content: &[u8]) -> Result<(), StoreError> {
        let values = vec![Value::Id(session.0), Value::Text(digest), Value::Bytes(content), Value::Flag(false)];
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
        // SQL counts from one, and PostgreSQL's bytes with 32 bits.
        let [from, most] = [from.saturating_add(1), most].map(|bytes| int(bytes.min(0x7fff_ffff)));
        let values = vec![Value::Id(session.0), Value::Text(digest), from, most];
        let rows = self.reader().await?.rows(sql::CONTENT_SLICE, values).await?;
        Ok(rows.first().map(|row| row.bytes(0)).transpose()?)
    }

    async fn loose(&self, before: Timestamp) -> Result<Vec<SessionId>, StoreError> {
        let rows = self.reader().await?.rows(sql::LOOSE, vec![int(before.millis())]).await?;
        Ok(rows.iter().map(|row| row.id(0).map(SessionId)).collect::<Result<_, _>>()?)
    }

    async fn settle(&self, session: SessionId, named: &[Arc<str>], before: Timestamp) -> Result<u64, StoreError> {
        let mut connection = self.writer().await?;
        let values = vec![Value::Id(session.0), int(before.millis())];
        let rows = connection.rows(sql::LOOSE_CONTENTS, values).await?;
        let mut removed = 0;
        for row in rows {
            let digest = row.text(0)?;
            if named.iter().any(|named| **named == *digest) {
                let values = vec![Value::Id(session.0), Value::Text(&digest), Value::Flag(true)];
                connection.run(sql::CONTENT_IS_NAMED, values).await?;
            } else {
                let values = vec![Value::Id(session.0), Value::Text(&digest), int(before.millis())];
                removed += connection.run(sql::REMOVE_CONTENT, values).await?;
            }
        }
        Ok(removed)
    }

    async fn add_upload(&self, upload: &Upload, digest: &str, content: &[u8], most: u32) -> Result<(), StoreError> {
        let [id, owner, name] = [Value::Id(upload.id), Value::Id(upload.owner.0), Value::Text(&upload.name)];
        let values = vec![id, owner, name, Value::Text(digest), Value::Bytes(content)];
        let mut connection = self.writer().await?;
        connection.run(sql::add_upload(E::NOW), values).await?;
        connection.run(sql::REMOVE_OLDEST_UPLOADS, of_owner(upload, false, most)).await?;
        Ok(())
    }

    async fn take_upload(&self, upload: &Upload, most: u32) -> Result<(), StoreError> {
        let mut connection = self.writer().await?;
        connection.run(sql::UPLOAD_IS_TAKEN, vec![Value::Id(upload.id), Value::Flag(true)]).await?;
        connection.run(sql::REMOVE_OLDEST_UPLOADS, of_owner(upload, true, most)).await?;
        Ok(())
    }

    async fn upload(&self, id: Uuid) -> Result<Option<Upload>, StoreError> {
        let rows = self.reader().await?.rows(sql::UPLOAD, vec![Value::Id(id)]).await?;
        let Some(row) = rows.first() else { return Ok(None) };
        let (owner, name) = (ParticipantId(row.id(0)?), row.text(1)?.into());
        Ok(Some(Upload { id, owner, name }))
    }

    async fn upload_content(&self, id: Uuid) -> Result<Option<Vec<u8>>, StoreError> {
        let rows = self.reader().await?.rows(sql::UPLOAD_CONTENT, vec![Value::Id(id)]).await?;
        Ok(rows.first().map(|row| row.bytes(0)).transpose()?)
    }

    async fn remove_uploads(&self, before: Timestamp) -> Result<u64, StoreError> {
        self.writer().await?.run(sql::REMOVE_UPLOADS, vec![int(before.millis())]).await
    }
}

fn of_owner(upload: &Upload, taken: bool, most: u32) -> Vec<Value<'static>> {
    vec![Value::Id(upload.owner.0), Value::Flag(taken), int(most.into())]
}
