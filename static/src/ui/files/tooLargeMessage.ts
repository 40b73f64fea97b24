/** A refusal of what is too large, in the reader's words and units. */
import type { ErrorBody } from "../../protocol";
import type { Words } from "../../i18n/en";
import type { Format } from "../../i18n/locale";

/** Null where it was refused for another reason. */
export function tooLargeMessage(
  refused: ErrorBody,
  size: number,
  words: Words,
  format: Pick<Format, "against">,
): string | null {
  if (refused.code !== "too_large") return null;
  const bound = refused.details?.most;
  const [has, most] = format.against(size, typeof bound === "number" ? bound : null);
  return most ? words.files.tooLarge(has, most) : words.files.tooLargeHere(has);
}
