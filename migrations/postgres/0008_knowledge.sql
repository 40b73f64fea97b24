-- Knowledge bases: documents that people add, can share, and let agents search.

create table bases (
    -- Used in references by people and documents, so that it is never reused.
    id         bigint  generated always as identity primary key,
    owner      uuid    not null references participants (id) on delete cascade,
    name       text    not null,
    about      text    not null,
    -- True if every participant may search it, and may use it in their sessions.
    shared     boolean not null,
    created_at bigint  not null
);
create index bases_by_owner on bases (owner);

-- Searchable texts: documents of a knowledge base, and contents of session files.

create table texts (
    id      bigint  generated always as identity primary key,
    base    bigint  references bases (id) on delete cascade,
    session uuid,
    digest  text,
    at      bigint  not null,
    -- True if all its passages are stored. Until then, searches skip it.
    whole   boolean not null,
    foreign key (session, digest) references contents (session, digest) on delete cascade
);
create index texts_by_base on texts (base);
create index texts_by_content on texts (session, digest);
create index texts_begun on texts (at) where not whole;

create table documents (
    base       bigint  not null references bases (id) on delete cascade,
    name       text    not null,
    media_type text    not null,
    bytes      bigint  not null,
    passages   bigint  not null,
    added_at   bigint  not null,
    -- Text of the document's current content.
    text       bigint  not null references texts (id) on delete cascade,
    content    bytea   not null,
    primary key (base, name)
);
create index documents_by_text on documents (text);

create table passages (
    -- Combines the text's id and the passage's number within the text; see `src/store/passages.rs`.
    id    bigint  not null primary key,
    text  bigint  not null references texts (id) on delete cascade,
    line  bigint  not null,
    words text    not null
);
create index passages_by_text on passages (text);

-- The program computes the terms of a passage, in the same way for both databases. No PostgreSQL parser or dictionary
-- processes them.

create table passage_terms (
    rowid bigint   not null primary key references passages (id) on delete cascade,
    terms tsvector not null
);
create index passage_terms_found on passage_terms using gin (terms);
