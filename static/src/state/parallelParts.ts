/** Parts of one step of the plan that are done at the same time stand side by side, not below each other. */
import type { Message, Task } from "../protocol";
import type { PlacedRow, Row } from "./timeline";

/** A part of a step of the plan. */
export interface PlanPart {
  /** The number of the step, from 1. */
  number: number;
  /** From 0. */
  part: number;
}

/** What one executor does for one part: its turns, from the first to the result. */
export interface PartColumn {
  part: number;
  agent: string;
  items: { id: string; message: Message | null }[];
}

/** The part as a word of a text. */
export function partKey(task: Task | undefined): string {
  return task?.kind === "execute" ? `${task.number}:${task.part ?? 0}` : "-";
}

/** The part that the word is for. */
export function parsePartKey(key: string | undefined): PlanPart | undefined {
  const [number, part] = (key ?? "-").split(":").map(Number) as [number, number | undefined];
  return part === undefined ? undefined : { number, part };
}

/** The places with all parts of a step in one, where there are several. */
export function groupParallelParts(places: PlacedRow[]): PlacedRow[] {
  const steps = new Map<string, PlacedRow[]>();
  for (const place of places)
    if (place.step && place.part) steps.set(place.step, [...(steps.get(place.step) ?? []), place]);
  const several = new Map([...steps].filter(([, own]) => new Set(own.map((one) => one.part!.part)).size > 1));
  if (several.size === 0) return places;
  const alone = places.filter((place) => !place.step || !place.part || !several.has(place.step));
  return [...alone, ...[...several].map(([step, own]) => mergeParts(step, own))];
}

function mergeParts(step: string, places: PlacedRow[]): PlacedRow {
  const columns = new Map<number, PartColumn>();
  for (const place of [...places].sort((a, b) => a.seq - b.seq)) {
    const { part } = place.part!;
    const column = columns.get(part) ?? { part, agent: place.agent ?? "", items: [] };
    const { id, message } = place.row as Row & { kind: "message" };
    columns.set(part, { ...column, items: [...column.items, { id, message }] });
  }
  return {
    seq: Math.min(...places.map((place) => place.seq)),
    row: {
      kind: "side",
      key: `side ${step}`,
      number: places[0]!.part!.number,
      columns: [...columns.values()].sort((a, b) => a.part - b.part),
    },
  };
}

/** Whether they show the same. */
export function areColumnsEqual(a: PartColumn[], b: PartColumn[]): boolean {
  const flat = (columns: PartColumn[]) => columns.flatMap((column) => [column.part, ...column.items]);
  const [left, right] = [flat(a), flat(b)];
  return (
    left.length === right.length &&
    left.every((one, i) => {
      const other = right[i]!;
      if (typeof one === "number" || typeof other === "number") return one === other;
      return one.id === other.id && one.message === other.message;
    })
  );
}
