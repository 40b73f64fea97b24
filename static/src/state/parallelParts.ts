/** Parallel parts of a plan item, which are shown next to each other. */
import type { Message, Task } from "../protocol";
import type { PlacedRow, Row } from "./timeline";

/** Part of a plan item. */
export interface PlanPart {
  /** Number of the item, starting at 1. */
  number: number;
  /** Number of the part, starting at 0. */
  part: number;
}

/** Work of one executor on one part: its turns, up to the result. */
export interface PartColumn {
  part: number;
  agent: string;
  /** Messages of the part; `message` is null while an agent is writing it. */
  messages: { id: string; message: Message | null }[];
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

/** Groups the rows of all parts of an item if there are several parts. */
export function groupParallelParts(rows: PlacedRow[]): PlacedRow[] {
  const steps = new Map<string, PlacedRow[]>();
  for (const row of rows)
    if (row.step && row.part) steps.set(row.step, [...(steps.get(row.step) ?? []), row]);
  const parallelSteps = new Map(
    [...steps].filter(([, own]) => new Set(own.map((one) => one.part!.part)).size > 1),
  );
  if (parallelSteps.size === 0) return rows;
  const otherRows = rows.filter((row) => !row.step || !row.part || !parallelSteps.has(row.step));
  return [...otherRows, ...[...parallelSteps].map(([step, own]) => mergeParts(step, own))];
}

function mergeParts(step: string, rows: PlacedRow[]): PlacedRow {
  const columns = new Map<number, PartColumn>();
  for (const row of [...rows].sort((a, b) => a.seq - b.seq)) {
    const { part } = row.part!;
    const column = columns.get(part) ?? { part, agent: row.agent ?? "", messages: [] };
    const { id, message } = row.row as Row & { kind: "message" };
    columns.set(part, { ...column, messages: [...column.messages, { id, message }] });
  }
  return {
    seq: Math.min(...rows.map((row) => row.seq)),
    row: {
      kind: "side",
      key: `side ${step}`,
      number: rows[0]!.part!.number,
      columns: [...columns.values()].sort((a, b) => a.part - b.part),
    },
  };
}

/** Returns whether both show the same content. */
export function areColumnsEqual(a: PartColumn[], b: PartColumn[]): boolean {
  const flat = (columns: PartColumn[]) => columns.flatMap((column) => [column.part, ...column.messages]);
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
