-- Knowledge bases: documents that people add, can share, and let agents search.

create table bases (
    -- Used in references by people and documents, so that it is never reused.
    id         integer not null primary key autoincrement,
    owner      blob    not null references participants (id) on delete cascade,
    name       text    not null,
    about      text    not null,
    -- True if every participant may search it, and may use it in their sessions.
    shared     integer not null,
    created_at integer not null
) strict;
create index bases_by_owner on bases (owner);

-- Searchable texts: documents of a knowledge base, and contents of session files.

create table texts (
    id      integer not null primary key autoincrement,
    base    integer references bases (id) on delete cascade,
    session blob,
    digest  text,
    at      integer not null,
    -- True if all its passages are stored. Until then, searches skip it.
    whole   integer not null,
    foreign key (session, digest) references contents (session, digest) on delete cascade
) strict;
create index texts_by_base on texts (base);
create index texts_by_content on texts (session, digest);
create index texts_begun on texts (at) where not whole;

create table documents (
    base       integer not null references bases (id) on delete cascade,
    name       text    not null,
    media_type text    not null,
    bytes      integer not null,
    passages   integer not null,
    added_at   integer not null,
    -- Text of the document's current content.
    text       integer not null references texts (id) on delete cascade,
    content    blob    not null,
    primary key (base, name)
) strict;
create index documents_by_text on documents (text);

create table passages (
    -- Combines the text's id and the passage's number within the text; see `src/store/passages.rs`.
    id    integer not null primary key,
    text  integer not null references texts (id) on delete cascade,
    line  integer not null,
    words text    not null
) strict;
create index passages_by_text on passages (text);

-- The program computes the terms of a passage, in the same way for both databases. The terms are separated by spaces,
-- which is how this tokenizer splits them. Only the index is stored, not the terms themselves.
create virtual table passage_terms using fts5 (terms, content='', contentless_delete=1, tokenize='ascii');

create trigger passage_is_gone after delete on passages begin
    delete from passage_terms where rowid = old.id;
end;
