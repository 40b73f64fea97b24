/** Hooks that read the store: each component selects the part that it shows, and re-renders when that part changes. */
import { createContext, useContext, useEffect, useRef, useState, useSyncExternalStore, useMemo } from "react";
import type { SessionId } from "../protocol";
import { emptySession, type AppState, type SessionState } from "../state/model";
import type { Client } from "./client";
import { assignColors, type ParticipantColors } from "../state/participantColors";
import { useFormat } from "../i18n/locale";
import { serverDelay } from "../state/pendingCommands";

/** Context with the client. */
export const ClientContext = createContext<Client | null>(null);

/** Returns the actions of the page. */
export function useClient(): Client {
  const client = useContext(ClientContext);
  if (!client) throw new Error("no client around this component");
  return client;
}

/** Returns a part of the state. Objects are compared by their fields, so that equal ones do not cause a re-render. */
export function useApp<T>(select: (app: AppState) => T): T {
  const { store } = useClient();
  const last = useRef<{ value: T } | null>(null);
  return useSyncExternalStore(store.subscribe, () => {
    const value = select(store.get());
    if (last.current && isEqual(last.current.value, value)) return last.current.value;
    last.current = { value };
    return value;
  });
}

const emptySessions: Record<SessionId, SessionState> = {};

/** Returns a part of one session. */
export function useSession<T>(id: SessionId, select: (session: SessionState) => T): T {
  return useApp((app) => select(app.sessions[id] ?? (emptySessions[id] ??= emptySession(id))));
}

/** Returns whether my commands reach the server now. */
export function useLive(): boolean {
  return useApp((app) => app.connection.phase === "live");
}

/** Returns my id. */
export function useMe(): string | null {
  return useApp((app) => app.me?.id ?? null);
}

function isEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || !a || !b) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [Object.entries(a), Object.entries(b)];
  return (
    left.length === right.length &&
    left.every(([key, value]) => Object.is(value, (b as Record<string, unknown>)[key]))
  );
}

/** Returns the time, updated at this interval in milliseconds while `isEnabled` is true. */
export function useNow(intervalMs: number, isEnabled = true): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!isEnabled) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), intervalMs);
    return () => clearInterval(timer);
  }, [intervalMs, isEnabled]);
  return now;
}

/** Returns whether the screen matches this media query. */
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

export const ParticipantColorsContext = createContext<ParticipantColors>({});

/** Colors of each session so far. */
const assigned = new Map<SessionId, ParticipantColors>();

/** Returns the colors of the people in the session, for all avatars. */
export function useParticipantColors(session: SessionId | null): ParticipantColors {
  const participants = useSession(session ?? "", (state) => state.participants);
  return useMemo(() => {
    const colors = assignColors(participants, assigned.get(session ?? "") ?? {});
    assigned.set(session ?? "", colors);
    return colors;
  }, [session, participants]);
}

/** Returns a function that formats costs in the server's currency. */
export function useCostFormat(): (micros: number) => string {
  const format = useFormat();
  const currency = useApp((app) => app.server?.currency ?? "USD");
  return (micros) => format.cost(micros, currency);
}

/** Milliseconds after which a response counts as slow. */
const SLOW_MS = 3000;

/**
 * Returns since when a command of mine has had no response, and whether the server reports that its database is
 * unavailable. Returns null while responses arrive in time.
 */
export function useServerDelay(): { since: number; store: boolean; seconds: number } | null {
  const delay = useApp((app) => (app.connection.phase === "live" ? serverDelay(app) : null));
  const now = useNow(500, !!delay);
  if (!delay || (!delay.store && now - delay.since < SLOW_MS)) return null;
  return { ...delay, seconds: Math.max(1, Math.round((now - delay.since) / 1000)) };
}
