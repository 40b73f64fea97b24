/** A request to the server of which nothing is wanted but that it is done. */
import { useCallback } from "react";
import { useAnswer, type Asked } from "./useAnswer";

/** How it stands, and a way to make it; `then` is for when it is done, and for nothing else. */
export function useRequest(): [Asked, (request: () => Promise<unknown>, then?: () => void) => Promise<void>] {
  const [asking, ask] = useAnswer<true>();
  const send = useCallback(
    async (request: () => Promise<unknown>, then?: () => void) => {
      if (await ask(() => request().then(() => true))) then?.();
    },
    [ask],
  );
  return [asking, send];
}
