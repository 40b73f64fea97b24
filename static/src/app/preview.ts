/** What is being looked at: the row or the call that led to it may scroll out of sight meanwhile. */
import type { FileId } from "../protocol";
import type { PassageHit } from "../wire/knowledge";
import { atom } from "./atom";

/** A passage of a knowledge base. */
interface PreviewedPassage {
  base: number;
  hit: PassageHit;
  /** What the search looked for. */
  query: string;
}

const file = atom<FileId | null>(null);
const passage = atom<PreviewedPassage | null>(null);

/** Shows this version of a file; null: none any more. */
export const previewFile = file.set;
/** Which version is shown. */
export const usePreviewedFile = file.use;
/** Shows this passage; null: none any more. */
export const previewPassage = passage.set;
/** Which one is shown. */
export const usePreviewedPassage = passage.use;
