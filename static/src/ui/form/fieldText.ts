/** Texts for the limits and errors of fields. */
import type { WorkWords } from "../../i18n/work.en";
import type { FieldError } from "./validation";
import type { Field } from "./fields";

/** Describes the limits of a field; empty if there are none. */
export function describeBounds(field: Field, { form }: WorkWords): string {
  const { minimum, maximum, above, below, step, shortest, longest, fewest, atMost } = field.bounds;
  const numbers = field.kind === "number" || field.kind === "integer";
  const lists = field.kind === "lines" || field.kind === "choices";
  const words = [
    numbers && range(minimum, maximum, form),
    numbers && above !== undefined && form.above(above),
    numbers && below !== undefined && form.below(below),
    numbers && step !== undefined && step !== 1 && form.step(step),
    field.kind === "text" && counted(range(least(shortest), longest, form), form.characters),
    lists && counted(range(least(fewest), atMost, form), form.items),
    (field.format === "date-time" || field.format === "time") && !field.asText && form.zone(zone()),
  ];
  return words.filter(Boolean).join(" · ");
}

/** A minimum of one does not need to be mentioned. */
function least(n: number | undefined): number | undefined {
  return n === undefined || n < 2 ? undefined : n;
}

function range(from: number | undefined, to: number | undefined, form: WorkWords["form"]): string {
  if (from !== undefined && to !== undefined) return form.range(from, to);
  if (from !== undefined) return form.atLeast(from);
  return to === undefined ? "" : form.upTo(to);
}

function counted(words: string, count: (range: string) => string): string {
  return words && count(words);
}

/** Returns the reader's time zone. */
function zone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Describes an error. */
export function describeError(fault: FieldError, { form, gates }: WorkWords): string {
  switch (fault.what) {
    case "json":
      return gates.notJson("");
    case "pattern":
      return form.pattern(fault.pattern);
    case "required":
    case "integer":
    case "number":
      return form[fault.what];
    case "date":
    case "date-time":
    case "time":
    case "email":
    case "uri":
      return form.formats[fault.what];
    default:
      return form.faults[fault.what](fault.n);
  }
}
