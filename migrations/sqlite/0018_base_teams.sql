-- Teams whose sessions may be given a knowledge base: names as a JSON list; null: every team.

alter table bases add column teams text;
