/** What a call brought, also where the snapshot left it out: then it is fetched from the log. */
import { useEffect, useState } from "react";
import type { SessionId } from "../../protocol";
import { isFinished, type CallTrace } from "../../state/calls";
import { fetchCallResult, type CallResult } from "../../app/eventLog";

/** Null while it is not known; the fetched one is asked for as long as `wanted`. */
export function useCallResult(session: SessionId, call: CallTrace, wanted: boolean): CallResult | null {
  const [fetched, setFetched] = useState<CallResult | null>(null);
  const known: CallResult | null =
    call.output != null ? { output: call.output } : call.error ? { error: call.error } : null;
  const fetches = wanted && !known && !fetched && isFinished(call);
  useEffect(() => {
    if (!fetches) return;
    let gone = false;
    void fetchCallResult(session, call.id).then(
      (result) => !gone && setFetched(result ?? {}),
      () => !gone && setFetched({}),
    );
    return () => {
      gone = true;
    };
  }, [fetches, session, call.id]);
  return known ?? fetched;
}
