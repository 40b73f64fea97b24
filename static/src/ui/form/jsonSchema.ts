/** Parts of JSON Schemas. */

/** Returns the type, even if null is allowed as well. */
export function typeOf({ type }: Record<string, unknown>): string | undefined {
  const types: unknown[] = Array.isArray(type) ? type.filter((one) => one !== "null") : [type];
  return types.length === 1 && typeof types[0] === "string" ? types[0] : undefined;
}

/** Returns the number, or undefined if the value is none. */
export function numberOf(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}
