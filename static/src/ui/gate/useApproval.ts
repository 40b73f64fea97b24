/** My approval of a gate: sent at once, or for what cannot be taken back after some seconds in which it can be undone. */
import type { Gate, SessionId } from "../../protocol";
import { useClient } from "../../app/hooks";
import { focusApprove } from "./focus";
import { useHold, useRisky, type Hold } from "./useHold";

export interface Approval extends Hold {
  approve: () => void;
}

export function useApproval(session: SessionId, gate: Gate, can: boolean): Approval {
  const client = useClient();
  const risky = useRisky(session, gate);
  const send = () => {
    if (can) client.vote(session, gate, "approve");
  };
  // What was approved is what stood there: a gate that somebody changed meanwhile is looked at again.
  const hold = useHold(can ? gate.rev : null, send);
  return {
    ...hold,
    approve: risky ? hold.hold : send,
    undo: () => {
      hold.undo();
      requestAnimationFrame(focusApprove);
    },
  };
}
