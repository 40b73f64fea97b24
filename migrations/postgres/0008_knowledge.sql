-- Knowledge bases: texts for agents to search, which people bring and may share.

create table bases (
    -- People and documents name it; never given again.
    id         bigint  generated always as identity primary key,
    owner      uuid    not null references participants (id) on delete cascade,
    name       text    not null,
    about      text    not null,
    -- Every participant may search it, and have their sessions search it.
    shared     boolean not null,
    created_at bigint  not null
);
create index bases_by_owner on bases (owner);

-- What is searched: a document of a base, or what is in a file of a session.

create table texts (
    id      bigint  generated always as identity primary key,
    base    bigint  references bases (id) on delete cascade,
    session uuid,
    digest  text,
    at      bigint  not null,
    -- All its passages are there: until then it is not searched.
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
    -- That of its current content.
    text       bigint  not null references texts (id) on delete cascade,
    content    bytea   not null,
    primary key (base, name)
);
create index documents_by_text on documents (text);

create table passages (
    -- The text's id and the passage's number in it: see `store/passages.rs`.
    id    bigint  not null primary key,
    text  bigint  not null references texts (id) on delete cascade,
    line  bigint  not null,
    words text    not null
);
create index passages_by_text on passages (text);

-- The terms of a passage are made by the program, the same ones for both databases; no parser and no dictionary looks at them.

create table passage_terms (
    rowid bigint   not null primary key references passages (id) on delete cascade,
    terms tsvector not null
);
create index passage_terms_found on passage_terms using gin (terms);
