/** The row of a conversation that the reader asked to see, from another region of the page. */
import type { SessionId } from "../protocol";
import { atom } from "./atom";

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
