-- Reservations of operations in progress against quotas.

-- An operation reserves its amount before it starts, and releases the reservation once its result is counted.
create table quota_reservations (
    id          blob not null primary key,
    participant blob not null,
    quota       text not null,
    amount      integer not null,
    at          integer not null
) strict, without rowid;
create index quota_reservations_by_participant on quota_reservations (participant, quota);
