-- Reservations of operations in progress against quotas.

-- An operation reserves its amount before it starts, and releases the reservation once its result is counted.
create table quota_reservations (
    id          uuid not null primary key,
    participant uuid not null,
    quota       text not null,
    amount      bigint not null,
    at          bigint not null
);
create index quota_reservations_by_participant on quota_reservations (participant, quota);
