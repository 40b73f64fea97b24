-- Server processes that share this database. A running one renews its lease before the database's clock reaches
-- `expires_at`.

create table nodes (
    id         blob    not null primary key,
    name       text    not null,
    version    text    not null,
    expires_at integer not null
) strict;

-- Node whose lease the session's claim depends on. Null: the claim needs no lease, or was released.
alter table sessions add column owner blob;
