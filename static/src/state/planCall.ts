/** What an agent says with the tool that keeps the plan. */
import { isObject, parse } from "../json/lossless";
import type { Plan, PlanItem, PlanItemState } from "../protocol";

/** The tool that keeps the plan; the server answers it itself. */
export const PLAN_TOOL = "plan";

/** A plan as a call tells it. */
export type PlanOutline = Pick<Plan, "items" | "title">;

/** How a call may say that an item stands. */
const MARKABLE_STATES: readonly unknown[] = [
  "not_started",
  "in_progress",
  "completed",
  "blocked",
] satisfies PlanItemState[];

/** One such call. */
export type PlanCall =
  | { command: "create" | "update"; plan: PlanOutline }
  | { command: "mark_item"; number: number; state: PlanItemState; note?: string }
  | { command: "finish" };

/** Null where it is none that the tool knows. */
export function parsePlanCall(json: string): PlanCall | null {
  const told = objectIn(json);
  switch (told?.command) {
    case "create":
    case "update":
      return { command: told.command, plan: { title: text(told.title), items: itemsOf(told.items) } };
    case "mark_item": {
      // Of an item that nothing more is said of it says that it is done.
      const { item_status: state = "completed" } = told;
      if (typeof told.item_index !== "number" || !MARKABLE_STATES.includes(state)) return null;
      const number = told.item_index + 1;
      return { command: "mark_item", number, state: state as PlanItemState, note: text(told.item_notes) };
    }
    case "finish":
      return { command: "finish" };
    default:
      return null;
  }
}

/** The plan as the tool gives it back; null where it gives back something else. */
export function parsePlan(json: string): PlanOutline | null {
  const told = objectIn(json);
  if (!told || !Array.isArray(told.items)) return null;
  const items = told.items.filter(
    (item): item is PlanItem => isObject(item) && typeof item.action === "string",
  );
  return items.length === told.items.length ? { title: text(told.title), items } : null;
}

function itemsOf(list: unknown): PlanItem[] {
  if (!Array.isArray(list)) return [];
  return list.filter((item) => typeof item === "string").map((action) => ({ action }));
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value ? value : undefined;
}

function objectIn(json: string): Record<string, unknown> | null {
  try {
    const value = parse(json);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
