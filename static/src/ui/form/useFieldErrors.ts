/** When what is wrong with a field is said: once it was left, or once somebody has tried to send all of it. */
import { useState } from "react";
import type { FieldError } from "./validation";

type FieldErrors = Record<string, FieldError>;

interface ShownErrors {
  faults: FieldErrors;
  onLeave: (path: string) => void;
  onTry: () => void;
}

/** `filled`: something stood in every field, so that what is missing was taken out. */
export function useFieldErrors(all: FieldErrors, filled = false): ShownErrors {
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [tried, setTried] = useState(false);
  // Whoever goes past an empty field has not done with it.
  const told = Object.entries(all).filter(
    ([path, fault]) => tried || (left.has(path) && (filled || fault.what !== "required")),
  );
  return {
    faults: Object.fromEntries(told),
    onLeave: (path) => setLeft((before) => new Set(before).add(path)),
    onTry: () => setTried(true),
  };
}
