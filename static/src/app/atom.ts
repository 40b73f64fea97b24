/** State outside components: a value of this page, or one value per session, which survives a reload. */
import { useSyncExternalStore, useCallback } from "react";
import type { SessionId } from "../protocol";
import { readStorage, writeStorage } from "./storage";

/** A value of this page. */
interface Atom<T> {
  get(): T;
  set(next: T): void;
  use(): T;
}

/** Creates a value with this initial value. */
export function atom<T>(first: T): Atom<T> {
  let value = first;
  const listeners = new Set<() => void>();
  const get = () => value;
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return {
    get,
    set(next) {
      value = next;
      for (const listener of listeners) listener();
    },
    use: () => useSyncExternalStore(subscribe, get),
  };
}

/** A value of each session. */
interface SessionAtom<T> {
  /** Changes the value from anywhere. */
  set(session: SessionId, next: T | ((before: T) => T)): void;
  /** Returns the value and a function that changes it. */
  use(session: SessionId): [T, (next: T | ((before: T) => T)) => void];
}

/** Creates a value for each session, which is stored under this name; `empty` is its initial value. */
export function sessionAtom<T>(name: string, empty: T): SessionAtom<T> {
  const known = new Map<SessionId, T>();
  const listeners = new Set<() => void>();
  const read = (session: SessionId): T => {
    if (!known.has(session)) known.set(session, readStorage<T>(`${name}.${session}`) ?? empty);
    return known.get(session)!;
  };
  const set: SessionAtom<T>["set"] = (session, next) => {
    const value = typeof next === "function" ? (next as (before: T) => T)(read(session)) : next;
    known.set(session, value);
    writeStorage(`${name}.${session}`, JSON.stringify(value) === JSON.stringify(empty) ? null : value);
    for (const listener of listeners) listener();
  };
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return {
    set,
    use(session) {
      const value = useSyncExternalStore(subscribe, () => read(session));
      return [value, useCallback((next) => set(session, next), [session])];
    },
  };
}
