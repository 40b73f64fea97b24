-- Sessions with a retention in the order in which a sweep walks them. Without the id the planner walks all sessions instead.
drop index sessions_by_retention;
create index sessions_by_retention on sessions (updated_at, id) where retention_days is not null;
