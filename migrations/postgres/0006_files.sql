-- Contents of session files; the log records which files exist. Content is stored before the event that names it. A
-- sweep removes content that no event names.

create table contents (
    session uuid    not null references sessions (id) on delete cascade,
    -- BLAKE3 in hexadecimal.
    digest  text    not null,
    content bytea   not null,
    -- Time of its last upload.
    at      bigint  not null,
    -- True if an event names it. If so, it is stored as long as its session.
    named   boolean not null,
    primary key (session, digest)
);
-- Not compressed: the content is read in slices, and each slice would require decompression of all of it.
alter table contents alter column content set storage external;
create index contents_loose on contents (at) where not named;

-- Files that a participant uploaded and that do not belong to a session yet.

create table uploads (
    id      uuid    not null primary key,
    owner   uuid    not null references participants (id) on delete cascade,
    name    text    not null,
    content bytea   not null,
    at      bigint  not null
);
create index uploads_by_owner on uploads (owner);
create index uploads_by_time on uploads (at);
