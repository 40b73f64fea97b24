/**
 * English texts for commands that need an owner's approval, loaded on demand. `command.zh.ts` has the same
 * keys.
 */
import { createTextsHook } from "./locale";
import type { AskedCommandData, CommandFailure } from "../protocol";
import { command as zh } from "./command.zh";

export const command = {
  asks: (name: string) => `${name} asks for:`,
  youAsk: "You asked the owners for:",
  does: {
    say: "Send this message",
    start: "Start a run with this message",
    pause: "Pause the run",
    resume: "Resume the run",
    interrupt: "Interrupt the agents",
    cancel: "End the run",
    invite: "Add this participant",
  } satisfies Record<AskedCommandData["do"], string>,
  to: (names: string) => `to ${names}`,
  as: (role: string) => `as ${role}`,
  step: "now, in the current step",
  then: "and continue with",
  reason: "Reason",
  files: (names: string) => `with ${names}`,
  withdraw: "Take it back",
  withdrawing: "Taking it back…",
  forPerson: (name: string) => `for ${name}`,
  failure: {
    not_allowed:
      "Not carried out: the person who asked has left, or no longer has the right to ask for this.",
    target_over: "Not carried out: the work that it was for has ended.",
    nothing_to_do: "Not carried out: there was nothing left to do.",
    inbox_full: "Not carried out: too many messages wait for the run.",
    invalid: "Not carried out: it no longer fits the session.",
  } satisfies Record<CommandFailure, string>,
};

/** Type of the texts in both languages. */
export type CommandTexts = typeof command;

/** Returns the texts in the reader's language. */
export const useCommandTexts = createTextsHook(command, zh);
