/** What something cost, in the server's currency. */
import { useFormat } from "../i18n/locale";
import { useApp } from "./hooks";

export function useCostFormat(): (micros: number) => string {
  const format = useFormat();
  const currency = useApp((app) => app.server?.currency ?? "USD");
  return (micros) => format.cost(micros, currency);
}
