/** The plan of the run, as it is proposed, edited and followed. */
import type { PlanItem, PlanItemState } from "../protocol";
import type { EventOf } from "../wire/frames";
import type { SessionState } from "./model";
import { updateRun } from "./run";

/** What parts a step into what is done side by side. */
const SEPARATOR = "<sep>";

/** The run follows another plan. */
export function applyPlan(
  session: SessionState,
  { data }: EventOf<"plan.proposed"> | EventOf<"plan.edited">,
): SessionState {
  return updateRun(session, { plan: data.plan });
}

/** A step came further. */
export function applyStepChanged(
  session: SessionState,
  { data }: EventOf<"plan.step_changed">,
): SessionState {
  const plan = session.run?.plan;
  if (!plan) return session;
  const { number, state, note } = data;
  const steps = plan.steps.map((step, i) => (i + 1 === number ? advanceStep(step, state, note) : step));
  return updateRun(session, { plan: { ...plan, steps } });
}

function advanceStep(step: PlanItem, state: PlanItemState, note: string | undefined): PlanItem {
  const begun = state === "in_progress" && step.state !== "in_progress" ? 1 : 0;
  return { ...step, state, tries: (step.tries ?? 0) + begun, note: note || undefined };
}

/** People changed it before they decided. */
export function applyRevised(session: SessionState, { data }: EventOf<"gate.revised">): SessionState {
  return data.plan ? updateRun(session, { plan: data.plan }) : session;
}

/** People confirmed it, or want another one. */
export function applyDecided(session: SessionState, { data }: EventOf<"gate.decided">): SessionState {
  const plan = session.run?.plan;
  const gate = session.gates.find((one) => one.id === data.gate);
  if (!plan || gate?.kind !== "plan") return session;
  const approved = data.outcome === "approved";
  return updateRun(session, { plan: { ...plan, approved, rejected: !approved } });
}

/** What of the step is done side by side. */
export function splitParts(step: Pick<PlanItem, "action">): string[] {
  const parts = step.action
    .split(SEPARATOR)
    .map((part) => part.trim())
    .filter(Boolean);
  return parts.length > 0 ? parts : [step.action];
}

/** The action of a step with these parts. */
export function joinParts(parts: string[]): string {
  return parts.join(SEPARATOR);
}
