/** Parallel parts of a plan step, which are shown next to each other. */
import type { Message, Task } from "../protocol";
import type { PlacedRow, Row } from "./timeline";

/** Part of a plan step. */
export interface PlanPart {
  /** Number of the step, starting at 1. */
  number: number;
  /** Number of the part, starting at 0. */
  part: number;
}

/** Work of one executor on one part: its turns, up to the result. */
export interface PartColumn {
  part: number;
  agent: string;
  items: { id: string; message: Message | null }[];
}

/** Returns a text that identifies the part. */
export function partKey(task: Task | undefined): string {
  return task?.kind === "execute" ? `${task.number}:${task.part ?? 0}` : "-";
}

/** Returns the part that the text identifies. */
export function parsePartKey(key: string | undefined): PlanPart | undefined {
  const [number, part] = (key ?? "-").split(":").map(Number) as [number, number | undefined];
  return part === undefined ? undefined : { number, part };
}

/** Groups the rows of all parts of a step if there are several parts. */
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

/** Returns whether both show the same content. */
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
