-- Whether a session has taken an upload for its own: then it no longer counts among those that wait.

alter table uploads add column taken integer not null default 0;
