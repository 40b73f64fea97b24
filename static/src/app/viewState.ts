/** View state that more than one region of the page shares: previews, the scroll target, expanded rows. */
import type { FileId, SessionId } from "../protocol";
import type { PassageHit } from "../wire/knowledge";
import { atom } from "./atom";
import { useCallback, useState } from "react";

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

interface ScrollTarget {
  session: SessionId;
  /** Its key, or the id of a message that stands in it. */
  row: string;
}

const target = atom<ScrollTarget | null>(null);

/** Asks for this row; null: it is on screen, or there is none. */
export const scrollToRow = target.set;
/** The row that is asked for and not on screen yet. */
export const useScrollTarget = target.use;

const expanded = new Set<string>();

/** Whether it is open, and how to turn that round. */
export function useExpanded(key: string): [boolean, () => void] {
  const [open, setOpen] = useState(() => expanded.has(key));
  const toggle = useCallback(() => {
    const next = !expanded.has(key);
    if (next) expanded.add(key);
    else expanded.delete(key);
    setOpen(next);
  }, [key]);
  return [open, toggle];
}
