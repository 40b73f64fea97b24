/** Whether I may begin something of my own here: a guest may not. */
import { useApp } from "./hooks";

export function useCanCreate(): boolean {
  return useApp((app) => app.standing !== "guest");
}
