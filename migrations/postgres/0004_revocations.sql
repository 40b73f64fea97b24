-- Revoked credentials, so that every node can close the connections that were opened with them. A trigger records every
-- deletion of a credential, also one by an earlier version of the program.

create table revocations (
    hash bytea  not null,
    at   bigint not null
);
create index revocations_by_time on revocations (at);

create function note_revocation() returns trigger language plpgsql as $$
begin
    insert into revocations (hash, at) values (old.hash, (extract(epoch from clock_timestamp()) * 1000)::bigint);
    return null;
end $$;
-- Sign-in links are skipped, because they open no connections.
create trigger credential_revoked after delete on credentials
    for each row when (old.opens <> 'signin') execute function note_revocation();

-- Number of the newest migration of the oldest program version that can use these tables. A migration that breaks
-- earlier versions raises it.

create table compatibility (
    oldest bigint not null
);
insert into compatibility (oldest) values (3);
