/** The words of oneself and of what a session is bound by, in English; `manage.zh.ts` must have every one of them too. */
export const manage = {
  you: {
    title: "You",
    are: "You are",
    leadsTo: "Your name, signing out",
    name: "Your name",
    nameMeans: "Others see it with what you do from now on. What you did before keeps the name it had.",
    save: "Save name",
    saving: "Saving…",
    signOut: "Sign out",
    signOutMeans: "This browser forgets you. To come back you need a token or another sign-in link.",
    guestMeans:
      "You are a guest: only this browser knows you. Once you sign out, you come back with a new invite link, as somebody else.",
  },
  guest: "guest",
  guestMeans: "came by an invite link and chose this name",
  rules: {
    title: "Decisions",
    open: (time: string) => `A decision stays open for ${time} at most.`,
    settings: "Settings",
    close: "Close session",
    asAdmin: "You manage this session as an administrator.",
    busy: "It can be closed when its run is over: wait, or cancel the run.",
  },
  settings: {
    title: "Settings of this session",
    save: "Save",
    saving: "Saving…",
    rule: "When votes are enough",
    names: {
      any: "The first vote decides",
      all: "Everyone must approve",
      at_least: "So many approvals",
      role: "A vote of one role decides",
      veto: "Approved unless somebody objects",
    },
    n: "How many approvals",
    role: "Which role",
    minutes: "Minutes that a decision stays open",
    minutesMeans: "Empty: until somebody decides.",
    messages_per_run: "Messages in one run",
    more: "More limits",
    steps_per_run: "Steps in one run",
    turns_per_task: "Turns for one task",
    parallel: "Agents side by side",
    calls_per_turn: "Tool calls in one turn",
    retries: "Retries of a plan’s step",
    repairs: "Retries of an unreadable answer",
    attempts: "Tries of one turn",
    inbox: "Messages that may wait",
    applies: "A decision that is open already keeps the rule that it began with.",
  },
  close: {
    title: "Close this session?",
    text: "Nobody can say or decide anything in it any more. Everything in it stays readable. This cannot be undone.",
    reason: "Reason",
    yes: "Close the session",
    no: "Keep it open",
  },
  leave: {
    name: "Leave session",
    title: "Leave this session?",
    text: "You get nothing new of it, and it goes from your list. What you said stays. To come back you need a new invite link.",
    lastOwner:
      "You are its only owner, and somebody must be able to manage it. Make somebody else an owner first, or close the session.",
    yes: "Leave the session",
    no: "Stay",
  },
  invites: {
    title: (n: number) => `Links that are open (${n})`,
    by: (role: string, name: string) => `for a ${role}, by ${name}`,
    revoke: "Revoke",
    revokeName: (role: string) => `Revoke the link for a ${role}`,
  },
  nothing: {
    title: "There is nothing at this address",
    text: "Check the address, or go back to your sessions.",
  },
};

/** Every word of it. */
export type ManageWords = typeof manage;
