-- What acts under way will add to quotas.

-- An act reserves its amount before it begins and gives the reservation back once what it has added is counted itself.
create table quota_reservations (
    id          uuid not null primary key,
    participant uuid not null,
    quota       text not null,
    amount      bigint not null,
    at          bigint not null
);
create index quota_reservations_by_participant on quota_reservations (participant, quota);
