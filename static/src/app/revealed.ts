/** The row of a conversation that the reader asked to see, from another region of the page. */
import type { SessionId } from "../protocol";
import { held } from "./held";

interface Revealed {
  session: SessionId;
  /** Its key, or the id of a message that stands in it. */
  row: string;
}

const wanted = held<Revealed | null>(null);

/** Asks for this row; null: it is on screen, or there is none. */
export const reveal = wanted.set;
/** The row that is asked for and not on screen yet. */
export const useRevealed = wanted.use;
