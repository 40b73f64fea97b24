//! Contents of session files. They are stored next to the log, which refers to them by digest.

use std::sync::Arc;

use async_trait::async_trait;
use uuid::Uuid;

use super::connection::{SqlRow, SqlValue, int};
use super::database::Database;
use super::engine::Engine;
use super::sql;
use crate::files::{ContentStore, Upload};
use crate::kernel::{ParticipantId, SessionId, Timestamp};
use crate::store_error::StoreError;

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
        limit: u64,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        // SQL counts from one, and PostgreSQL uses 32 bits for positions in byte strings.
        let [from, limit] = [from.saturating_add(1), limit].map(|bytes| int(bytes.min(0x7fff_ffff)));
        let values = vec![SqlValue::Id(session.0), SqlValue::Text(digest), from, limit];
        let rows = self.reader().await?.rows(sql::CONTENT_SLICE, values).await?;
        Ok(rows.first().map(|row| row.bytes(0)).transpose()?)
    }

    async fn sessions_with_unreferenced(&self, before: Timestamp) -> Result<Vec<SessionId>, StoreError> {
        let rows = self.reader().await?.rows(sql::LOOSE, vec![int(before.millis())]).await?;
        Ok(rows.iter().map(|row| row.id(0).map(SessionId)).collect::<Result<_, _>>()?)
    }

    async fn delete_unreferenced(
        &self,
        session: SessionId,
        named: &[Arc<str>],
        before: Timestamp,
    ) -> Result<u64, StoreError> {
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

    async fn add_upload(&self, upload: &Upload, digest: &str, content: &[u8], limit: u32) -> Result<(), StoreError> {
        let [id, owner, name] = [SqlValue::Id(upload.id), SqlValue::Id(upload.owner.0), SqlValue::Text(&upload.name)];
        let values = vec![id, owner, name, SqlValue::Text(digest), SqlValue::Bytes(content)];
        let mut connection = self.writer().await?;
        connection.run(sql::add_upload(E::NOW), values).await?;
        connection.run(sql::REMOVE_OLDEST_UPLOADS, of_owner(upload, false, limit)).await?;
        Ok(())
    }

    async fn take_upload(&self, upload: &Upload, limit: u32) -> Result<(), StoreError> {
        let mut connection = self.writer().await?;
        connection.run(sql::UPLOAD_IS_TAKEN, vec![SqlValue::Id(upload.id), SqlValue::Flag(true)]).await?;
        connection.run(sql::REMOVE_OLDEST_UPLOADS, of_owner(upload, true, limit)).await?;
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

fn of_owner(upload: &Upload, taken: bool, limit: u32) -> Vec<SqlValue<'static>> {
    vec![SqlValue::Id(upload.owner.0), SqlValue::Flag(taken), int(limit.into())]
}
