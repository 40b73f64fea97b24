/** Parts of JSON Schemas. */

/** Returns the type, even if null is also allowed; undefined if there is no type or more than one. */
export function typeOf({ type }: Record<string, unknown>): string | undefined {
  const types: unknown[] = Array.isArray(type) ? type.filter((one) => one !== "null") : [type];
  return types.length === 1 && typeof types[0] === "string" ? types[0] : undefined;
}

/** Returns the value if it is a number, otherwise undefined. */
export function numberOf(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}
