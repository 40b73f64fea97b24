/** English texts for devices and tokens, loaded on demand. `credentials.zh.ts` has the same keys. */
import { createTextsHook } from "./locale";
import type { SignInMethod } from "../api";
import { credentials as zh } from "./credentials.zh";

export const credentials = {
  title: "Where you are signed in",
  kinds: { cookie: "Browser", token: "Token", sign_in: "Unused sign-in link" },
  current: "this device",
  used: (when: string) => `used ${when}`,
  unused: "not used yet",
  until: (when: string) => `until ${when}`,
  end: "Sign out",
  revoke: "Revoke",
  endName: (what: string) => `Sign out: ${what}`,
  revokeName: (what: string) => `Revoke: ${what}`,
  everywhere: "Sign out everywhere",
  everywhereMeans:
    "Signs you out of every browser, including this one, and cancels unused sign-in links. Tokens stay valid.",
  signIn: {
    label: "Last sign-in",
    never: "Not yet with a browser.",
    neverShort: "no sign-in yet",
    methods: {
      link: "with a one-time link",
      token: "with a token",
      invite: "with an invite link, as a guest",
      oidc: "at the sign-in provider",
      proxy: "through the organization's proxy",
    } satisfies Record<SignInMethod, string>,
    at: (provider: string) => `at ${provider}`,
    when: (how: string, when: string) => `${when}, ${how}`,
  },
  failed: "The list cannot be loaded right now. Try again later.",
  of: (name: string) => `Devices and tokens of ${name}`,
  ofNobody: "They have no devices or tokens.",
  more: (shown: number) =>
    `Only the ${shown} most recently used ones are listed. Revoke some of them to see the others.`,
  everywhereOf: "Signs them out of every browser and cancels unused sign-in links. Tokens stay valid.",
  scope: {
    sessions: (n: number) => (n === 1 ? "one session" : `${n} sessions`),
    teams: (n: number) => (n === 1 ? "one team" : `${n} teams`),
    role: (role: string) => `at most ${role}`,
    readOnly: "read only",
    networks: (networks: string) => `from ${networks}`,
    all: "all your rights",
  },
  create: {
    open: "Create a token",
    title: "Create a token",
    means: "A program with this token acts as you, within these limits.",
    name: "Name",
    nameMeans: "Identifies the token in the list.",
    sessions: "Sessions",
    allSessions: "All sessions you can open",
    noSession: "None but those of the teams",
    untitled: "Untitled session",
    teams: "Teams",
    teamsMeans: "The token executes the ticked teams, and opens only the sessions of these executions.",
    teamsReadOnly:
      "With these rights, the token reads the teams and their executions, and starts none. To start them, choose at least member.",
    teamsAndSession: "The token also opens the chosen session.",
    rights: "Rights",
    allRights: "All your rights",
    atMost: (role: string) => `At most ${role}`,
    days: "Days until it expires",
    networks: "Accept only from",
    networksMeans: "Addresses or networks such as 10.0.0.0/8, separated by spaces. Empty: from everywhere.",
    submit: "Create",
    creating: "Creating…",
    done: "Token created",
    token: "Token",
    once: "Copy it now. The server does not store it and never shows it again.",
    expires: (when: string) => `It expires ${when}.`,
  },
};

/** Type of the texts in both languages. */
export type CredentialTexts = typeof credentials;

/** Returns the texts in the reader's language. */
export const useCredentialTexts = createTextsHook(credentials, zh);
