/** The words of the list of keys in English; `help.zh.ts` must have every one of them too. */
export const help = {
  title: "Keyboard shortcuts",
  notify: "Turn on notifications",
  noNotices: "Turn off notifications",
  notices: {
    off: "The browser can tell you of decisions that wait for you while you look at something else.",
    on: "The browser tells you of decisions that wait for you while you look at something else.",
    blocked: "Notifications of this page are blocked in the settings of the browser.",
  },
  keys: {
    search: "Search sessions",
    fresh: "New session",
    move: "Next and previous message",
    approve: "Go to Approve; Enter approves",
    reject: "Reject with a comment",
    edit: "Change what is decided on; else take back your last waiting message, or write",
    respond: "Answer in the place of a call",
    again: "Begin a failed run again",
    interrupt: "Interrupt (press twice)",
    help: "This list",
    type: "Type anywhere to write a message",
    palette: "All commands",
    send: "Send",
    newline: "New line",
  },
};

/** Every word of it. */
export type HelpWords = typeof help;
