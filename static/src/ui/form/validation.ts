/** Validation of a form before it is sent, and the selection of the errors to show. */
import { isLosslessNumber } from "lossless-json";
import type { Field } from "./fields";
import { matchesFormat, type TextFormat } from "./formats";
import { useState } from "react";

/** Error in a field, as a code that the page translates into text. */
export type FieldError =
  | { code: "required" | "integer" | "number" | "json" | TextFormat }
  | {
      code:
        | "minimum"
        | "maximum"
        | "exclusiveMinimum"
        | "exclusiveMaximum"
        | "multipleOf"
        | "minLength"
        | "maxLength"
        | "minItems"
        | "maxItems";
      limit: number;
    }
  | { code: "pattern"; pattern: string };

/** Errors by JSON pointer to the field. */
export type FieldErrors = Record<string, FieldError>;

/** Returns the error in a value; null if it is valid. */
export function validateField(field: Field, value: unknown): FieldError | null {
  if (isLosslessNumber(value)) return validateNumber(field, Number(value.value));
  if (typeof value === "number") return validateNumber(field, value);
  if (Array.isArray(value)) return validateList(field, value.length);
  return typeof value === "string" && field.kind === "text" ? validateText(field, value) : null;
}

function validateNumber({ bounds }: Field, n: number): FieldError | null {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = bounds;
  if (minimum !== undefined && n < minimum) return { code: "minimum", limit: minimum };
  if (exclusiveMinimum !== undefined && n <= exclusiveMinimum)
    return { code: "exclusiveMinimum", limit: exclusiveMinimum };
  if (maximum !== undefined && n > maximum) return { code: "maximum", limit: maximum };
  if (exclusiveMaximum !== undefined && n >= exclusiveMaximum)
    return { code: "exclusiveMaximum", limit: exclusiveMaximum };
  if (multipleOf !== undefined && !isMultiple(n, multipleOf))
    return { code: "multipleOf", limit: multipleOf };
  return null;
}

/**
 * Returns whether `n` is a multiple of `step`, with a tolerance: with floating point numbers, 0.3 is slightly
 * less than three times 0.1.
 */
function isMultiple(n: number, step: number): boolean {
  const times = n / step;
  return Math.abs(times - Math.round(times)) < 1e-9 * Math.max(1, Math.abs(times));
}

function validateText({ bounds, format }: Field, text: string): FieldError | null {
  const length = [...text].length;
  const { minLength, maxLength, pattern } = bounds;
  if (minLength !== undefined && length < minLength) return { code: "minLength", limit: minLength };
  if (maxLength !== undefined && length > maxLength) return { code: "maxLength", limit: maxLength };
  if (format && !matchesFormat(format, text)) return { code: format };
  return pattern !== undefined && !matchesPattern(text, pattern) ? { code: "pattern", pattern } : null;
}

/**
 * Returns whether the text matches the pattern. A pattern that this browser cannot parse is left to the
 * server.
 */
function matchesPattern(text: string, pattern: string): boolean {
  try {
    return new RegExp(pattern, "u").test(text);
  } catch {
    return true;
  }
}

function validateList({ bounds: { minItems, maxItems } }: Field, n: number): FieldError | null {
  if (minItems !== undefined && n < minItems) return { code: "minItems", limit: minItems };
  return maxItems !== undefined && n > maxItems ? { code: "maxItems", limit: maxItems } : null;
}

interface VisibleErrors {
  errors: FieldErrors;
  /** Called with the JSON pointer to a field when that field loses focus. */
  onLeave: (pointer: string) => void;
  /** Called when someone tries to send the form. */
  onTry: () => void;
}

/**
 * Returns the errors in the fields that have lost focus; after an attempt to send the form, all errors. If
 * `filled` is true, every field initially had a value, so a missing value was removed and counts as an error,
 * too.
 */
export function useFieldErrors(all: FieldErrors, filled = false): VisibleErrors {
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [tried, setTried] = useState(false);
  // Leaving an empty field does not count as finishing it.
  const visible = Object.entries(all).filter(
    ([pointer, error]) => tried || (left.has(pointer) && (filled || error.code !== "required")),
  );
  return {
    errors: Object.fromEntries(visible),
    onLeave: (pointer) => setLeft((before) => new Set(before).add(pointer)),
    onTry: () => setTried(true),
  };
}
