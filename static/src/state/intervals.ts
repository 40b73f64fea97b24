/** How long what was done took of those who did it, and how long it waited for people. */
import type { WorkSpan } from "./spans";

/** From when to when, in milliseconds. */
export interface Interval {
  from: number;
  to: number;
}

/** When it waited for what people said about it. */
export function waitIntervals(span: WorkSpan, now: number): Interval[] {
  return (span.waits ?? []).map(({ from, to }) => ({
    from: Date.parse(from),
    to: to ? Date.parse(to) : now,
  }));
}

/** When it was worked at. */
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

/** How long they take together: what happens side by side counts once. */
export function totalDuration(stretches: Interval[]): number {
  let [sum, until] = [0, -Infinity];
  for (const { from, to } of [...stretches].sort((a, b) => a.from - b.from)) {
    sum += Math.max(0, to - Math.max(from, until));
    until = Math.max(until, to);
  }
  return sum;
}
