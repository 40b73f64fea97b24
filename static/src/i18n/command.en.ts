/** English texts for commands that owners are asked for. `command.zh.ts` has the same keys. They are loaded on demand. */
import type { AskedCommandData, CommandFailure } from "../protocol";

export const command = {
  asks: (name: string) => `${name} asks for:`,
  youAsk: "You asked the owners for:",
  does: {
    say: "Send this message",
    start: "Start a run with this message",
    pause: "Pause the run",
    resume: "Resume the run",
    interrupt: "Stop what is being written",
    cancel: "End the run",
  } satisfies Record<AskedCommandData["do"], string>,
  to: (names: string) => `to ${names}`,
  step: "now, in the current step",
  then: "and continue with",
  reason: "Reason",
  files: (names: string) => `with ${names}`,
  withdraw: "Take it back",
  withdrawing: "Taking it back…",
  forPerson: (name: string) => `for ${name}`,
  failure: {
    not_allowed: "Not carried out: whoever asked has left, or may no longer ask for this.",
    target_over: "Not carried out: it was about work that has ended.",
    nothing_to_do: "Not carried out: there was nothing to do any more.",
    inbox_full: "Not carried out: too many messages wait for the run.",
    invalid: "Not carried out: it no longer fits the session.",
  } satisfies Record<CommandFailure, string>,
};

/** Type of both languages. */
export type CommandWords = typeof command;
