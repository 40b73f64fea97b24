/** English texts for sign-in at an identity provider. `provider.zh.ts` has the same keys. */
import { createTextsHook } from "./locale";
import { provider as zh } from "./provider.zh";

export const provider = {
  signIn: (name: string) => `Sign in with ${name}`,
  continueAs: (user: string) => `Continue as ${user}`,
  failed: "You are not signed in.",
  errors: {
    unavailable: "Your organization's sign-in service does not respond. Try again later.",
    expired: "The sign-in took too long, or began in another window. Try again.",
    wrong_issuer:
      "The response came from another sign-in service. Try again; if this repeats, tell the operator.",
    denied: "The sign-in was cancelled or refused. Try again, or ask your organization for access.",
    invalid:
      "The response of the sign-in service is not valid. Try again; if this repeats, tell the operator.",
    not_allowed: "Your account is not allowed to use this server. Ask the operator for access.",
    disabled: "Your account on this server is disabled. Ask an administrator.",
    no_user:
      "Your organization's proxy did not say who you are. Open this page through it, or ask the operator.",
    unknown_person: "You have no account on this server. Ask an administrator to add you.",
  },
  other: "Try again.",
};

/** Type of the texts in both languages. */
export type ProviderTexts = typeof provider;

/** Returns the texts in the reader's language. */
export const useProviderTexts = createTextsHook(provider, zh);
