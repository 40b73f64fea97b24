//! Knowledge bases and their documents, for SQLite and PostgreSQL.

use async_trait::async_trait;

use super::connection::{SqlRow, SqlValue, int, unreadable};
use super::database::Database;
use super::engine::Engine;
use super::sql::knowledge as sql;
use crate::kernel::{ParticipantId, SessionId, Timestamp};
use crate::knowledge::{
    Base, BaseChange, BaseId, BaseLimits, BasePage, BaseReaders, CandidatePassage, Document, EDITION, IndexedPassage,
    KnowledgeStore, NewDocument, SearchTerm, TextId,
};
use crate::store_error::StoreError;

/// Maximum number of documents read per batch when a base is removed.
const BATCH_DOCUMENTS: u32 = 64;

#[async_trait]
impl<E: Engine> KnowledgeStore for Database<E> {
    async fn add_base(
        &self,
        owner: ParticipantId,
        name: &str,
        about: &str,
        readers: &BaseReaders,
        limit: u32,
    ) -> Result<Option<BaseId>, StoreError> {
        let members = SqlValue::Flag(readers.members);
        let teams = teams(readers);
        let [owner, name, about] = [SqlValue::Id(owner.0), SqlValue::Text(name), SqlValue::Text(about)];
        let values = vec![owner, name, about, members, int(limit.into()), SqlValue::MaybeText(teams.as_deref())];
        let mut connection = self.writer().await?;
        let rows = connection.rows(sql::add_base(E::NOW), values).await?;
        let Some(id) = rows.first().map(|row| base_id(row.int(0)?)).transpose()? else { return Ok(None) };
        for participant in &readers.participants {
            connection.run(sql::ADD_BASE_READER, vec![number(id), SqlValue::Id(participant.0)]).await?;
        }
        Ok(Some(id))
    }

    async fn base(&self, id: BaseId) -> Result<Option<Base>, StoreError> {
        let mut connection = self.reader().await?;
        let rows = connection.rows(sql::base(), vec![number(id)]).await?;
        let readers = connection.rows(sql::base_readers(1), vec![number(id)]).await?;
        Ok(with_readers(&rows, &readers)?.pop())
    }

    async fn bases(&self, page: &BasePage) -> Result<Vec<Base>, StoreError> {
        let after = page.after.map_or(0, |base| base.number().into());
        let values = vec![
            SqlValue::Id(page.reader.0),
            SqlValue::Flag(page.all),
            SqlValue::Flag(page.named),
            int(after),
            int(page.limit.into()),
        ];
        let mut connection = self.reader().await?;
        let rows = connection.rows(sql::bases_for_reader(), values).await?;
        let ids = rows.iter().map(|row| row.int(0).map(int)).collect::<Result<Vec<_>, _>>()?;
        let readers = connection.rows(sql::base_readers(ids.len()), ids).await?;
        Ok(with_readers(&rows, &readers)?)
    }

    async fn change_base(&self, id: BaseId, change: &BaseChange) -> Result<(), StoreError> {
        let mut connection = self.writer().await?;
        // Readers change first. If the rest fails, no participant keeps access that should have been revoked.
        if let Some(readers) = &change.readers {
            connection.run(sql::REMOVE_BASE_READERS, vec![number(id)]).await?;
            let teams = teams(readers);
            let values = vec![number(id), SqlValue::Flag(readers.members), SqlValue::MaybeText(teams.as_deref())];
            connection.run(sql::SHARE_BASE, values).await?;
            for participant in &readers.participants {
                connection.run(sql::ADD_BASE_READER, vec![number(id), SqlValue::Id(participant.0)]).await?;
            }
        }
        let [name, about] = [&change.name, &change.about].map(|text| SqlValue::MaybeText(text.as_deref()));
        connection.run(sql::DESCRIBE_BASE, vec![number(id), name, about]).await?;
        Ok(())
    }

    async fn remove_base(&self, id: BaseId) -> Result<(), StoreError> {
        // One document at a time, so that appends do not wait for all of them.
        loop {
            let documents = self.documents(id, "", BATCH_DOCUMENTS).await?;
            if documents.is_empty() {
                break;
            }
            for document in documents {
                self.remove_document(id, &document.name).await?;
            }
        }
        self.writer().await?.run(sql::REMOVE_BASE, vec![number(id)]).await?;
        Ok(())
    }

    async fn bases_of(&self, session: SessionId, bases: &[BaseId]) -> Result<Vec<Base>, StoreError> {
        if bases.is_empty() {
            return Ok(vec![]);
        }
        let values = std::iter::once(SqlValue::Id(session.0)).chain(bases.iter().copied().map(number));
        let rows = self.reader().await?.rows(sql::bases_of_session(bases.len()), values.collect()).await?;
        Ok(with_readers(&rows, &[])?)
    }

    async fn documents(&self, base: BaseId, after: &str, limit: u32) -> Result<Vec<Document>, StoreError> {
        let values = vec![number(base), SqlValue::Text(after), int(limit.into())];
        let rows = self.reader().await?.rows(sql::DOCUMENTS, values).await?;
        Ok(rows.iter().map(document).collect::<Result<_, _>>()?)
    }

    async fn document_content(&self, base: BaseId, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let values = vec![number(base), SqlValue::Text(name)];
        let rows = self.reader().await?.rows(sql::DOCUMENT_CONTENT, values).await?;
        Ok(rows.first().map(|row| row.bytes(0)).transpose()?)
    }

    async fn put_document(
        &self,
        base: BaseId,
        document: &NewDocument<'_>,
        limits: BaseLimits,
    ) -> Result<Option<Document>, StoreError> {
        let text = self.begin_text(Some(base), None).await?;
        self.fill_text(text, &SearchTerm::of_place('库', base), document.passages).await?;
        let mut connection = self.writer().await?;
        let key = vec![number(base), SqlValue::Text(document.name)];
        let replaced = connection.rows(sql::DOCUMENT_TEXT, key).await?.first().map(|row| row.int(0)).transpose()?;
        let (bytes, passages) = (document.content.len() as u64, document.passages.len() as u64);
        let values = vec![
            number(base),
            SqlValue::Text(document.name),
            SqlValue::Text(document.media_type),
            int(bytes),
            int(passages),
            int(text.0),
            SqlValue::Bytes(document.content.as_bytes()),
            int(limits.documents.into()),
            int(limits.bytes),
        ];
        let kept =
            connection.rows(sql::put_document(E::NOW), values).await?.first().map(|row| row.int(0)).transpose()?;
        let Some(added_at) = kept.map(Timestamp::from_millis) else {
            connection.run(sql::REMOVE_TEXT, vec![int(text.0)]).await?;
            return Ok(None);
        };
        if let Some(replaced) = replaced {
            connection.run(sql::REMOVE_TEXT, vec![int(replaced)]).await?;
        }
        let (name, media_type) = (document.name.into(), document.media_type.into());
        Ok(Some(Document { name, media_type, bytes, passages, added_at }))
    }

    async fn remove_document(&self, base: BaseId, name: &str) -> Result<bool, StoreError> {
        let values = vec![number(base), SqlValue::Text(name)];
        Ok(self.writer().await?.run(sql::REMOVE_DOCUMENT, values).await? > 0)
    }

    async fn texts(&self, session: SessionId) -> Result<Vec<(std::sync::Arc<str>, TextId)>, StoreError> {
        let rows = self.reader().await?.rows(sql::TEXTS_OF_SESSION, vec![SqlValue::Id(session.0)]).await?;
        let text = |row: &_| Ok::<_, sqlx::Error>((SqlRow::text(row, 0)?.into(), TextId(SqlRow::int(row, 1)?)));
        Ok(rows.iter().map(text).collect::<Result<_, _>>()?)
    }

    async fn add_text(
        &self,
        session: SessionId,
        digest: &str,
        passages: &[IndexedPassage],
    ) -> Result<TextId, StoreError> {
        let text = self.begin_text(None, Some((session, digest))).await?;
        self.fill_text(text, &place(session), passages).await?;
        Ok(text)
    }

    async fn outdated(&self, after: Option<TextId>) -> Result<Option<TextId>, StoreError> {
        let values = vec![int(EDITION.into()), int(after.map_or(0, |text| text.0))];
        let rows = self.reader().await?.rows(sql::OUTDATED_TEXT, values).await?;
        Ok(rows.first().map(|row| row.int(0).map(TextId)).transpose()?)
    }

    async fn renew_terms(&self, text: TextId) -> Result<(), StoreError> {
        let rows = self.reader().await?.rows(sql::PLACE_OF_TEXT, vec![int(text.0)]).await?;
        // The text might have been removed in the meantime.
        let Some(row) = rows.first() else { return Ok(()) };
        let place = match row.maybe_int(0)? {
            Some(base) => SearchTerm::of_place('库', base),
            None => place(SessionId(row.id(1)?)),
        };
        self.change_terms(text, &place).await?;
        self.writer().await?.run(sql::TEXT_IS_UP_TO_DATE, vec![int(text.0), int(EDITION.into())]).await?;
        Ok(())
    }

    async fn find(
        &self,
        bases: &[BaseId],
        session: Option<(SessionId, &[TextId])>,
        terms: &[SearchTerm],
        limit: u32,
    ) -> Result<Vec<CandidatePassage>, StoreError> {
        let texts = session.map_or(&[][..], |(_, texts)| texts);
        let places: Vec<SearchTerm> = bases
            .iter()
            .map(|base| SearchTerm::of_place('库', base))
            .chain(session.filter(|(_, texts)| !texts.is_empty()).map(|(session, _)| place(session)))
            .collect();
        self.passages(bases, texts, &places, terms, limit).await
    }

    async fn remove_unused(&self, before: Timestamp) -> Result<u64, StoreError> {
        self.writer().await?.run(sql::REMOVE_UNUSED_TEXTS, vec![int(before.millis())]).await
    }
}

fn place(session: SessionId) -> SearchTerm {
    SearchTerm::of_place('话', session.0.simple())
}

fn number(base: BaseId) -> SqlValue<'static> {
    int(base.number().into())
}

pub(super) fn base_id(number: u64) -> Result<BaseId, sqlx::Error> {
    number.try_into().map_err(|_| unreadable("a knowledge base's id"))
}

/// Builds bases from rows, and assigns each reader to its base.
fn with_readers<R: SqlRow>(rows: &[R], readers: &[R]) -> Result<Vec<Base>, sqlx::Error> {
    let mut bases = rows.iter().map(base).collect::<Result<Vec<_>, _>>()?;
    for reader in readers {
        let (id, participant) = (base_id(reader.int(0)?)?, ParticipantId(reader.id(1)?));
        let base = bases.iter_mut().find(|base| base.id == id);
        base.into_iter().for_each(|base| _ = base.readers.participants.insert(participant));
    }
    Ok(bases)
}

/// Returns the teams of these readers in their stored form. `None` means every team.
fn teams(readers: &BaseReaders) -> Option<String> {
    (!readers.teams.is_empty())
        .then(|| serde_json::to_string(&readers.teams).expect("a list of names serializes: its keys are strings"))
}

fn base<R: SqlRow>(row: &R) -> Result<Base, sqlx::Error> {
    let teams = row.maybe_text(9)?.map(|teams| serde_json::from_str(&teams)).transpose();
    let teams = teams.map_err(|_| unreadable("teams"))?.unwrap_or_default();
    Ok(Base {
        id: base_id(row.int(0)?)?,
        owner: ParticipantId(row.id(1)?),
        owner_name: row.text(2)?.into(),
        name: row.text(3)?.into(),
        about: row.text(4)?.into(),
        readers: BaseReaders { members: row.flag(5)?, teams, ..BaseReaders::default() },
        created_at: Timestamp::from_millis(row.int(6)?),
        documents: row.int(7)?,
        bytes: row.int(8)?,
    })
}

fn document<R: SqlRow>(row: &R) -> Result<Document, sqlx::Error> {
    Ok(Document {
        name: row.text(0)?.into(),
        media_type: row.text(1)?.into(),
        bytes: row.int(2)?,
        passages: row.int(3)?,
        added_at: Timestamp::from_millis(row.int(4)?),
    })
}
