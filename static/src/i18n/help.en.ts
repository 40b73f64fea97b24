/** English texts for the list of keyboard shortcuts. `help.zh.ts` has the same keys. */
export const help = {
  title: "Keyboard shortcuts",
  notify: "Turn on notifications",
  noNotices: "Turn off notifications",
  notices: {
    off: "The browser can notify you of decisions that wait for you while you are on another page.",
    on: "The browser notifies you of decisions that wait for you while you are on another page.",
    blocked: "Notifications for this page are blocked in the browser settings.",
  },
  keys: {
    search: "Search sessions",
    fresh: "New session",
    move: "Next and previous message",
    approve: "Go to Approve; Enter approves",
    reject: "Reject with a comment",
    edit: "Edit the content of the decision; otherwise take back your last waiting message, or write",
    respond: "Answer in place of a tool call",
    again: "Try a failed run again",
    interrupt: "Interrupt (press twice)",
    help: "This list",
    type: "Type anywhere to write a message",
    palette: "All commands",
    send: "Send",
    newline: "New line",
  },
};

/** Type of the texts in both languages. */
export type HelpTexts = typeof help;
