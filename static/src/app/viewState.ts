/** View state that several regions of the page share: previews, the scroll target, expanded rows. */
import type { FileId, SessionId } from "../protocol";
import type { PassageHit } from "../wire/knowledge";
import { atom } from "./atom";
import { useCallback, useState } from "react";

/** Passage of a knowledge base. */
interface PreviewedPassage {
  base: number;
  hit: PassageHit;
  /** Query of the search. */
  query: string;
}

const file = atom<FileId | null>(null);
const passage = atom<PreviewedPassage | null>(null);

/** Opens this version of a file; null closes the preview. */
export const previewFile = file.set;
/** Returns the open version. */
export const usePreviewedFile = file.use;
/** Opens this passage; null closes the preview. */
export const previewPassage = passage.set;
/** Returns the open passage. */
export const usePreviewedPassage = passage.use;

interface ScrollTarget {
  session: SessionId;
  /** Key of the row, or id of a message in it. */
  row: string;
}

const target = atom<ScrollTarget | null>(null);

/** Requests to scroll to this row; null ends the request. */
export const scrollToRow = target.set;
/** Returns the requested row that is not on screen yet. */
export const useScrollTarget = target.use;

const expanded = new Set<string>();

/** Returns whether the row is expanded, and a function that toggles it. */
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
