/** A list that the server gives page by page. */
import { useCallback, useEffect, useRef, useState } from "react";
import { useRequest, type RequestState } from "./useRequest";

/** One page, and what `before` is for the next; null on the last. */
export interface Page<T> {
  items: T[];
  next: string | null;
}

/** Everything that was read so far, and how the last reading went. */
interface PagedList<T> extends RequestState {
  /** Null until the first page is there. */
  items: T[] | null;
  next: string | null;
  more: () => void;
  reload: () => void;
}

/** Reads the first page whenever `read` is another function. */
export function usePages<T>(read: (before?: string) => Promise<Page<T>>): PagedList<T> {
  const [asking, ask] = useRequest<Page<T>>();
  const [shown, setShown] = useState<Page<T> | null>(null);
  const turn = useRef(0);
  const load = useCallback(
    async (before: Page<T> | null) => {
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
    error: asking.error,
    more: () => void load(shown),
    reload: () => void load(null),
  };
}
