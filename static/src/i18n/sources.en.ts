/** English texts for the sources of calls. `sources.zh.ts` has the same keys. */
import { createTextsHook } from "./locale";
import type { CallSourceKind } from "../protocol";
import { sources as zh } from "./sources.zh";

export const sources = {
  title: "What led to this call",
  means: "Everything that the agent could have read before it asked, newest last.",
  kinds: {
    person: "people",
    guest: "guests",
    bot: "bots",
    agent: "agents",
    file: "files",
    knowledge: "knowledge bases",
    code: "code",
    web: "the web",
    tool: "external tools",
  } satisfies Record<CallSourceKind, string>,
  from: (kinds: string) => `From ${kinds}`,
  message: (name: string) => `Message of ${name}`,
  answer: (name: string) => `Answer of ${name}`,
  edit: (name: string) => `Edit by ${name}`,
  file: (file: string, version: number, name: string) => `${file}, version ${version}, added by ${name}`,
  fileGone: (name: string) => `File added by ${name}`,
  result: (tool: string, input: string, name: string) =>
    `Result of ${tool}${input ? ` (${input})` : ""}, read by ${name}`,
  resultOf: (kind: string, name: string) => `Text from ${kind}, read by ${name}`,
  guest: (name: string) => `${name} (guest)`,
  more: "There are earlier sources, too.",
  none: "Nothing that the log names.",
  rule: {
    title: "Only for calls caused by",
    means:
      "If you choose any, the rule also applies to calls that would need no decision, except those that only read. If you choose none, it applies to all calls.",
    line: (what: string, kinds: string) => `${what}, caused by ${kinds}`,
  },
};

/** Type of the texts in both languages. */
export type SourceTexts = typeof sources;

/** Returns the texts in the reader's language. */
export const useSourceTexts = createTextsHook(sources, zh);
