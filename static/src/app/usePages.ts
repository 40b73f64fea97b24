/** A list that the server gives page by page. */
import { useCallback, useEffect, useRef, useState } from "react";
import { useAnswer, type Asked } from "./useAnswer";

/** One page, and what `before` is for the next; null on the last. */
export interface PageOf<T> {
  items: T[];
  next: string | null;
}

/** Everything that was read so far, and how the last reading went. */
interface Pages<T> extends Asked {
  /** Null until the first page is there. */
  items: T[] | null;
  next: string | null;
  more: () => void;
  again: () => void;
}

/** Reads the first page whenever `read` is another function. */
export function usePages<T>(read: (before?: string) => Promise<PageOf<T>>): Pages<T> {
  const [asking, ask] = useAnswer<PageOf<T>>();
  const [shown, setShown] = useState<PageOf<T> | null>(null);
  const turn = useRef(0);
  const load = useCallback(
    async (before: PageOf<T> | null) => {
      const mine = ++turn.current;
      const page = await ask(() => read(before?.next ?? undefined));
      // Another list is wanted meanwhile.
      if (!page || mine !== turn.current) return;
      setShown({ items: [...(before?.items ?? []), ...page.items], next: page.next });
    },
    [ask, read],
  );
  useEffect(() => void load(null), [load]);
  return {
    items: shown?.items ?? null,
    next: shown?.next ?? null,
    busy: asking.busy,
    refusal: asking.refusal,
    more: () => void load(shown),
    again: () => void load(null),
  };
}
