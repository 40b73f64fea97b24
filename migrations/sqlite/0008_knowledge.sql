-- Knowledge bases: texts for agents to search, which people bring and may share.

create table bases (
    -- People and documents name it; never given again.
    id         integer not null primary key autoincrement,
    owner      blob    not null references participants (id) on delete cascade,
    name       text    not null,
    about      text    not null,
    -- Every participant may search it, and have their sessions search it.
    shared     integer not null,
    created_at integer not null
) strict;
create index bases_by_owner on bases (owner);

-- What is searched: a document of a base, or what is in a file of a session.

create table texts (
    id      integer not null primary key autoincrement,
    base    integer references bases (id) on delete cascade,
    session blob,
    digest  text,
    at      integer not null,
    -- All its passages are there: until then it is not searched.
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
    -- That of its current content.
    text       integer not null references texts (id) on delete cascade,
    content    blob    not null,
    primary key (base, name)
) strict;
create index documents_by_text on documents (text);

create table passages (
    -- The text's id and the passage's number in it: see `store/passages.rs`.
    id    integer not null primary key,
    text  integer not null references texts (id) on delete cascade,
    line  integer not null,
    words text    not null
) strict;
create index passages_by_text on passages (text);

-- The terms of a passage are made by the program, the same ones for both databases; they are parted by blanks, which is all
-- that this tokenizer looks for in them. The terms themselves are not kept.
create virtual table passage_terms using fts5 (terms, content='', contentless_delete=1, tokenize='ascii');

create trigger passage_is_gone after delete on passages begin
    delete from passage_terms where rowid = old.id;
end;
