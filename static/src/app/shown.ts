/** What is being looked at: the row or the call that led to it may scroll out of sight meanwhile. */
import type { FileId } from "../protocol";
import type { Hit } from "../wire/knowledge";
import { held } from "./held";

/** A passage of a knowledge base. */
interface Passage {
  base: number;
  hit: Hit;
  /** What the search looked for. */
  query: string;
}

const file = held<FileId | null>(null);
const passage = held<Passage | null>(null);

/** Shows this version of a file; null: none any more. */
export const showFile = file.set;
/** Which version is shown. */
export const useShownFile = file.use;
/** Shows this passage; null: none any more. */
export const showPassage = passage.set;
/** Which one is shown. */
export const useShownPassage = passage.use;
