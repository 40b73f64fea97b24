/** The words of coming in, in English; `enter.zh.ts` must have every one of them too. */
export const enter = {
  signIn: {
    title: "Sign in",
    working: "Signing you in…",
    text: "Until an administrator has come in, Roundtable prints a sign-in link when it starts. Open that link in this browser, and you are in.",
    terminal: "In the terminal it looks like this:",
    lost: "Lost or used already? On the server, this prints another:",
    token: "You have a token? Put it behind /sign-in# in this page's address.",
    failed: "This link did not work.",
    colleague: "Somebody sent you an invite link? Open that one: it needs no sign-in.",
  },
  join: {
    title: "You are invited",
    to: (session: string) => `to “${session}”`,
    toSession: "to a session",
    by: (name: string) => `by ${name}`,
    as: (role: string) => `as ${role}`,
    name: "Your name",
    nameHint: "Others see it beside what you say.",
    known: (name: string) => `You come in as ${name}.`,
    accept: "Join",
    accepting: "Joining…",
    failed: "This invitation cannot be used",
    instead: "To your sessions",
    missing: "The link is not complete. Copy it whole, with everything after the #.",
  },
};

/** Every word of it. */
export type EnterWords = typeof enter;
