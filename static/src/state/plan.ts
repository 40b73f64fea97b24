/** The plan of the run: proposed, edited and followed. */
import type { PlanItem, PlanItemState } from "../protocol";
import type { EventOf } from "../wire/frames";
import type { SessionState } from "./model";
import { updateRun } from "./run";

/** Separator of the parallel parts of an item. */
const SEPARATOR = "<sep>";

/** Applies a replacement of the plan. */
export function applyPlan(
  session: SessionState,
  { data }: EventOf<"plan.proposed"> | EventOf<"plan.edited">,
): SessionState {
  return updateRun(session, { plan: data.plan });
}

/** Applies a new state of an item. */
export function applyItemChanged(
  session: SessionState,
  { data }: EventOf<"plan.item_changed">,
): SessionState {
  const plan = session.run?.plan;
  if (!plan) return session;
  const { number, state, note } = data;
  const items = plan.items.map((item, i) => (i + 1 === number ? advanceItem(item, state, note) : item));
  return updateRun(session, { plan: { ...plan, items } });
}

function advanceItem(item: PlanItem, state: PlanItemState, note: string | undefined): PlanItem {
  const begun = state === "in_progress" && item.state !== "in_progress" ? 1 : 0;
  return { ...item, state, tries: (item.tries ?? 0) + begun, note: note || undefined };
}

/** Applies an edit before the decision. */
export function applyRevised(session: SessionState, { data }: EventOf<"gate.revised">): SessionState {
  return data.plan ? updateRun(session, { plan: data.plan }) : session;
}

/** Applies the decision about a plan. */
export function applyDecided(session: SessionState, { data }: EventOf<"gate.decided">): SessionState {
  const plan = session.run?.plan;
  const gate = session.gates.find((one) => one.id === data.gate);
  if (!plan || gate?.kind !== "plan") return session;
  const approved = data.outcome === "approved";
  return updateRun(session, { plan: { ...plan, approved, rejected: !approved } });
}

/** Returns the parallel parts of the item. */
export function splitParts(item: Pick<PlanItem, "action">): string[] {
  const parts = item.action
    .split(SEPARATOR)
    .map((part) => part.trim())
    .filter(Boolean);
  return parts.length > 0 ? parts : [item.action];
}

/** Returns the action of an item with these parts. */
export function joinParts(parts: string[]): string {
  return parts.join(SEPARATOR);
}
