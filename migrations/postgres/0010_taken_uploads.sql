-- Whether a session has taken an upload for its own: then it no longer counts among those that wait.

alter table uploads add column taken boolean not null default false;
