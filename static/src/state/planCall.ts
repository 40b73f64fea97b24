/** Calls of the plan tool. */
import { isObject, parse } from "../json/lossless";
import type { Plan, PlanItem, PlanItemState } from "../protocol";

/** Name of the plan tool, which the server executes itself. */
export const PLAN_TOOL = "plan";

/** A plan in a call. */
export type PlanOutline = Pick<Plan, "items" | "title">;

/** States of an item that a call can set. */
const MARKABLE_STATES: readonly unknown[] = [
  "not_started",
  "in_progress",
  "completed",
  "blocked",
] satisfies PlanItemState[];

/** A call of the plan tool. */
export type PlanCall =
  | { command: "create" | "update"; plan: PlanOutline }
  | { command: "mark_item"; number: number; state: PlanItemState; note?: string }
  | { command: "finish" };

/** Parses the arguments of a call of the plan tool. Returns null for arguments that the tool does not accept. */
export function parsePlanCall(json: string): PlanCall | null {
  const input = objectIn(json);
  switch (input?.command) {
    case "create":
    case "update":
      return { command: input.command, plan: { title: text(input.title), items: itemsOf(input.items) } };
    case "mark_item": {
      // Without a state, the item is completed.
      const { item_status: state = "completed" } = input;
      if (typeof input.item_index !== "number" || !MARKABLE_STATES.includes(state)) return null;
      const number = input.item_index + 1;
      return { command: "mark_item", number, state: state as PlanItemState, note: text(input.item_notes) };
    }
    case "finish":
      return { command: "finish" };
    default:
      return null;
  }
}

/** Returns the plan in the tool's result, or null. */
export function parsePlan(json: string): PlanOutline | null {
  const input = objectIn(json);
  if (!input || !Array.isArray(input.items)) return null;
  const items = input.items.filter(
    (item): item is PlanItem => isObject(item) && typeof item.action === "string",
  );
  return items.length === input.items.length ? { title: text(input.title), items } : null;
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
