/** What I may do outside of sessions. */
import { useApp } from "./hooks";
import type { Base } from "../wire/knowledge";

/** Whether I may begin something of my own here: a guest may not. */
export function useCanCreate(): boolean {
  return useApp((app) => app.serverRole !== "guest");
}

/** Whether I may change a knowledge base: its owner may, and an administrator. */
export function useCanEditBase(base: Base): boolean {
  return useApp((app) => base.mine || app.serverRole === "admin");
}
