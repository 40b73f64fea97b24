-- Revoked credentials, so that every node can close the connections that were opened with them. A trigger records every
-- deletion of a credential, also one by an earlier version of the program.

create table revocations (
    hash blob    not null,
    at   integer not null
) strict;
create index revocations_by_time on revocations (at);

-- Sign-in links are skipped, because they open no connections.
create trigger credential_revoked after delete on credentials when old.opens <> 'signin' begin
    insert into revocations (hash, at) values (old.hash, cast(unixepoch('subsec') * 1000 as integer));
end;

-- Number of the newest migration of the oldest program version that can use these tables. A migration that breaks
-- earlier versions raises it.

create table compatibility (
    oldest integer not null
) strict;
insert into compatibility (oldest) values (3);
