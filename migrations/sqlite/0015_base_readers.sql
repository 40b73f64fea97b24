-- Participants who may read a knowledge base that is not shared with everybody (`bases.shared`).

create table base_readers (
    base        integer not null references bases (id) on delete cascade,
    participant blob    not null references participants (id) on delete cascade,
    primary key (base, participant)
) strict, without rowid;
create index base_readers_by_participant on base_readers (participant);
