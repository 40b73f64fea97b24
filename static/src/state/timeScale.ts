/** Time scale of the Gantt chart: work at its real length, waiting at a fixed width. */
import type { WorkSpan } from "./spans";

/** Start and end in milliseconds. */
export interface Interval {
  from: number;
  to: number;
}

/** Returns the periods in which the work waited for people. */
export function waitIntervals(span: WorkSpan, now: number): Interval[] {
  return (span.waits ?? []).map(({ from, to }) => ({
    from: Date.parse(from),
    to: to ? Date.parse(to) : now,
  }));
}

/** Returns the periods of work. */
export function workIntervals(span: WorkSpan, now: number): Interval[] {
  const work: Interval[] = [];
  let from = Date.parse(span.from);
  const to = span.to ? Date.parse(span.to) : now;
  for (const wait of waitIntervals(span, now)) {
    if (wait.from > from) work.push({ from, to: wait.from });
    from = Math.max(from, wait.to);
  }
  if (to > from || work.length === 0) work.push({ from, to: Math.max(from, to) });
  return work;
}

/** Returns the total duration. Parallel periods count once. */
export function totalDuration(stretches: Interval[]): number {
  let [sum, until] = [0, -Infinity];
  for (const { from, to } of [...stretches].sort((a, b) => a.from - b.from)) {
    sum += Math.max(0, to - Math.max(from, until));
    until = Math.max(until, to);
  }
  return sum;
}

/** Period without work. */
interface CollapsedGap extends Interval {
  /** True if the entire gap was a pause, without an open gate. */
  paused: boolean;
}

/** Position of each time, as a share of the whole width. */
export interface TimeScale {
  at: (moment: number) => number;
  folds: CollapsedGap[];
}

/** Share of the width of one collapsed gap, and of all of them together. */
const GAP_SHARE = 0.15;
const MAX_GAPS_SHARE = 0.5;
/** Milliseconds below which a wait is not collapsed. */
const MIN_GAP_MS = 1000;

/** Creates the scale of a run from its start to now, or to its end. */
export function createTimeScale(spans: WorkSpan[], { from, to }: Interval, now: number): TimeScale {
  const folds = collapsedGaps(spans, { from, to }, now);
  const each = Math.min(GAP_SHARE, MAX_GAPS_SHARE / folds.length);
  const worked = to - from - folds.reduce((sum, fold) => sum + fold.to - fold.from, 0);
  const rest = 1 - each * folds.length;
  const at = (moment: number) => {
    let [share, waited] = [0, 0];
    for (const fold of folds) {
      if (moment <= fold.from) break;
      const within = Math.min(moment, fold.to) - fold.from;
      waited += within;
      share += (each * within) / (fold.to - fold.from);
    }
    const work = Math.min(to, Math.max(from, moment)) - from - waited;
    return share + (worked > 0 ? (rest * work) / worked : 0);
  };
  return { at, folds };
}

/** Returns the gates and pauses during which nobody worked, in order. */
function collapsedGaps(spans: WorkSpan[], whole: Interval, now: number): CollapsedGap[] {
  const works = spans.filter(({ kind }) => kind === "turn" || kind === "call");
  const idle = spans.filter(({ kind }) => kind === "gate" || kind === "pause");
  const waits = [
    ...idle.flatMap((span) =>
      workIntervals(span, now).map((one) => ({ ...one, paused: span.kind === "pause" })),
    ),
    ...works.flatMap((span) => waitIntervals(span, now).map((one) => ({ ...one, paused: false }))),
  ];
  const busy = works.flatMap((span) => workIntervals(span, now));
  return mergeOverlaps(waits)
    .flatMap((fold) => subtract(fold, busy))
    .map((fold) => ({ ...fold, from: Math.max(fold.from, whole.from), to: Math.min(fold.to, whole.to) }))
    .filter((fold) => fold.to - fold.from >= MIN_GAP_MS);
}

/** Merges gaps that touch or overlap. */
function mergeOverlaps(folds: CollapsedGap[]): CollapsedGap[] {
  const out: CollapsedGap[] = [];
  for (const fold of [...folds].sort((a, b) => a.from - b.from)) {
    const last = out.at(-1);
    if (last && fold.from <= last.to) {
      last.to = Math.max(last.to, fold.to);
      last.paused &&= fold.paused;
    } else out.push({ ...fold });
  }
  return out;
}

/** Returns the parts of the gap in which nobody worked. */
function subtract(fold: CollapsedGap, busy: Interval[]): CollapsedGap[] {
  const out: CollapsedGap[] = [];
  let { from } = fold;
  for (const work of [...busy].sort((a, b) => a.from - b.from)) {
    if (work.to <= from || work.from >= fold.to) continue;
    if (work.from > from) out.push({ ...fold, from, to: work.from });
    from = work.to;
  }
  if (from < fold.to) out.push({ ...fold, from });
  return out;
}
