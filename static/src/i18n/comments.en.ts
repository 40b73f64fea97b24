/** English texts for comments on the content of a gate, loaded on demand. `comments.zh.ts` has the same keys. */
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

/** Type of both languages. */
export type CommentTexts = typeof comments;

/** Returns the texts in the reader's language. */
export const useCommentTexts = createTextsHook(comments, zh);
