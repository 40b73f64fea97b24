/** Requests to the server, as hooks: with a response, without one, page by page, or for a text. */
import { useCallback, useState, useEffect, useRef } from "react";
import { useWords } from "../i18n/locale";
import { ApiError } from "../wire/rest";
import { fetchText, type TextPreview } from "../wire/content";
import { useLive } from "./hooks";

/** State of a request. */
export interface RequestState {
  busy: boolean;
  error: string | null;
}

/** State of a request with its response. */
interface RequestResult<T> extends RequestState {
  data: T | null;
}

/** Returns the state of a request and a function that sends it. */
export function useRequest<T>(): [RequestResult<T>, (request: () => Promise<T>) => Promise<T | null>] {
  const words = useWords();
  const [status, setStatus] = useState<RequestResult<T>>({ busy: false, data: null, error: null });
  const ask = useCallback(
    async (request: () => Promise<T>) => {
      setStatus({ busy: true, data: null, error: null });
      try {
        const answer = await request();
        setStatus({ busy: false, data: answer, error: null });
        return answer;
      } catch (error) {
        const said = error instanceof ApiError ? error.body.message : "";
        setStatus({ busy: false, data: null, error: said || words.common.unreachable });
        return null;
      }
    },
    [words],
  );
  return [status, ask];
}

/**
 * Returns the state of a request without a response, and a function that sends it; `then` is called only after success.
 */
export function useMutation(): [
  RequestState,
  (request: () => Promise<unknown>, then?: () => void) => Promise<void>,
] {
  const [status, ask] = useRequest<true>();
  const send = useCallback(
    async (request: () => Promise<unknown>, then?: () => void) => {
      if (await ask(() => request().then(() => true))) then?.();
    },
    [ask],
  );
  return [status, send];
}

/** One page, and the parameter `before` of the next one; null on the last page. */
interface Page<T> {
  items: T[];
  next: string | null;
}

/** All loaded items, and the state of the last request. */
interface PagedList<T> extends RequestState {
  /** Null until the first page arrives. */
  items: T[] | null;
  next: string | null;
  more: () => void;
  reload: () => void;
}

/** Loads the first page whenever `read` changes. */
export function usePages<T>(read: (before?: string) => Promise<Page<T>>): PagedList<T> {
  const [status, ask] = useRequest<Page<T>>();
  const [shown, setShown] = useState<Page<T> | null>(null);
  const turn = useRef(0);
  const load = useCallback(
    async (before: Page<T> | null) => {
      const mine = ++turn.current;
      const page = await ask(() => read(before?.next ?? undefined));
      // Another list has been requested in the meantime.
      if (!page || mine !== turn.current) return;
      setShown({ items: [...(before?.items ?? []), ...page.items], next: page.next });
    },
    [ask, read],
  );
  useEffect(() => void load(null), [load]);
  return {
    items: shown?.items ?? null,
    next: shown?.next ?? null,
    busy: status.busy,
    error: status.error,
    more: () => void load(shown),
    reload: () => void load(null),
  };
}

/** Returns the preview of a text from the server. */
export function useTextContent(url: string): RequestResult<TextPreview> {
  const [status, ask] = useRequest<TextPreview>();
  useEffect(() => {
    const gone = new AbortController();
    void ask(() => fetchText(url, gone.signal));
    return () => gone.abort();
  }, [url, ask]);
  return status;
}

/** Returns a number that changes when lists should be fetched again; 0 while offline. */
export function useRefreshTrigger(): number {
  const live = useLive();
  const [times, setTimes] = useState(1);
  useEffect(() => {
    const again = () => document.visibilityState === "visible" && setTimes((n) => n + 1);
    document.addEventListener("visibilitychange", again);
    return () => document.removeEventListener("visibilitychange", again);
  }, []);
  return live ? times : 0;
}
