-- Server processes that share this database. A running one renews its lease before the database's clock reaches
-- `expires_at`.

create table nodes (
    id         uuid   not null primary key,
    name       text   not null,
    version    text   not null,
    expires_at bigint not null
);

-- Node whose lease the session's claim depends on. Null: the claim needs no lease, or was released.
alter table sessions add column owner uuid;
