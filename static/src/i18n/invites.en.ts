/** English texts for devices, links and join requests. `invites.zh.ts` has the same keys. */
export const invites = {
  link: {
    uses: "How many people can use it",
    usesMeans: "Empty: one person for roles that decide, otherwise no limit.",
    days: "Days until it expires",
    daysMeans: "Empty: the server's default.",
    knock: "An owner admits each person",
    knockMeans: "People who open the link wait until an owner admits them.",
    knockRequired: "Your role must ask the owners, so an owner admits each person who opens the link.",
    left: (n: number) => (n === 1 ? "for one more person" : `for ${n} more people`),
    knocks: "an owner must admit each person",
  },
  knock: {
    title: (n: number) => (n === 1 ? "Someone asks to join" : `${n} people ask to join`),
    as: (role: string) => `as ${role}`,
    admit: "Admit",
    decline: "Decline",
    admitName: (name: string) => `Admit ${name}`,
    declineName: (name: string) => `Decline ${name}`,
    knocked: (name: string, role: string) => `${name} asks to join as ${role}`,
    declined: (name: string, by: string) => `${by} declined the request from ${name}`,
    ask: "Ask to join",
    asking: "Asking…",
    askMeans: "An owner of the session must admit you.",
  },
  waiting: {
    title: "You asked to join",
    text: "An owner of this session must admit you. Keep this page open; the session opens as soon as you are admitted.",
    refusedTitle: "Your request was declined",
    refused:
      "An owner of this session declined your request. You cannot ask again, but an owner can still invite you.",
  },
  remove: {
    links: "Also close all open links of this session",
    linksMeans: "Otherwise they can come back through a link that they know, under another name.",
  },
};

/** Type of the texts in both languages. */
export type InviteTexts = typeof invites;
