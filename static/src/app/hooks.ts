/** How components look at the state: each asks for the part that it shows, and is drawn anew when that part changes. */
import { createContext, useContext, useEffect, useRef, useState, useSyncExternalStore } from "react";
import type { SessionId } from "../protocol";
import { emptySession, type AppState, type SessionState } from "../state/model";
import type { Client } from "./client";

export const ClientContext = createContext<Client | null>(null);

/** What the page can do. */
export function useClient(): Client {
  const client = useContext(ClientContext);
  if (!client) throw new Error("no client around this component");
  return client;
}

/** A part of the state. Objects made anew are compared by their fields, so that equal ones cause no drawing. */
export function useApp<T>(select: (app: AppState) => T): T {
  const { store } = useClient();
  const last = useRef<{ value: T } | null>(null);
  return useSyncExternalStore(store.subscribe, () => {
    const value = select(store.get());
    if (last.current && same(last.current.value, value)) return last.current.value;
    last.current = { value };
    return value;
  });
}

const nothing: Record<SessionId, SessionState> = {};

/** A part of one session. */
export function useSession<T>(id: SessionId, select: (session: SessionState) => T): T {
  return useApp((app) => select(app.sessions[id] ?? (nothing[id] ??= emptySession(id))));
}

/** Whether what I do reaches the server now. */
export function useLive(): boolean {
  return useApp((app) => app.connection.phase === "live");
}

/** My id. */
export function useMe(): string | null {
  return useApp((app) => app.me?.id ?? null);
}

function same(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || !a || !b) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [Object.entries(a), Object.entries(b)];
  return (
    left.length === right.length &&
    left.every(([key, value]) => Object.is(value, (b as Record<string, unknown>)[key]))
  );
}

/** The time, told anew every so many milliseconds while `on`. */
export function useNow(every: number, on = true): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!on) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), every);
    return () => clearInterval(timer);
  }, [every, on]);
  return now;
}

/** Whether the screen is as this media query says. */
export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (changed) => {
      const media = matchMedia(query);
      media.addEventListener("change", changed);
      return () => media.removeEventListener("change", changed);
    },
    () => matchMedia(query).matches,
  );
}
