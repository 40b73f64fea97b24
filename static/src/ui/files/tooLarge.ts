/** A refusal of what is too large, in the reader's words and units. */
import type { ErrorBody } from "../../protocol";
import type { Words } from "../../i18n/en";
import type { Format } from "../../i18n/locale";

/** Null where it was refused for another reason. */
export function tooLarge(refused: ErrorBody, size: number, words: Words, format: Format): string | null {
  if (refused.code !== "too_large") return null;
  const [has, most] = format.against(size, boundIn(refused.message));
  return most ? words.files.tooLarge(has, most) : words.files.tooLargeHere(has);
}

/** The bound, which the server says in its words alone. */
export function boundIn(message: string): number | null {
  const most = /(\d+) bytes at most/.exec(message)?.[1];
  return most ? Number(most) : null;
}
