/** State outside of components: a value of this page, or of one session that survives a reload. */
import { useSyncExternalStore, useCallback } from "react";
import type { SessionId } from "../protocol";
import { readStorage, writeStorage } from "./storage";

/** One such value. */
interface Atom<T> {
  get(): T;
  set(next: T): void;
  use(): T;
}

/** Holds it, from this one on. */
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

/** One such thing. */
interface SessionAtom<T> {
  /** Changes it from anywhere. */
  set(session: SessionId, next: T | ((before: T) => T)): void;
  /** What it is now, and how to change it. */
  use(session: SessionId): [T, (next: T | ((before: T) => T)) => void];
}

/** Keeps it under this name; `empty` is what it is before anybody says something else. */
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
