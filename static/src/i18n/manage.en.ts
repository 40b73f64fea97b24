/**
 * English texts for the user's own account and the settings of a session. `manage.zh.ts` has the same keys.
 */
import type { RightAccess } from "../protocol";

export const manage = {
  first: {
    title: "What should others call you?",
    placeholder: "Your name",
    save: "Save name",
    later: "Later",
    means:
      "Until you choose a name, you appear as “operator”. You can change it at any time, below the list of sessions.",
  },
  you: {
    title: "You",
    are: "You are",
    leadsTo: "Your name, signing out",
    name: "Your name",
    nameMeans: "Others see it with everything you do from now on. Earlier messages keep the earlier name.",
    id: "Your id",
    idMeans: "Others need it to invite you, or to let you read a knowledge base.",
    save: "Save name",
    saving: "Saving…",
    signOut: "Sign out",
    signOutMeans:
      "Signs you out in this browser. To come back, sign in again: with your organization’s account, a token or a new link.",
    guestMeans:
      "You are a guest: only this browser knows you. After you sign out, you need a new invite link and come back as someone else.",
  },
  guest: "guest",
  marked: (name: string, marks: string[]) => `${name} (${marks.join(", ")})`,
  guestMeans: "joined through an invite link and chose this name",
  lookalike: "name similar to another one here",
  lookalikeMeans: "This name is similar to another one here. Check the end of the id.",
  renamed: (from: string, name: string) => `${from} is now called ${name}`,
  rules: {
    title: "Decisions",
    open: (time: string) => `A decision stays open for at most ${time}.`,
    settings: "Settings",
    close: "Close session",
    asAdmin: "You manage this session as an administrator.",
    busy: "You can close it when the run is over. Wait, or cancel the run.",
  },
  settings: {
    title: "Settings of this session",
    save: "Save",
    saving: "Saving…",
    rule: "Decision rule",
    names: {
      any: "The first vote decides",
      all: "Everyone must approve",
      majority: "More than half must approve",
      at_least: "A number of approvals",
      role: "One vote from a role decides",
      veto: "Approved unless someone objects",
      weighted: "A sum of weights",
    },
    n: "Number of approvals",
    role: "Role",
    minutes: "Minutes until a decision expires",
    minutesMeans: "Empty: it stays open until someone decides.",
    max_messages_per_run: "Messages per run",
    more: "More limits",
    max_steps_per_run: "Steps per run",
    max_turns_per_task: "Turns per task",
    max_parallel: "Agents in parallel",
    max_calls_per_turn: "Tool calls per turn",
    max_retries: "Retries per plan item",
    max_repairs: "Retries after an unreadable output",
    max_attempts: "Attempts per turn",
    max_waiting_messages: "Messages that can wait",
    rights: {
      title: "Rights of each role",
      means:
        "Highlighted rights differ from the default. Owners have every right. Ask: an owner decides each time.",
      right: "Right",
      reset: "Reset to defaults",
      cell: (role: string, right: string) => `${role}: ${right}`,
      template: "Use a template",
      usual: "Default",
      noTemplate: "Other rights",
      access: { allow: "Yes", ask: "Ask", deny: "No" } satisfies Record<RightAccess, string>,
    },
    applies: "A decision that is already open keeps its rule.",
  },
  close: {
    title: "Close this session?",
    text: "Nobody can write or decide in it any more. Everything stays readable. This cannot be undone.",
    reason: "Reason",
    yes: "Close the session",
    no: "Keep it open",
  },
  leave: {
    name: "Leave session",
    title: "Leave this session?",
    text: "You see nothing new, and the session disappears from your list. Your messages stay. To come back, you need a new invite link.",
    lastOwner:
      "You are the only person who owns it, and someone must be able to manage it. Make another person an owner first, or close the session.",
    yes: "Leave the session",
    no: "Stay",
  },
  invites: {
    title: (n: number) => `Open links (${n})`,
    by: (role: string, name: string) => `for a ${role}, by ${name}`,
    revoke: "Revoke",
    revokeName: (role: string) => `Revoke the link for a ${role}`,
  },
  nothing: {
    title: "Page not found",
    text: "Check the address, or go back to your sessions.",
  },
};

/** Type of the texts in both languages. */
export type ManageTexts = typeof manage;
