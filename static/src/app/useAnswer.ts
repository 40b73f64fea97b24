/** One request to the server: under way, answered, or refused in its words. */
import { useCallback, useState } from "react";
import { useWords } from "../i18n/locale";
import { Refusal } from "../wire/rest";

/** How it stands, whatever is asked. */
export interface Asked {
  busy: boolean;
  refusal: string | null;
}

/** The same, with the answer. */
export interface Asking<T> extends Asked {
  answer: T | null;
}

/** The request and a way to make it. */
export function useAnswer<T>(): [Asking<T>, (request: () => Promise<T>) => Promise<T | null>] {
  const words = useWords();
  const [asking, setAsking] = useState<Asking<T>>({ busy: false, answer: null, refusal: null });
  const ask = useCallback(
    async (request: () => Promise<T>) => {
      setAsking({ busy: true, answer: null, refusal: null });
      try {
        const answer = await request();
        setAsking({ busy: false, answer, refusal: null });
        return answer;
      } catch (error) {
        const said = error instanceof Refusal ? error.body.message : "";
        setAsking({ busy: false, answer: null, refusal: said || words.common.unreachable });
        return null;
      }
    },
    [words],
  );
  return [asking, ask];
}
