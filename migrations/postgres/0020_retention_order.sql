-- Sessions with a retention period, in the order in which a sweep reads them. Without the id in the index, the query
-- planner scans all sessions instead.
drop index sessions_by_retention;
create index sessions_by_retention on sessions (updated_at, id) where retention_days is not null;
