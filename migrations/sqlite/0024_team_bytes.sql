-- The limits of a person's teams are checked with each new one. Without the bytes in the index, the check would read all
-- their documents: megabytes.
drop index teams_by_owner;
create index teams_by_owner on teams (owner, created_at, bytes);
