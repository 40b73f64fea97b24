/** Texts for the limits and errors of fields. */
import type { WorkTexts } from "../../i18n/work.en";
import type { FieldError } from "./validation";
import type { Field } from "./fields";

/** Describes the limits of a field; an empty string if there are none. */
export function describeBounds(field: Field, { form }: WorkTexts): string {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = field.bounds;
  const { minLength, maxLength, minItems, maxItems } = field.bounds;
  const isNumber = field.kind === "number" || field.kind === "integer";
  const isList = field.kind === "lines" || field.kind === "choices";
  const limits = [
    isNumber && range(minimum, maximum, form),
    isNumber && exclusiveMinimum !== undefined && form.above(exclusiveMinimum),
    isNumber && exclusiveMaximum !== undefined && form.below(exclusiveMaximum),
    isNumber && multipleOf !== undefined && multipleOf !== 1 && form.step(multipleOf),
    field.kind === "text" && withUnit(range(aboveOne(minLength), maxLength, form), form.characters),
    isList && withUnit(range(aboveOne(minItems), maxItems, form), form.items),
    (field.format === "date-time" || field.format === "time") && !field.asText && form.zone(timeZone()),
  ];
  return limits.filter(Boolean).join(" · ");
}

/**
 * Returns the minimum if it is greater than one; otherwise undefined, because it does not need to be
 * mentioned.
 */
function aboveOne(n: number | undefined): number | undefined {
  return n === undefined || n < 2 ? undefined : n;
}

function range(from: number | undefined, to: number | undefined, form: WorkTexts["form"]): string {
  if (from !== undefined && to !== undefined) return form.range(from, to);
  if (from !== undefined) return form.atLeast(from);
  return to === undefined ? "" : form.upTo(to);
}

function withUnit(range: string, text: (range: string) => string): string {
  return range && text(range);
}

/** Returns the reader's time zone. */
function timeZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Describes an error. */
export function describeError(error: FieldError, { form, gates }: WorkTexts): string {
  switch (error.code) {
    case "json":
      return gates.notJson("");
    case "pattern":
      return form.pattern(error.pattern);
    case "required":
    case "integer":
    case "number":
      return form[error.code];
    case "date":
    case "date-time":
    case "time":
    case "email":
    case "uri":
      return form.formats[error.code];
    default:
      return form.limitErrors[error.code](error.limit);
  }
}
