/** A session in which a call waits at a gate, and the events of standing permissions. */
import type { Actor, StandingPermission } from "../../src/protocol";
import type { AppState, SessionState } from "../../src/state/model";
import type { EventFrame } from "../../src/wire/frames";
import { flowLog } from "../state/flows";
import { after, ann, joinedAll, SESSION, system, welcome } from "../state/log";

/** Seq at which the call `t_22` waits at the gate `g_25`. */
const ASKED = 25;

type Fact = EventFrame extends infer E ? (E extends EventFrame ? Pick<E, "event" | "data"> : never) : never;

export function permission(id: string, how: Partial<StandingPermission> = {}): StandingPermission {
  return {
    id,
    gate: "g_25",
    agent: "Reader",
    tool: "mcp_shop_restart",
    risk: "high",
    uses: 0,
    granted_by: [ann.id],
    granted_at: "2026-11-21T22:01:00.000Z",
    ...how,
  };
}

export const granted = (given: StandingPermission): Fact => ({
  event: "permission.granted",
  data: { permission: given },
});

export const checked = (call: string, standing?: string): Fact => ({
  event: "tool.checked",
  data: { call, run: "r_5", permission: "allow", idempotent: false, risk: "high", standing },
});

/** The events after the gate was opened, a second apart. */
export function eventsAfterGate(facts: Fact[], by: Actor = system): EventFrame[] {
  return facts.map((fact, i) => {
    const at = `2026-11-21T22:01:${String(i).padStart(2, "0")}.000Z`;
    return { type: "event", session: SESSION, seq: ASKED + 1 + i, at, by, ...fact } as EventFrame;
  });
}

/** The state after these events. */
export function appAfter(facts: Fact[], by?: Actor): AppState {
  const events = [...flowLog.slice(0, ASKED), ...eventsAfterGate(facts, by)];
  return after([welcome, joinedAll(events.length), ...events]);
}

export function sessionAfter(facts: Fact[]): SessionState {
  return appAfter(facts).sessions[SESSION]!;
}
