/** Undo and redo of an edited value. */

/** A value with its earlier versions, and those that were undone. */
export interface UndoHistory<T> {
  readonly present: T;
  readonly past: readonly T[];
  readonly future: readonly T[];
  /** Field of the last change. Further typing in it belongs to the same change. */
  readonly field: string | null;
}

/** Maximum number of changes that can be undone. */
const MAX_CHANGES = 200;

/** Returns the history of a value without changes. */
export function newHistory<T>(present: T): UndoHistory<T> {
  return { present, past: [], future: [], field: null };
}

/** Adds a change; successive changes with the same `field` count as one. */
export function change<T>(history: UndoHistory<T>, next: T, field: string | null = null): UndoHistory<T> {
  if (Object.is(next, history.present)) return history;
  const same = field !== null && field === history.field;
  const past = same ? history.past : [...history.past, history.present].slice(-MAX_CHANGES);
  return { present: next, past, future: [], field };
}

/** Undoes the last change. */
export function undo<T>({ present, past, future, ...rest }: UndoHistory<T>): UndoHistory<T> {
  if (past.length === 0) return { present, past, future, ...rest };
  return { present: past.at(-1)!, past: past.slice(0, -1), future: [present, ...future], field: null };
}

/** Redoes the last undone change. */
export function redo<T>({ present, past, future, ...rest }: UndoHistory<T>): UndoHistory<T> {
  const [next, ...others] = future;
  if (next === undefined) return { present, past, future, ...rest };
  return { present: next, past: [...past, present], future: others, field: null };
}
