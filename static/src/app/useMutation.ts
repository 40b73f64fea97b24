/** A request to the server of which nothing is wanted but that it is done. */
import { useCallback } from "react";
import { useRequest, type RequestState } from "./useRequest";

/** How it stands, and a way to make it; `then` is for when it is done, and for nothing else. */
export function useMutation(): [
  RequestState,
  (request: () => Promise<unknown>, then?: () => void) => Promise<void>,
] {
  const [asking, ask] = useRequest<true>();
  const send = useCallback(
    async (request: () => Promise<unknown>, then?: () => void) => {
      if (await ask(() => request().then(() => true))) then?.();
    },
    [ask],
  );
  return [asking, send];
}
