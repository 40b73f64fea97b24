-- Participants, credentials and invitations. Of each secret, only the hash is stored.

create table participants (
    id         uuid not null primary key,
    kind       text not null,
    name       text not null,
    server_role   text not null,
    created_at bigint not null
);
create index participants_by_name on participants (name, kind, created_at, id);

create table credentials (
    hash        bytea   not null primary key,
    id          text not null,
    opens       text    not null,
    participant uuid   not null references participants (id) on delete cascade,
    created_at  bigint not null,
    expires_at  bigint,
    -- Credential from which this one was created. This one ends when that one ends.
    origin      bytea references credentials (hash) on delete cascade
);
create index credentials_by_participant on credentials (participant);
create index credentials_by_origin on credentials (origin) where origin is not null;
create index credentials_by_end on credentials (expires_at) where expires_at is not null;

create table invitations (
    hash       bytea   not null primary key,
    session    uuid   not null references sessions (id) on delete cascade,
    role       text    not null,
    invited_by uuid   not null,
    expires_at bigint not null
);
create index invitations_by_session on invitations (session);
create index invitations_by_end on invitations (expires_at);
