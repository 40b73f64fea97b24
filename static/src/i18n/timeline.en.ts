/** The words of the conversation in English; `timeline.zh.ts` must have every one of them too. */
import { many } from "./many";

export const timeline = {
  label: "Conversation",
  emptyTitle: "Say what you need",
  empty: (agents: string) => `${agents} will work on your first message, and then ask you what you think.`,
  older: "Loading older messages…",
  fresh: "New since you left",
  digest: (messages: number, decisions: number) =>
    [
      messages ? many(messages, "message", "messages") : "",
      decisions ? many(decisions, "decision", "decisions") : "",
    ]
      .filter(Boolean)
      .join(", "),
  jump: "Jump to now",
  jumpNew: (n: number) => `${many(n, "new message", "new messages")} below`,
  writing: "writing",
  starting: "thinking",
  aborted: { interrupted: "interrupted here", cancelled: "cancelled here", failed: "failed here" },
  code: "code",
  foldCode: "Show less",
  unfoldCode: (lines: number) => `Show all ${lines} lines`,
  relayed: {
    user: "passed on: user",
    assistant: "passed on: assistant",
    system: "passed on: instructions",
    tool: "passed on: tool result",
  },
  relayedMeans:
    "Said in a conversation elsewhere; the sender passes it on, and the server has not seen it there.",
  truncated: "cut at the model's token limit",
  goOn: "Go on",
  goOnWords: (agent: string) =>
    `@${agent} Your last answer was cut at your token limit. Go on exactly where it ends.`,
  empties: "No text had been written yet.",
  attempt: (n: number) => `attempt ${n}`,
  recovered: "started over after a restart",
  void: "Unfinished text of the previous attempt. It is being written again:",
  failedAttempt: (why: string) => `This attempt failed: ${why}`,
  retryAt: (when: string) => `Trying again at ${when}.`,
  final: "Final answer",
  to: "to",
  all: "the whole team",
  people: "people",
  unresolved: (text: string) => `Nobody here is called “${text}”.`,
  nearest: (names: string) => `Did you mean ${names}?`,
  sending: "sending…",
  unsent: "will be sent when the server is back",
  refused: "Not sent:",
  again: "Edit and send again",
  copyMessage: "Copy message",
  typing: (names: string, n: number) => `${names} ${n === 1 ? "is" : "are"} typing…`,
  finished: (name: string) => `${name} has finished a message.`,
  stopped: {
    interrupted: (name: string) => `${name} was interrupted.`,
    cancelled: (name: string) => `${name} stopped: the run was cancelled.`,
    failed: (name: string) => `${name} did not finish: something failed.`,
  },
  says: (name: string) => `${name} says something.`,
};

/** Every word of it. */
export type TimelineWords = typeof timeline;
