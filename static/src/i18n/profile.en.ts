/**
 * English texts for the profile of a person in a session, loaded on demand. `profile.zh.ts` has the same
 * keys.
 */
import { createTextsHook } from "./locale";
import { profile as zh } from "./profile.zh";

export const profile = {
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

/** Type of the texts in both languages. */
export type ProfileTexts = typeof profile;

/** Returns the texts in the reader's language. */
export const useProfileTexts = createTextsHook(profile, zh);
