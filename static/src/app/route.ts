/** Route of the page, from its URL. */
import { useMemo, useSyncExternalStore } from "react";
import type { SessionId } from "../protocol";

/** A page. */
type Route =
  | { page: "home" }
  | { page: "not-found" }
  | { page: "admin" }
  | { page: "session"; session: SessionId; graph: boolean }
  | { page: "teams"; view: TeamsView }
  | { page: "knowledge"; base: number | null }
  | { page: "sign-in"; code: string }
  | { page: "invite"; secret: string };

/** View of the pages about teams: the list, one team, or its executions. */
export type TeamsView =
  | { view: "list" }
  | { view: "team"; team: string | null }
  | { view: "executions"; team: string; executions: string[] };

/** A page that requires a signed-in participant. */
export type SignedInRoute = Exclude<Route, { page: "sign-in" | "invite" | "not-found" }>;

/** Returns whether the page requires a signed-in participant. */
export function isSignedInRoute(route: Route): route is SignedInRoute {
  return ["home", "session", "knowledge", "teams", "admin"].includes(route.page);
}

const CHANGED = "roundtable:route";

/** Parses a URL. The part after `#` is secret, and the browser does not send it to the server. */
function routeOf(path: string, hash: string): Route {
  const [, session, graph] = /^\/s\/([^/]+)(\/graph)?\/?$/.exec(path) ?? [];
  if (session) return { page: "session", session, graph: !!graph };
  const teams = teamsViewOf(path);
  if (teams) return { page: "teams", view: teams };
  const knowledge = /^\/knowledge(?:\/(\d+))?\/?$/.exec(path);
  if (knowledge) return { page: "knowledge", base: knowledge[1] ? Number(knowledge[1]) : null };
  if (/^\/admin\/?$/.test(path)) return { page: "admin" };
  if (path.startsWith("/sign-in")) return { page: "sign-in", code: hash.replace(/^#/, "") };
  if (path.startsWith("/invite")) return { page: "invite", secret: hash.replace(/^#/, "") };
  return { page: path === "/" ? "home" : "not-found" };
}

/** Parses the URL path of a page about teams; `/teams/new` is a team that is not stored yet. */
function teamsViewOf(path: string): TeamsView | null {
  const [start, team, part, ...executions] = path.split("/").filter(Boolean).map(decoded);
  if (start !== "teams" || executions.length > 2) return null;
  if (!team) return { view: "list" };
  if (!part) return { view: "team", team: team === "new" ? null : team };
  return part === "executions" ? { view: "executions", team, executions } : null;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Navigates to another page without a reload. */
export function navigate(path: string, method: "push" | "replace" = "push"): void {
  if (method === "push") history.pushState(null, "", path);
  else history.replaceState(null, "", path);
  window.dispatchEvent(new Event(CHANGED));
}

function subscribe(changed: () => void): () => void {
  const names = ["popstate", "hashchange", CHANGED];
  for (const name of names) window.addEventListener(name, changed);
  return () => {
    for (const name of names) window.removeEventListener(name, changed);
  };
}

/** Returns the route of the current URL. */
export function useRoute(): Route {
  const address = useSyncExternalStore(subscribe, () => `${location.pathname}\n${location.hash}`);
  return useMemo(() => {
    const [path, hash] = address.split("\n") as [string, string];
    return routeOf(path, hash);
  }, [address]);
}
