/** Rows of the timeline, in log order. */
import type { File, Gate, Message } from "../protocol";
import { seqOf } from "../wire/frames";
import type { CallTrace } from "./calls";
import { restoredFrom } from "./files";
import type { Note, PendingCommand, SessionState } from "./model";
import { partKey, parsePartKey, groupParallelParts, type PartColumn, type PlanPart } from "./parallelParts";

/** One row. A message keeps its key from the first delta to the final text, so that nothing jumps. */
export type Row =
  | { kind: "older"; key: string }
  | { kind: "step"; key: string; step: string; agents: string[]; message: string }
  | { kind: "message"; key: string; id: string; message: Message | null; under: "step" | "same" | null }
  | { kind: "side"; key: string; number: number; columns: PartColumn[] }
  | { kind: "call"; key: string; call: CallTrace }
  | { kind: "gate"; key: string; gate: Gate }
  | { kind: "note"; key: string; note: Note }
  | { kind: "files"; key: string; files: File[]; back: number | null }
  | { kind: "new"; key: string; messages: number; decisions: number }
  | { kind: "pending"; key: string; pending: PendingCommand };

/** Input of the rows. Deltas change none of it, so streaming does not rebuild rows. */
export type RowSource = Pick<
  SessionState,
  "messages" | "gates" | "notes" | "inbox" | "pending" | "more" | "calls" | "files"
> & {
  /** Ids, steps, agents and tasks of the running messages as one string, which changes when one starts or ends. */
  running: string;
  /** True while agents work: my messages are then shown with the waiting ones, not in the conversation. */
  busy: boolean;
};

/** Events after one seq, up to and including another. */
export interface SeqRange {
  after: number;
  through: number;
}

/** A row before it is sorted among the others. */
export interface PlacedRow {
  seq: number;
  step?: string;
  agent?: string;
  by?: string;
  at?: string;
  /** Part of a plan item that the row belongs to. */
  part?: PlanPart;
  row: Row;
}

/** Minutes after which the same author's next message gets another heading. */
const SAME_MINUTES = 5;

/** Returns the seq of the newest message in the rows, or 0. */
export function newestSeq(rows: Row[]): number {
  return rows.flatMap(seqsOf).reduce((newest, seq) => Math.max(newest, seq), 0);
}

/** Returns the number of messages after a seq. */
export function countAfter(rows: Row[], seq: number): number {
  return rows.flatMap(seqsOf).filter((rowSeq) => rowSeq > seq).length;
}

/** Returns the index of the row with this key, or of the row with this message, or -1. */
export function rowIndexOf(rows: Row[], key: string): number {
  return rows.findIndex(
    (row) =>
      row.key === key ||
      (row.kind === "side" && row.columns.some(({ messages }) => messages.some(({ id }) => id === key))),
  );
}

function seqsOf(row: Row): number[] {
  if (row.kind === "message") return [seqOf(row.id)];
  return row.kind === "side"
    ? row.columns.flatMap(({ messages }) => messages.map(({ id }) => seqOf(id)))
    : [];
}

/** Returns the running messages as one string. */
export function runningKey(session: SessionState): string {
  return Object.values(session.streaming)
    .map((running) => `${running.message} ${running.step} ${running.agent} ${partKey(running.task)}`)
    .join("\n");
}

/** Builds all rows. `unread` is the range of events since the reader left, or null. */
export function buildRows(source: RowSource, unread: SeqRange | null, me: string | null): Row[] {
  const messages = groupParallelParts([...messagePlaces(source)]);
  const places = [...messages, ...otherPlaces(source)].sort((a, b) => a.seq - b.seq);
  const agents = agentsOfSteps(places);
  const rows: Row[] = source.more ? [{ kind: "older", key: "older" }] : [];
  let step: string | undefined;
  let last: PlacedRow | undefined;
  let marked = unread === null;
  for (const place of places) {
    if (!marked && isWithin(unread!, place.seq) && place.by !== me) {
      rows.push(unreadRow(places, unread!));
      marked = true;
      last = undefined;
    }
    const { row } = place;
    if (place.step && place.step !== step && row.kind === "message") {
      step = place.step;
      rows.push({
        kind: "step",
        key: `step ${step}`,
        step,
        agents: agents.get(step) ?? [],
        message: row.id,
      });
    }
    if (row.kind === "message") row.under = groupingOf(place, last, agents);
    const before = rows.at(-1);
    // Files that someone adds at the same time share one row.
    if (row.kind === "files" && before?.kind === "files" && isSameGroup(before, row))
      before.files.push(...row.files);
    else rows.push(row);
    last = row.kind === "message" ? place : undefined;
  }
  for (const pending of source.pending) {
    if (pending.command.do === "say" && (pending.error || !source.busy))
      rows.push({ kind: "pending", key: pending.command.id, pending });
  }
  return rows;
}

function* messagePlaces(source: RowSource): Generator<PlacedRow> {
  const elsewhere = new Set(source.inbox.map((queued) => queued.message));
  // The comment of a vote is shown with its decision, and an answer with its question.
  for (const gate of source.gates) {
    if (!gate.decision) continue;
    for (const vote of gate.votes ?? []) if (vote.message) elsewhere.add(vote.message);
    if (gate.call && gate.decision.message) elsewhere.add(gate.decision.message);
  }
  for (const message of source.messages) {
    if (elsewhere.has(message.id)) continue;
    const agent = message.by.kind === "agent" ? message.by.id : undefined;
    yield {
      seq: seqOf(message.id),
      step: message.step ?? undefined,
      agent,
      by: message.by.id,
      at: message.at,
      part: parsePartKey(partKey(message.task)),
      row: { kind: "message", key: message.id, id: message.id, message, under: null },
    };
  }
  for (const line of source.running ? source.running.split("\n") : []) {
    const [id, step, agent, part] = line.split(" ") as [string, string, string, string];
    const row: Row = { kind: "message", key: id, id, message: null, under: null };
    yield { seq: seqOf(id), step, agent, by: agent, part: parsePartKey(part), row };
  }
}

function* otherPlaces(source: RowSource): Generator<PlacedRow> {
  const oldest = source.more && source.messages[0] ? seqOf(source.messages[0].id) : 0;
  for (const gate of source.gates) {
    // An open gate is shown where it was asked, an ended one where it ended, after the messages about it.
    const seq = gate.ended ?? seqOf(gate.id);
    if (seq >= oldest) yield { seq, row: { kind: "gate", key: gate.id, gate } };
  }
  for (const call of Object.values(source.calls)) {
    const seq = seqOf(call.id);
    if (!call.message && seq >= oldest) yield { seq, row: { kind: "call", key: call.id, call } };
  }
  for (const file of unattachedFiles(source)) {
    const seq = seqOf(file.id);
    if (seq < oldest) continue;
    const back = restoredFrom(source.files, file)?.version ?? null;
    yield { seq, by: file.by.id, row: { kind: "files", key: file.id, files: [file], back } };
  }
  const notes = withoutRequests(source.notes);
  for (const note of notes) {
    if (note.seq < oldest) continue;
    const by = note.frame.by.id;
    yield { seq: note.seq, by, row: { kind: "note", key: `note ${note.seq}`, note } };
  }
}

type FilesRow = Extract<Row, { kind: "files" }>;

/** Returns whether two entries share one row. */
function isSameGroup(one: FilesRow, other: FilesRow): boolean {
  const [a, b] = [one.files[0]!, other.files[0]!];
  return one.back === null && other.back === null && a.by.id === b.by.id && !a.call === !b.call;
}

/** Returns the files that are shown neither with a message nor with a call. */
function unattachedFiles({ files, messages, calls }: RowSource): File[] {
  const attached = new Set(messages.flatMap((message) => message.files ?? []));
  return files.filter((file) => !attached.has(file.id) && !(file.call && calls[file.call]));
}

/** Removes the requests to cancel that led to the end of a run, because one row has both the name and the reason. */
function withoutRequests(notes: Note[]): Note[] {
  const ended = new Set(notes.map(({ frame }) => frame.event === "run.cancelled" && frame.data.run));
  const requesters = new Map<string, Note["frame"]["by"]>();
  return notes.flatMap((note) => {
    const { frame } = note;
    if (frame.event === "control.requested" && frame.data.verb === "cancel" && ended.has(frame.data.run)) {
      requesters.set(frame.data.run, frame.by);
      return [];
    }
    const by = frame.event === "run.cancelled" && requesters.get(frame.data.run);
    return [by ? { ...note, frame: { ...frame, by } } : note];
  });
}

function agentsOfSteps(places: PlacedRow[]): Map<string, string[]> {
  const agents = new Map<string, string[]>();
  for (const { step, agent } of places) {
    if (!step || !agent) continue;
    const known = agents.get(step);
    if (!known) agents.set(step, [agent]);
    else if (!known.includes(agent)) known.push(agent);
  }
  return agents;
}

function groupingOf(
  place: PlacedRow,
  last: PlacedRow | undefined,
  agents: Map<string, string[]>,
): "step" | "same" | null {
  if (place.step) return (agents.get(place.step)?.length ?? 0) === 1 ? "step" : null;
  if (!last || last.step || last.by !== place.by || !last.at || !place.at) return null;
  // Relayed text is never shown under a heading that attributes it to the sender.
  if (relayOf(last.row) !== relayOf(place.row)) return null;
  return Date.parse(place.at) - Date.parse(last.at) < SAME_MINUTES * 60_000 ? "same" : null;
}

function relayOf(row: Row): string | undefined {
  return row.kind === "message" ? (row.message?.relays ?? undefined) : undefined;
}

function isWithin(span: SeqRange, seq: number): boolean {
  return seq > span.after && seq <= span.through;
}

function unreadRow(places: PlacedRow[], unread: SeqRange): Row {
  let messages = 0;
  let decisions = 0;
  for (const { seq, row } of places) {
    if (!isWithin(unread, seq)) continue;
    if (row.kind === "message") messages++;
    if (row.kind === "side") messages += row.columns.reduce((sum, column) => sum + column.messages.length, 0);
    if (row.kind === "gate" && row.gate.decision) decisions++;
  }
  return { kind: "new", key: "new", messages, decisions };
}
