-- Audit log of the whole server: actions, with their actors and addresses. Entries are only added; a sweep removes old
-- ones.

create table audit (
    id         bigint generated always as identity primary key,
    at         bigint not null,
    action     text   not null,
    outcome    text   not null,
    -- A copy, not a reference, because the entry is stored longer than its participant and its session.
    actor      uuid,
    actor_kind text,
    actor_name text,
    address    text,
    session    uuid,
    subject    text,
    request    text,
    detail     text
);
create index audit_by_time on audit (at);
create index audit_by_action on audit (action, id);
create index audit_by_actor on audit (actor, id) where actor is not null;
create index audit_by_session on audit (session, id) where session is not null;
create index audit_denials on audit (id) where outcome = 'denied';

create function refuse_audit_change() returns trigger language plpgsql as $$
begin
    raise exception 'entries of the audit log are never changed';
end $$;
create trigger audit_is_append_only before update on audit
    for each row execute function refuse_audit_change();
