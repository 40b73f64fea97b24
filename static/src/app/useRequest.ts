/** One request to the server: under way, answered, or refused in its words. */
import { useCallback, useState } from "react";
import { useWords } from "../i18n/locale";
import { ApiError } from "../wire/rest";

/** How it stands, whatever is asked. */
export interface RequestState {
  busy: boolean;
  error: string | null;
}

/** The same, with the answer. */
export interface RequestResult<T> extends RequestState {
  data: T | null;
}

/** The request and a way to make it. */
export function useRequest<T>(): [RequestResult<T>, (request: () => Promise<T>) => Promise<T | null>] {
  const words = useWords();
  const [asking, setAsking] = useState<RequestResult<T>>({ busy: false, data: null, error: null });
  const ask = useCallback(
    async (request: () => Promise<T>) => {
      setAsking({ busy: true, data: null, error: null });
      try {
        const answer = await request();
        setAsking({ busy: false, data: answer, error: null });
        return answer;
      } catch (error) {
        const said = error instanceof ApiError ? error.body.message : "";
        setAsking({ busy: false, data: null, error: said || words.common.unreachable });
        return null;
      }
    },
    [words],
  );
  return [asking, ask];
}
