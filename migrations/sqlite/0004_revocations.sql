-- Credentials that were taken away, so that every node can end what was opened with them. A trigger writes them down:
-- whoever deletes a credential, a program of an earlier version too, and for whatever reason, cannot forget to.

create table revocations (
    hash blob    not null,
    at   integer not null
) strict;
create index revocations_by_time on revocations (at);

-- A sign-in link opens nothing that lasts.
create trigger credential_revoked after delete on credentials when old.opens <> 'signin' begin
    insert into revocations (hash, at) values (old.hash, cast(unixepoch('subsec') * 1000 as integer));
end;

-- The oldest migration whose program works with these tables. A migration that breaks earlier programs raises it.

create table compatibility (
    oldest integer not null
) strict;
insert into compatibility (oldest) values (3);
