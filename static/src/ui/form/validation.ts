/** Validation of a form before it is sent, and the time when its errors appear. */
import { isLosslessNumber } from "lossless-json";
import type { Field } from "./fields";
import { matchesFormat, type TextFormat } from "./formats";
import { useState } from "react";

/** Error of a field, for the texts of the page. */
export type FieldError =
  | { what: "required" | "integer" | "number" | "json" | TextFormat }
  | {
      what: "least" | "most" | "above" | "below" | "step" | "shortest" | "longest" | "fewest" | "atMost";
      n: number;
    }
  | { what: "pattern"; pattern: string };

/** Returns the error of a value, if any. */
export function validateField(field: Field, value: unknown): FieldError | null {
  if (isLosslessNumber(value)) return ofNumber(field, Number(value.value));
  if (typeof value === "number") return ofNumber(field, value);
  if (Array.isArray(value)) return ofList(field, value.length);
  return typeof value === "string" && field.kind === "text" ? ofText(field, value) : null;
}

function ofNumber({ bounds }: Field, n: number): FieldError | null {
  const { minimum, maximum, above, below, step } = bounds;
  if (minimum !== undefined && n < minimum) return { what: "least", n: minimum };
  if (above !== undefined && n <= above) return { what: "above", n: above };
  if (maximum !== undefined && n > maximum) return { what: "most", n: maximum };
  if (below !== undefined && n >= below) return { what: "below", n: below };
  if (step !== undefined && !isMultiple(n, step)) return { what: "step", n: step };
  return null;
}

/** With floating point numbers, 0.3 is slightly less than three times 0.1. */
function isMultiple(n: number, step: number): boolean {
  const times = n / step;
  return Math.abs(times - Math.round(times)) < 1e-9 * Math.max(1, Math.abs(times));
}

function ofText({ bounds, format }: Field, text: string): FieldError | null {
  const length = [...text].length;
  const { shortest, longest, pattern } = bounds;
  if (shortest !== undefined && length < shortest) return { what: "shortest", n: shortest };
  if (longest !== undefined && length > longest) return { what: "longest", n: longest };
  if (format && !matchesFormat(format, text)) return { what: format };
  return pattern !== undefined && !matches(text, pattern) ? { what: "pattern", pattern } : null;
}

/** A pattern that this browser cannot parse is left to the server. */
function matches(text: string, pattern: string): boolean {
  try {
    return new RegExp(pattern, "u").test(text);
  } catch {
    return true;
  }
}

function ofList({ bounds: { fewest, atMost } }: Field, n: number): FieldError | null {
  if (fewest !== undefined && n < fewest) return { what: "fewest", n: fewest };
  return atMost !== undefined && n > atMost ? { what: "atMost", n: atMost } : null;
}

type FieldErrors = Record<string, FieldError>;

interface ShownErrors {
  faults: FieldErrors;
  onLeave: (path: string) => void;
  onTry: () => void;
}

/** `filled` means that every field had a value, so that a missing one was removed. */
export function useFieldErrors(all: FieldErrors, filled = false): ShownErrors {
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [tried, setTried] = useState(false);
  // Leaving an empty field does not count as finishing it.
  const told = Object.entries(all).filter(
    ([path, fault]) => tried || (left.has(path) && (filled || fault.what !== "required")),
  );
  return {
    faults: Object.fromEntries(told),
    onLeave: (path) => setLeft((before) => new Set(before).add(path)),
    onTry: () => setTried(true),
  };
}
