/** The words of redaction, in English; `redaction.zh.ts` must have every one of them too. */
export const redaction = {
  message: "Redact this message…",
  file: (name: string) => `Redact this version of ${name}…`,
  participant: (name: string) => `Redact ${name} and what they wrote…`,
  fileWord: "Redact…",
  session: "Redact session…",
  by: (who: string, at: string) => `Redacted by ${who}, ${at}`,
  tag: "redacted",
  dialog: { reason: "Reason", no: "Keep it" },
  targets: {
    message: {
      title: "Redact this message?",
      text: "Its text is erased for everybody and for good; the reason stays. Answers that repeat it are messages of their own. This cannot be undone.",
      yes: "Redact the message",
    },
    file: {
      title: "Redact this version of the file?",
      text: "Its content is erased for everybody and for good; its name stays. Other versions stay. This cannot be undone.",
      yes: "Redact the version",
    },
    participant: {
      title: "Redact this person?",
      text: "Their name and everything that they wrote here are erased for everybody and for good, their files included. What others wrote about them stays, and so do they, without a name: remove them too if they should go. This cannot be undone.",
      yes: "Redact the person",
    },
    session: {
      title: "Redact the whole session?",
      text: "Everything that people and agents wrote in it, its files and all names are erased for good, and it is closed. This cannot be undone.",
      yes: "Redact the session",
    },
  },
  notes: {
    file: (by: string) => `${by} redacted a version of a file`,
    session: (by: string) => `${by} redacted the session`,
    participant: (by: string) => `${by} redacted a participant`,
  },
  days: "Days until it is redacted",
  daysMean: "Everything in it is erased when nothing has happened for so long. Empty: never.",
  keeps: (days: number) =>
    `Everything in it is erased when nothing has happened for ${days} ${days === 1 ? "day" : "days"}.`,
};

/** Every word of it. */
export type RedactionWords = typeof redaction;
