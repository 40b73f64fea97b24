/** Periods of work in a run, for its timeline. */
import type { Timestamp, Task } from "../protocol";
import type { EventFrame } from "../wire/frames";
import { isStopCode } from "./calls";

/** A wait for people about a call. */
interface Wait {
  gate: string;
  from: Timestamp;
  to?: Timestamp;
}

/** Period of work, of waiting for people, or of a pause. */
export interface WorkSpan {
  /** Id of the message, call, gate or pause. */
  id: string;
  /** Null if only its end was seen: it began before the snapshot, and the earlier events are still being loaded. */
  run: string | null;
  kind: "turn" | "call" | "gate" | "pause";
  /** Row of the timeline: its key, or the id of the message that contains it. */
  row: string;
  /** Agent; null for a gate or a pause. */
  agent: string | null;
  /** Name of the tool, or the question to people. */
  label: string;
  task?: Task;
  from: Timestamp;
  /** End; absent while in progress. */
  to?: Timestamp;
  /** Waits for people, by their gates. */
  waits?: Wait[];
  outcome?: "done" | "failed" | "stopped";
  tokens: number;
  cost: number;
  estimated: boolean;
}

/** Maximum number of spans, the newest ones. */
const MAX_SPANS = 2000;

/** Returns the spans after the event. Applying an event twice changes nothing. */
export function applySpanEvent(spans: WorkSpan[], frame: EventFrame): WorkSpan[] {
  switch (frame.event) {
    case "message.started": {
      const { message: id, run, agent, task } = frame.data;
      if (spans.some((span) => span.id === id)) return spans;
      return add(spans, { ...emptySpan, id, run, row: id, kind: "turn", agent, task, from: frame.at });
    }
    case "message.completed":
      return end(spans, frame.data.message, frame.at, "done");
    case "message.aborted":
      return end(spans, frame.data.message, frame.at, frame.data.reason === "failed" ? "failed" : "stopped");
    case "usage.recorded": {
      const { message, input_tokens, output_tokens, cost_micros, estimated } = frame.data;
      return updateSpan(spans, message, (span) => ({
        ...span,
        tokens: span.tokens + input_tokens + output_tokens,
        cost: span.cost + cost_micros,
        estimated: span.estimated || estimated,
      }));
    }
    case "tool.proposed": {
      const { call: id, run, agent, name, task, message } = frame.data;
      const row = message ?? id;
      return add(spans, {
        ...emptySpan,
        id,
        run,
        row,
        kind: "call",
        agent,
        label: name,
        task,
        from: frame.at,
      });
    }
    // Nobody works on the call until it starts.
    case "tool.started":
      return frame.data.attempt > 1
        ? spans
        : updateSpan(spans, frame.data.call, (span) => ({ ...span, from: frame.at }));
    case "tool.completed":
      return end(spans, frame.data.call, frame.at, "done");
    case "tool.failed":
      return end(spans, frame.data.call, frame.at, isStopCode(frame.data.error.code) ? "stopped" : "failed");
    case "gate.opened": {
      const { id, run, kind, prompt, call } = frame.data.gate;
      // No work waits for a command that owners are asked about.
      if (!run || kind === "command") return spans;
      const wait = (span: WorkSpan) => ({
        ...span,
        waits: [...(span.waits ?? []), { gate: id, from: frame.at }],
      });
      return add(call ? updateSpan(spans, call, wait) : spans, {
        ...emptySpan,
        id,
        run,
        row: id,
        kind: "gate",
        agent: null,
        label: prompt,
        from: frame.at,
      });
    }
    case "gate.decided":
      return end(endWait(spans, frame.data.gate, frame.at), frame.data.gate, frame.at, "done");
    case "gate.expired":
    case "gate.closed":
      return end(endWait(spans, frame.data.gate, frame.at), frame.data.gate, frame.at, "stopped");
    case "control.effective": {
      const { control, run, verb } = frame.data;
      if (verb === "resume") return endPause(spans, run, frame.at, "done");
      if (verb !== "pause") return spans;
      return add(spans, {
        ...emptySpan,
        id: `pause ${control}`,
        run,
        row: `note ${control}`,
        kind: "pause",
        agent: null,
        from: frame.at,
      });
    }
    // A run that has ended is never resumed.
    case "run.finished":
    case "run.failed":
    case "run.cancelled":
      return endPause(spans, frame.data.run, frame.at, "stopped");
    default:
      return spans;
  }
}

/** Merges the spans of earlier events with those that the page has already seen. */
export function mergeSpans(known: WorkSpan[], earlier: EventFrame[]): WorkSpan[] {
  const merged = new Map(earlier.reduce(applySpanEvent, [] as WorkSpan[]).map((span) => [span.id, span]));
  for (const span of known) {
    const before = merged.get(span.id);
    if (!before || span.run) merged.set(span.id, span);
    else if (!before.to) merged.set(span.id, { ...before, to: span.to, outcome: span.outcome });
  }
  return [...merged.values()].sort((a, b) => Date.parse(a.from) - Date.parse(b.from));
}

/** Spans of one lane of a run: of an agent, of decisions, or of pauses. */
export interface Lane {
  kind: "agent" | "people" | "pause";
  agent: string | null;
  spans: WorkSpan[];
}

/** Returns the lanes of the run, in the order in which they started. */
export function lanesOf(spans: WorkSpan[], run: string): Lane[] {
  const lanes = new Map<string, Lane>();
  for (const span of spans) {
    if (span.run !== run) continue;
    const { agent } = span;
    const kind = agent !== null ? "agent" : span.kind === "pause" ? "pause" : "people";
    const key = `${kind} ${agent}`;
    lanes.set(key, { kind, agent, spans: [...(lanes.get(key)?.spans ?? []), span] });
  }
  return [...lanes.values()];
}

const emptySpan = { label: "", tokens: 0, cost: 0, estimated: false };

function add(spans: WorkSpan[], span: WorkSpan): WorkSpan[] {
  if (spans.some((one) => one.id === span.id)) return spans;
  return [...spans.slice(1 - MAX_SPANS), span];
}

function end(spans: WorkSpan[], id: string, to: Timestamp, outcome: WorkSpan["outcome"]): WorkSpan[] {
  if (!spans.some((span) => span.id === id))
    return add(spans, {
      ...emptySpan,
      id,
      run: null,
      row: id,
      kind: "turn",
      agent: null,
      from: to,
      to,
      outcome,
    });
  return updateSpan(spans, id, (span) => (span.to ? span : { ...span, to, outcome }));
}

function endPause(spans: WorkSpan[], run: string, to: Timestamp, outcome: WorkSpan["outcome"]): WorkSpan[] {
  return spans.map((span) =>
    span.kind === "pause" && span.run === run && !span.to ? { ...span, to, outcome } : span,
  );
}

function endWait(spans: WorkSpan[], gate: string, to: Timestamp): WorkSpan[] {
  return spans.map((span) =>
    span.waits?.some((wait) => wait.gate === gate)
      ? { ...span, waits: span.waits.map((wait) => (wait.gate === gate ? { ...wait, to } : wait)) }
      : span,
  );
}

function updateSpan(spans: WorkSpan[], id: string, change: (span: WorkSpan) => WorkSpan): WorkSpan[] {
  const at = spans.findLastIndex((span) => span.id === id);
  return at < 0 ? spans : [...spans.slice(0, at), change(spans[at]!), ...spans.slice(at + 1)];
}
