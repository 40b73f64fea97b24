/** The words of devices, links and knocks, in English; `access.zh.ts` must have every one of them too. */
export const access = {
  devices: {
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
    everywhereMeans: "Ends every browser and every unused sign-in link of yours, this one too. Tokens stay.",
    failed: "The list cannot be read right now.",
  },
  link: {
    uses: "How many people can use it",
    usesMeans: "Empty: one for a role that decides, else as many as like.",
    days: "Days until it expires",
    daysMeans: "Empty: as long as the server says.",
    knock: "Ask me first",
    knockMeans: "Whoever opens the link waits until an owner admits them.",
    left: (n: number) => (n === 1 ? "for one more person" : `for ${n} more people`),
    knocks: "an owner admits each",
  },
  knock: {
    title: (n: number) => (n === 1 ? "Somebody asks to come in" : `${n} people ask to come in`),
    as: (role: string) => `as ${role}`,
    admit: "Admit",
    decline: "Decline",
    admitName: (name: string) => `Admit ${name}`,
    declineName: (name: string) => `Decline ${name}`,
    knocked: (name: string, role: string) => `${name} asks to come in as ${role}`,
    declined: (name: string, by: string) => `${by} declined the request of ${name}`,
    ask: "Ask to come in",
    asking: "Asking…",
    askMeans: "An owner of the session has to admit you.",
  },
  waiting: {
    title: "You asked to come in",
    text: "An owner of this session has to admit you. Keep this page open: it goes on by itself.",
    refusedTitle: "Your request was declined",
    refused: "An owner of this session declined it. You cannot ask again; an owner can still invite you.",
  },
  remove: {
    links: "Close all open links of this session too",
    linksMeans: "Otherwise whoever is removed can come back by a link that they know, under another name.",
  },
};

/** Every word of it. */
export type AccessWords = typeof access;
