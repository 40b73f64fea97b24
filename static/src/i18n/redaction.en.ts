import { pluralize } from "./pluralize";

/** English texts for redaction. `redaction.zh.ts` has the same keys. */
export const redaction = {
  message: "Redact this message…",
  file: (name: string) => `Redact this version of ${name}…`,
  participant: (name: string) => `Redact ${name} and what they wrote…`,
  fileButton: "Redact…",
  session: "Redact session…",
  by: (who: string, at: string) => `Redacted by ${who}, ${at}`,
  tag: "redacted",
  dialog: { reason: "Reason", no: "Keep it" },
  targets: {
    message: {
      title: "Redact this message?",
      text: "Its text is erased permanently for everyone; the reason stays. Answers that repeat it are separate messages. This cannot be undone.",
      yes: "Redact the message",
    },
    file: {
      title: "Redact this version of the file?",
      text: "Its content is erased permanently for everyone; its name stays. Other versions stay. This cannot be undone.",
      yes: "Redact the version",
    },
    participant: {
      title: "Redact this person?",
      text: "Their name, their files and everything else they wrote here are erased permanently for everyone. What others wrote about them stays. The person stays in the session without a name; to remove them, do that separately. This cannot be undone.",
      yes: "Redact the person",
    },
    session: {
      title: "Redact the whole session?",
      text: "Everything that people and agents wrote in it, its files and all names are erased permanently, and the session is closed. This cannot be undone.",
      yes: "Redact the session",
    },
  },
  notes: {
    file: (by: string) => `${by} redacted a version of a file`,
    session: (by: string) => `${by} redacted the session`,
    participant: (by: string) => `${by} redacted a participant`,
  },
  days: "Days until it is redacted",
  daysMean: "All content is erased after this many days without activity. Empty: never.",
  keeps: (days: number) => `All content is erased after ${pluralize(days, "day", "days")} without activity.`,
};

/** Type of the texts in both languages. */
export type RedactionTexts = typeof redaction;
