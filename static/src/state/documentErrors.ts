/** Errors in a team's document, by the affected part and field. */
import { isWithin } from "../json/pointer";
import type { DocumentError } from "../wire/teams";
import { partOf, pointerOf } from "./teamDocument";

/** Errors by the pointer to their part. */
export type ErrorsByPart = ReadonlyMap<string, DocumentError[]>;

/** Groups the errors by part. */
export function errorsByPart(errors: DocumentError[]): ErrorsByPart {
  const parts = new Map<string, DocumentError[]>();
  for (const error of errors) {
    const part = pointerOf(partOf(error.pointer));
    parts.set(part, [...(parts.get(part) ?? []), error]);
  }
  return parts;
}

/** Returns the number of errors in a part, including the parts inside it. */
export function countErrors(parts: ErrorsByPart, pointer: string): number {
  let count = 0;
  for (const [part, errors] of parts) if (isWithin(part, pointer)) count += errors.length;
  return count;
}

/** Returns the errors in a part that are shown at none of these fields. */
export function errorsBesideFields(errors: DocumentError[], fields: string[]): DocumentError[] {
  return errors.filter((error) => !fields.some((field) => isWithin(error.pointer, field)));
}
