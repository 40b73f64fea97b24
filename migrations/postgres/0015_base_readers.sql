-- Participants who may read a knowledge base that is not shared with everybody (`bases.shared`).

create table base_readers (
    base        bigint not null references bases (id) on delete cascade,
    participant uuid   not null references participants (id) on delete cascade,
    primary key (base, participant)
);
create index base_readers_by_participant on base_readers (participant);
