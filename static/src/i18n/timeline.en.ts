/** English texts for the conversation. `timeline.zh.ts` has the same keys. */
import { pluralize } from "./pluralize";

export const timeline = {
  label: "Conversation",
  emptyTitle: "Say what you need",
  empty: (agents: string) => `${agents} will work on your first message and then ask what you think.`,
  older: "Loading older messages…",
  fresh: "New since you left",
  digest: (messages: number, decisions: number) =>
    [
      messages ? pluralize(messages, "message", "messages") : "",
      decisions ? pluralize(decisions, "decision", "decisions") : "",
    ]
      .filter(Boolean)
      .join(", "),
  jump: "Jump to latest",
  jumpNew: (n: number) => `${pluralize(n, "new message", "new messages")} below`,
  writing: "writing",
  starting: "thinking",
  aborted: {
    interrupted: "interrupted here",
    cancelled: "cancelled here",
    failed: "failed here",
    timed_out: "out of time here",
  },
  code: "code",
  foldCode: "Show less",
  unfoldCode: (lines: number) => `Show all ${lines} lines`,
  relayed: {
    user: "relayed: user",
    assistant: "relayed: assistant",
    system: "relayed: instructions",
    tool: "relayed: tool result",
  },
  commentOn: (place: string) => (place ? `comment on “${place}”` : "comment"),
  relayedMeans: "From a conversation elsewhere. The sender relayed it; the server has not seen the original.",
  truncated: "cut off at the model's token limit",
  goOn: "Continue",
  continueMessage: (agent: string) =>
    `@${agent} Your last answer was cut off at your token limit. Continue exactly where it ends.`,
  empties: "No text had been written yet.",
  attempt: (n: number) => `attempt ${n}`,
  recovered: "started over after a server restart",
  void: "Unfinished text of the previous attempt. It is being written again:",
  failedAttempt: (why: string) => `This attempt failed: ${why}`,
  held: (why: string) => `On hold: ${why}.`,
  retryAt: (when: string) => `Retrying at ${when}.`,
  final: "Final output",
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
  finished: (name: string) => `${name} finished a message.`,
  stopped: {
    interrupted: (name: string) => `${name} was interrupted.`,
    cancelled: (name: string) => `${name} stopped: the run was cancelled.`,
    failed: (name: string) => `${name} did not finish because of an error.`,
    timed_out: (name: string) => `${name} did not finish in time.`,
  },
  says: (name: string) => `${name} sent a message.`,
};

/** Type of the texts in both languages. */
export type TimelineTexts = typeof timeline;
