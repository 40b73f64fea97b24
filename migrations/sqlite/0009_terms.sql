-- Edition of the rules that computed the text's terms. Texts with an earlier edition are re-indexed.

alter table texts add column edition integer not null default 1;
create index texts_by_edition on texts (edition);
