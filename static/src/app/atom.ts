/** A value of this page alone: whoever shows it is drawn anew when it changes. */
import { useSyncExternalStore } from "react";

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
