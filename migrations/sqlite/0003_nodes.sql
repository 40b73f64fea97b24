-- The server processes that share this database. One that lives keeps its lease ahead of the database's clock.

create table nodes (
    id         blob    not null primary key,
    name       text    not null,
    version    text    not null,
    expires_at integer not null
) strict;

-- The node whose lease a claim stands on; null: a claim that needs none, or one given back.
alter table sessions add column owner blob;
