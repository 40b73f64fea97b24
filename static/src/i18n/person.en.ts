/** English texts for the profile of a person in a session. They are not part of the first download. `person.zh.ts` has the same keys. */
export const person = {
  id: "Id",
  kind: "Kind",
  kinds: { user: "person", bot: "bot", guest: "guest, joined through an invite link and chose this name" },
  presence: "Presence",
  role: "Role here",
  rights: "Rights",
  asks: "After an owner agrees",
  comma: ", ",
  adminRights: "all, as an administrator of this server",
  lookalike: "Name",
  copy: "Two people can have the same name. The id is unique.",
};

/** Type of both languages. */
export type PersonWords = typeof person;
