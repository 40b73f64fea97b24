-- 1 if a session took the upload. If so, it no longer counts toward the limit of pending uploads.

alter table uploads add column taken boolean not null default false;
