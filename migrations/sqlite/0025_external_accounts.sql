-- Accounts of participants at an identity provider, and sign-ins at it that are in progress.

create table external_accounts (
    -- Hash of issuer and subject.
    account     blob not null primary key,
    participant blob not null references participants (id) on delete cascade
) strict, without rowid;
create index external_accounts_by_participant on external_accounts (participant);

create table external_sign_ins (
    -- Hash of the secret in the browser's cookie.
    attempt    blob not null primary key,
    return_to  text not null,
    expires_at integer not null
) strict, without rowid;
create index external_sign_ins_by_end on external_sign_ins (expires_at);
