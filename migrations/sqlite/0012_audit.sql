-- Audit log of the whole server: actions, with their actors and addresses. Entries are only added; a sweep removes old
-- ones.

create table audit (
    id         integer not null primary key autoincrement,
    at         integer not null,
    action     text    not null,
    outcome    text    not null,
    -- A copy, not a reference, because the entry is stored longer than its participant and its session.
    actor      blob,
    actor_kind text,
    actor_name text,
    address    text,
    session    blob,
    subject    text,
    request    text,
    detail     text
) strict;
create index audit_by_time on audit (at);
create index audit_by_action on audit (action, id);
create index audit_by_actor on audit (actor, id) where actor is not null;
create index audit_by_session on audit (session, id) where session is not null;
create index audit_denials on audit (id) where outcome = 'denied';

create trigger audit_is_append_only before update on audit begin
    select raise(abort, 'entries of the audit log are never changed');
end;
