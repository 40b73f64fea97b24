/** Whether I may change a knowledge base: its owner may, and an administrator. */
import type { Base } from "../wire/knowledge";
import { useApp } from "./hooks";

export function useCanEditBase(base: Base): boolean {
  return useApp((app) => base.mine || app.standing === "admin");
}
