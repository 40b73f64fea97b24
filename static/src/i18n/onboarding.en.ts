/** English texts for sign-in and invitations. `onboarding.zh.ts` has the same keys. */
export const onboarding = {
  signIn: {
    title: "Sign in",
    working: "Signing you in…",
    text: "Until an administrator has signed in, Roundtable prints a sign-in link when it starts. Open that link in this browser to sign in.",
    terminal: "In the terminal, it looks like this:",
    lost: "Link lost or already used? Run this on the server to print a new one:",
    token: "Do you have a token? Add it after /sign-in# in the address of this page.",
    failed: "This link did not work.",
    colleague: "Did someone send you an invite link? Open that link; you do not need to sign in.",
  },
  join: {
    title: "You are invited",
    to: (session: string) => `to “${session}”`,
    toSession: "to a session",
    by: (name: string) => `by ${name}`,
    as: (role: string) => `as ${role}`,
    name: "Your name",
    nameHint: "Others see it next to your messages.",
    known: (name: string) => `You will join as ${name}.`,
    accept: "Join",
    accepting: "Joining…",
    failed: "This invitation cannot be used",
    instead: "Go to your sessions",
    missing: "The link is incomplete. Copy all of it, including everything after the #.",
  },
};

/** Type of the texts in both languages. */
export type OnboardingTexts = typeof onboarding;
