/** My permissions outside sessions. */
import { useApp } from "./hooks";
import type { Base } from "../wire/knowledge";

/** Returns whether I can create sessions and knowledge bases: guests cannot. */
export function useCanCreate(): boolean {
  return useApp((app) => app.serverRole !== "guest");
}

/** Returns whether I can change a knowledge base: only its owner and administrators can. */
export function useCanEditBase(base: Base): boolean {
  return useApp((app) => base.mine || app.serverRole === "admin");
}
