/**
 * English texts for comments on the content of a gate, loaded on demand. `comments.zh.ts` has the same keys.
 */
import { createTextsHook } from "./locale";
import { pluralize } from "./pluralize";
import { comments as zh } from "./comments.zh";

export const comments = {
  title: (open: number) => (open ? pluralize(open, "open comment", "open comments") : "Comments"),
  held: "Open comments hold this decision: approvals count once each of them is resolved. Rejections count at once.",
  where: "About",
  whole: "Everything",
  line: (n: number) => `line ${n}`,
  outdated: (rev: number) => `outdated: about version ${rev}`,
  files: "Files",
  gone: "Changed since: choose again",
  newer:
    "This file has a newer version or was removed. Your text is kept: open the newest version to comment on it.",
  lineNumber: "Line",
  decision: "Decision",
  resolvedBy: (name: string) => `resolved by ${name}`,
  text: "Comment",
  reply: "Reply",
  send: "Send comment",
  resolve: "Resolve",
  reopen: "Open again",
  delete: "Delete",
  erased: "This comment was deleted.",
  means: "Agents read open comments only if this is not approved.",
};

/** Type of the texts in both languages. */
export type CommentTexts = typeof comments;

/** Returns the texts in the reader's language. */
export const useCommentTexts = createTextsHook(comments, zh);
