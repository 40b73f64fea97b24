/** The beginning of a text that the server has. */
import { useEffect } from "react";
import { textOf, type Beginning } from "../wire/content";
import { useAnswer, type Asking } from "./useAnswer";

export function useText(url: string): Asking<Beginning> {
  const [asking, ask] = useAnswer<Beginning>();
  useEffect(() => {
    const gone = new AbortController();
    void ask(() => textOf(url, gone.signal));
    return () => gone.abort();
  }, [url, ask]);
  return asking;
}
