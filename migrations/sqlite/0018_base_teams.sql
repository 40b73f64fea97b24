-- Names of the teams whose sessions may use a knowledge base, as a JSON list. Null: every team.

alter table bases add column teams text;
