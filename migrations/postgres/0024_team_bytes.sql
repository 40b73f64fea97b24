-- Each new team is checked against the limits of its owner. Without the bytes in the index, the check would read all of
-- the owner's documents, which can be megabytes.
drop index teams_by_owner;
create index teams_by_owner on teams (owner, created_at, bytes);
