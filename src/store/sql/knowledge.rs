//! Statements about knowledge bases and passages.

use std::borrow::Cow;

use super::rows;

/// Returns a list of placeholders such as `($3,$4,$5)`: `values` of them, starting at `$from`. Without values, returns
/// a list that matches no id.
fn list(from: usize, values: usize) -> String {
    let numbers: Vec<String> = (from..from + values).map(|number| format!("${number}")).collect();
    if numbers.is_empty() { "(0)".into() } else { format!("({})", numbers.join(",")) }
}

pub(in crate::store) fn add_base(now: &str) -> Cow<'static, str> {
    format!(
        "insert into bases (owner, name, about, shared, created_at, teams) select $1, $2, $3, $4, {now}, $6 \
         where (select count(*) from bases where owner = $1) < $5 returning id"
    )
    .into()
}

fn bases(which: &str, page: &str) -> Cow<'static, str> {
    format!(
        "select bases.id, bases.owner, participants.name, bases.name, bases.about, bases.shared, bases.created_at, \
         count(documents.name), cast(coalesce(sum(documents.bytes), 0) as bigint), bases.teams \
         from bases join participants on participants.id = bases.owner \
         left join documents on documents.base = bases.id \
         where {which} group by bases.id, participants.name order by bases.id {page}"
    )
    .into()
}

pub(in crate::store) fn base() -> Cow<'static, str> {
    bases("bases.id = $1", "")
}

pub(in crate::store) fn bases_for_reader() -> Cow<'static, str> {
    let which = format!("(bases.owner = $1 or $2 or ($3 and {})) and bases.id > $4", readable_by("$1"));
    bases(&which, "limit $5")
}

/// Returns the condition that a participant, other than a guest, is a reader of the base.
fn readable_by(participant: &str) -> String {
    format!(
        "(bases.shared or exists (select 1 from base_readers \
         where base_readers.base = bases.id and base_readers.participant = {participant}))"
    )
}

/// Selects those of the given bases that a participant of the session `$1` can read. `members` contains every
/// participant of the session.
pub(in crate::store) fn bases_of_session(number: usize) -> Cow<'static, str> {
    let which = format!(
        "bases.id in {} and exists (select 1 from members join participants on participants.id = members.participant \
         where members.session = $1 and (members.participant = bases.owner \
         or (participants.server_role <> 'guest' and {})))",
        list(2, number),
        readable_by("members.participant")
    );
    bases(&which, "")
}

pub(in crate::store) const DESCRIBE_BASE: &str =
    "update bases set name = coalesce($2, name), about = coalesce($3, about) where id = $1";
pub(in crate::store) const SHARE_BASE: &str = "update bases set shared = $2, teams = $3 where id = $1";
pub(in crate::store) const ADD_BASE_READER: &str =
    "insert into base_readers (base, participant) values ($1, $2) on conflict do nothing";
pub(in crate::store) const REMOVE_BASE_READERS: &str = "delete from base_readers where base = $1";

pub(in crate::store) fn base_readers(bases: usize) -> Cow<'static, str> {
    format!("select base, participant from base_readers where base in {}", list(1, bases)).into()
}
pub(in crate::store) const REMOVE_BASE: &str = "delete from bases where id = $1";

pub(in crate::store) const DOCUMENTS: &str = "\
    select name, media_type, bytes, passages, added_at from documents \
    where base = $1 and name > $2 order by name limit $3";
pub(in crate::store) const DOCUMENT_CONTENT: &str = "select content from documents where base = $1 and name = $2";
pub(in crate::store) const DOCUMENT_TEXT: &str = "select text from documents where base = $1 and name = $2";

/// Adds or replaces a document. Checks the limits in the same statement, because the second of two documents that are
/// added at once could exceed them.
pub(in crate::store) fn put_document(now: &str) -> Cow<'static, str> {
    format!(
        "insert into documents (base, name, media_type, bytes, passages, added_at, text, content) \
         select $1, $2, $3, $4, $5, {now}, $6, $7 \
         where (select count(*) from documents where base = $1 and name <> $2) < $8 \
         and (select coalesce(sum(bytes), 0) from documents where base = $1 and name <> $2) + $4 <= $9 \
         on conflict (base, name) do update set media_type = excluded.media_type, bytes = excluded.bytes, \
         passages = excluded.passages, added_at = excluded.added_at, text = excluded.text, content = excluded.content \
         returning added_at"
    )
    .into()
}

/// Deletes the document's text and, through a foreign key, the document itself.
pub(in crate::store) const REMOVE_DOCUMENT: &str =
    "delete from texts where id = (select text from documents where base = $1 and name = $2)";
pub(in crate::store) const REMOVE_TEXT: &str = "delete from texts where id = $1";

pub(in crate::store) fn add_text(now: &str) -> Cow<'static, str> {
    format!(
        "insert into texts (base, session, digest, at, whole, edition) values ($1, $2, $3, {now}, $4, $5) returning id"
    )
    .into()
}
pub(in crate::store) const TEXT_IS_WHOLE: &str = "update texts set whole = $2 where id = $1";
/// Selects one text per content, because two concurrent calls might have indexed the same content.
pub(in crate::store) const TEXTS_OF_SESSION: &str =
    "select digest, min(id) from texts where session = $1 and whole group by digest";
pub(in crate::store) const REMOVE_UNUSED_TEXTS: &str = "\
    delete from texts where at < $1 and (not whole or \
    (base is not null and not exists (select 1 from documents where documents.text = texts.id)))";

pub(in crate::store) fn insert_passages(number: usize) -> Cow<'static, str> {
    format!("insert into passages (id, text, line, words) values {}", rows(number, 4)).into()
}

pub(in crate::store) fn insert_terms(number: usize, terms: &str) -> Cow<'static, str> {
    format!(
        "insert into passage_terms (rowid, terms) with given (id, terms) as (values {}) select id, {terms} from given",
        rows(number, 2)
    )
    .into()
}

pub(in crate::store) const OUTDATED_TEXT: &str =
    "select id from texts where edition < $1 and whole and id > $2 order by id limit 1";
pub(in crate::store) const PLACE_OF_TEXT: &str = "select base, session from texts where id = $1";
pub(in crate::store) const PASSAGES_FROM: &str =
    "select id, line, words from passages where text = $1 and id >= $2 order by id limit $3";
pub(in crate::store) const TEXT_IS_UP_TO_DATE: &str = "update texts set edition = $2 where id = $1";

pub(in crate::store) fn change_terms(number: usize, terms: &str) -> Cow<'static, str> {
    format!(
        "with given (id, terms) as (values {}) update passage_terms \
         set terms = (select {terms} from given where given.id = passage_terms.rowid) \
         where rowid in (select id from given)",
        rows(number, 2)
    )
    .into()
}

/// Finds passages. The text of a document is found only while the document refers to it.
pub(in crate::store) fn find(bases: usize, texts: usize, matches: &str, best: &str) -> Cow<'static, str> {
    format!(
        "select documents.base, documents.name, texts.digest, passages.line, passages.words \
         from passage_terms join passages on passages.id = passage_terms.rowid \
         join texts on texts.id = passages.text left join documents on documents.text = texts.id \
         where {matches} and (documents.base in {} or texts.id in {}) order by {best}, passages.id limit $2",
        list(3, bases),
        list(3 + bases, texts)
    )
    .into()
}
