/** What a call brought, also where the snapshot left it out: then it is fetched from the log. */
import { useEffect, useState } from "react";
import type { SessionId } from "../../protocol";
import { isOver, type CallTrace } from "../../state/calls";
import { resultOf, type Result } from "../../app/log";

/** Null while it is not known; the fetched one is asked for as long as `wanted`. */
export function useResult(session: SessionId, call: CallTrace, wanted: boolean): Result | null {
  const [fetched, setFetched] = useState<Result | null>(null);
  const known: Result | null =
    call.output != null ? { output: call.output } : call.error ? { error: call.error } : null;
  const fetches = wanted && !known && !fetched && isOver(call);
  useEffect(() => {
    if (!fetches) return;
    let gone = false;
    void resultOf(session, call.id).then(
      (result) => !gone && setFetched(result ?? {}),
      () => !gone && setFetched({}),
    );
    return () => {
      gone = true;
    };
  }, [fetches, session, call.id]);
  return known ?? fetched;
}
