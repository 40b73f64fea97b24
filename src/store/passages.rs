//! Passages and their terms. They are written in small batches, so that appends run in between. A query matches the
//! passages that contain any of its terms.

use super::connection::{SqlRow, SqlValue, int, unreadable};
use super::database::Database;
use super::engine::Engine;
use super::knowledge::base_id;
use super::sql::{MAX_ROWS, knowledge as sql};
use crate::kernel::SessionId;
use crate::knowledge::{BaseId, CandidatePassage, EDITION, IndexedPassage, PassageSource, SearchTerm, TextId};
use crate::store_error::StoreError;

/// Number of bits in a passage's id that hold its number within the text. The size limit of a text allows fewer
/// passages than these bits can count.
const NUMBER_BITS: u32 = 24;

impl<E: Engine> Database<E> {
    /// Adds a text without passages, which no search finds yet.
    pub(super) async fn begin_text(
        &self,
        base: Option<BaseId>,
        content: Option<(SessionId, &str)>,
    ) -> Result<TextId, StoreError> {
        let values = vec![
            SqlValue::MaybeInt(base.map(|base| base.number().into())),
            SqlValue::MaybeId(content.map(|(session, _)| session.0)),
            SqlValue::MaybeText(content.map(|(_, digest)| digest)),
            SqlValue::Flag(false),
            int(EDITION.into()),
        ];
        let rows = self.writer().await?.rows(sql::add_text(E::NOW), values).await?;
        Ok(rows.first().map_or_else(|| Err(unreadable("no id")), |row| row.int(0)).map(TextId)?)
    }

    /// Adds all passages of a text. Each gets a term for its knowledge base or session, so that a search in one place
    /// skips the passages of all others.
    pub(super) async fn fill_text(
        &self,
        text: TextId,
        place: &SearchTerm,
        passages: &[IndexedPassage],
    ) -> Result<(), StoreError> {
        for (chunk, passages) in (0u64..).zip(passages.chunks(MAX_ROWS)) {
            let first = (text.0 << NUMBER_BITS) + chunk * MAX_ROWS as u64;
            let rows = (first..).zip(passages).flat_map(|(id, passage)| {
                [int(id), int(text.0), int(passage.line.into()), SqlValue::Text(&passage.text)]
            });
            let terms: Vec<String> = passages.iter().map(|passage| listed(place, passage)).collect();
            let of_rows = (first..).zip(&terms).flat_map(|(id, terms)| [int(id), SqlValue::Text(terms)]);
            let mut connection = self.writer().await?;
            connection.run(sql::insert_passages(passages.len()), rows.collect()).await?;
            connection.run(sql::insert_terms(passages.len(), E::TERMS), of_rows.collect()).await?;
        }
        self.writer().await?.run(sql::TEXT_IS_WHOLE, vec![int(text.0), SqlValue::Flag(true)]).await?;
        Ok(())
    }

    /// Replaces the terms of all passages of a text with those of the current edition. Until then, searches match the
    /// old terms.
    pub(super) async fn change_terms(&self, text: TextId, place: &SearchTerm) -> Result<(), StoreError> {
        let mut from = text.0 << NUMBER_BITS;
        loop {
            let values = vec![int(text.0), int(from), int(MAX_ROWS as u64)];
            let rows = self.reader().await?.rows(sql::PASSAGES_FROM, values).await?;
            let Some(last) = rows.last() else { return Ok(()) };
            from = last.int(0)? + 1;
            let terms = |row| Ok::<_, sqlx::Error>((SqlRow::int(row, 0)?, listed(place, &indexed(row)?)));
            let terms: Vec<(u64, String)> = rows.iter().map(terms).collect::<Result<_, _>>()?;
            let of_rows = terms.iter().flat_map(|(id, terms)| [int(*id), SqlValue::Text(terms)]);
            self.writer().await?.run(sql::change_terms(rows.len(), E::TERMS), of_rows.collect()).await?;
        }
    }

    pub(super) async fn passages(
        &self,
        bases: &[BaseId],
        texts: &[TextId],
        places: &[SearchTerm],
        terms: &[SearchTerm],
        limit: u32,
    ) -> Result<Vec<CandidatePassage>, StoreError> {
        if places.is_empty() || terms.is_empty() {
            return Ok(vec![]);
        }
        let query = format!("{}{}{}", any::<E>(places), E::AND, any::<E>(terms));
        let ids = bases.iter().map(|base| u64::from(base.number())).chain(texts.iter().map(|text| text.0));
        let mut values = vec![SqlValue::Text(&query), int(limit.into())];
        for id in ids {
            values.push(int(id));
        }
        let statement = sql::find(bases.len(), texts.len(), E::MATCHES, E::BEST);
        let rows = self.reader().await?.rows(statement, values).await?;
        Ok(rows.iter().map(found).collect::<Result<_, _>>()?)
    }
}

/// Joins the term of the place and the terms of the passage, each in quotes. Terms consist of letters and digits, so
/// the quotes need no escaping.
fn listed(place: &SearchTerm, passage: &IndexedPassage) -> String {
    let mut list = String::new();
    for term in std::iter::once(place).chain(&passage.terms) {
        list.push('\'');
        list.push_str(term.as_str());
        list.push_str("' ");
    }
    list
}

fn indexed<R: SqlRow>(row: &R) -> Result<IndexedPassage, sqlx::Error> {
    let line = u32::try_from(row.int(1)?).map_err(|_| unreadable("a line's number"))?;
    Ok(IndexedPassage::new(line, row.text(2)?))
}

fn any<E: Engine>(terms: &[SearchTerm]) -> String {
    let quoted: Vec<String> = terms.iter().map(|term| format!("{0}{1}{0}", E::QUOTE, term.as_str())).collect();
    format!("({})", quoted.join(E::OR))
}

fn found<R: SqlRow>(row: &R) -> Result<CandidatePassage, sqlx::Error> {
    let source = match row.maybe_int(0)? {
        Some(base) => PassageSource::Document { base: base_id(base)?, name: row.text(1)?.into() },
        None => PassageSource::Content { digest: row.text(2)?.into() },
    };
    let line = u32::try_from(row.int(3)?).map_err(|_| unreadable("a line's number"))?;
    Ok(CandidatePassage { source, line, text: row.text(4)?.into() })
}
