-- Revoked credentials, so that every node can close the connections that were opened with them. A trigger records every
-- deletion of a credential, also one by an earlier version of the program.

create table revocations (
    hash blob    not null,
    at   integer not null
) strict;
create index revocations_by_time on revocations (at);

-- A sign-in link opens no connection.
create trigger credential_revoked after delete on credentials when old.opens <> 'signin' begin
    insert into revocations (hash, at) values (old.hash, cast(unixepoch('subsec') * 1000 as integer));
end;

-- The oldest migration whose program works with these tables. A migration that breaks earlier programs raises it.

create table compatibility (
    oldest integer not null
) strict;
insert into compatibility (oldest) values (3);
