/** Requests to the server, as hooks: with a response, without one, page by page, or for text. */
import { useCallback, useState, useEffect, useRef } from "react";
import { useTexts } from "../i18n/locale";
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
  const texts = useTexts();
  const [status, setStatus] = useState<RequestResult<T>>({ busy: false, data: null, error: null });
  const send = useCallback(
    async (request: () => Promise<T>) => {
      setStatus({ busy: true, data: null, error: null });
      try {
        const response = await request();
        setStatus({ busy: false, data: response, error: null });
        return response;
      } catch (error) {
        const message = error instanceof ApiError ? error.body.message : "";
        setStatus({ busy: false, data: null, error: message || texts.common.unreachable });
        return null;
      }
    },
    [texts],
  );
  return [status, send];
}

/**
 * Returns the state of a request without a response, and a function that sends it; `then` is called only after success.
 */
export function useMutation(): [
  RequestState,
  (request: () => Promise<unknown>, then?: () => void) => Promise<void>,
] {
  const [status, sendRequest] = useRequest<true>();
  const send = useCallback(
    async (request: () => Promise<unknown>, then?: () => void) => {
      if (await sendRequest(() => request().then(() => true))) then?.();
    },
    [sendRequest],
  );
  return [status, send];
}

/** One page, and the `before` parameter of the next one, which is null on the last page. */
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
  const [status, send] = useRequest<Page<T>>();
  const [shown, setShown] = useState<Page<T> | null>(null);
  const turn = useRef(0);
  const load = useCallback(
    async (before: Page<T> | null) => {
      const ownTurn = ++turn.current;
      const page = await send(() => read(before?.next ?? undefined));
      // Another list has been requested in the meantime.
      if (!page || ownTurn !== turn.current) return;
      setShown({ items: [...(before?.items ?? []), ...page.items], next: page.next });
    },
    [send, read],
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

/** Returns the preview of the text at a URL of the server. */
export function useTextContent(url: string): RequestResult<TextPreview> {
  const [status, send] = useRequest<TextPreview>();
  useEffect(() => {
    const controller = new AbortController();
    void send(() => fetchText(url, controller.signal));
    return () => controller.abort();
  }, [url, send]);
  return status;
}

/** Returns a number that changes when lists should be fetched again; 0 while offline. */
export function useRefreshTrigger(): number {
  const live = useLive();
  const [times, setTimes] = useState(1);
  useEffect(() => {
    const refresh = () => document.visibilityState === "visible" && setTimes((n) => n + 1);
    document.addEventListener("visibilitychange", refresh);
    return () => document.removeEventListener("visibilitychange", refresh);
  }, []);
  return live ? times : 0;
}
