-- By which edition of the program's terms a text is found: those of an earlier one get their terms anew.

alter table texts add column edition integer not null default 1;
create index texts_by_edition on texts (edition);
