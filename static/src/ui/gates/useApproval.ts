/** My approval of a gate: sent at once, or for what cannot be taken back after some seconds in which it can be undone. */
import type { Gate, SessionId } from "../../protocol";
import { useClient, useLive } from "../../app/hooks";
import { focusApprove } from "./focus";
import { useDelayedApproval, useIsIrreversible, type DelayedApproval } from "./useDelayedApproval";

export interface Approval extends DelayedApproval {
  approve: () => void;
}

/** `seen`: what is approved is on screen, with the way to undo it. */
export function useApproval(session: SessionId, gate: Gate, can: boolean, seen: boolean): Approval {
  const client = useClient();
  const live = useLive();
  const risky = useIsIrreversible(session, gate);
  const send = () => {
    if (can) client.vote(session, gate, "approve");
  };
  const hold = useDelayedApproval({
    session,
    gate: gate.id,
    // What was approved is what stood there: a gate that somebody changed meanwhile is looked at again.
    key: can && seen ? gate.rev : null,
    reason: !live ? "offline" : seen ? "changed" : "left",
    send,
  });
  return {
    ...hold,
    approve: risky ? hold.hold : send,
    undo: () => {
      hold.undo();
      requestAnimationFrame(focusApprove);
    },
  };
}
