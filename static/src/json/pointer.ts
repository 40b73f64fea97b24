/** JSON Pointers (RFC 6901), and immutable changes of the values that they address. */

/** Returns the steps of a pointer. */
export function pointerSteps(pointer: string): string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Returns the pointer with one more step. */
export function pointerTo(base: string, step: string | number): string {
  return `${base}/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** Returns whether the pointer addresses `base` or something inside it. */
export function isWithin(pointer: string, base: string): boolean {
  return pointer === base || pointer.startsWith(`${base}/`);
}

/** Returns the value at the pointer; undefined if there is none. */
export function valueAt(value: unknown, pointer: string): unknown {
  return pointerSteps(pointer).reduce<unknown>(
    (inner, step) =>
      inner !== null && typeof inner === "object" && Object.hasOwn(inner, step)
        ? (inner as Record<string, unknown>)[step]
        : undefined,
    value,
  );
}

/** Returns the value with another value at the pointer; undefined removes the key or the entry. */
export function withValueAt<T>(value: T, pointer: string, next: unknown): T {
  return changed(value, pointerSteps(pointer), next) as T;
}

function changed(value: unknown, [step, ...rest]: string[], next: unknown): unknown {
  if (step === undefined) return next;
  if (Array.isArray(value)) {
    const index = Number(step);
    const inner = changed(value[index], rest, next);
    return inner === undefined ? value.filter((_, i) => i !== index) : value.with(index, inner);
  }
  const object = value !== null && typeof value === "object" ? (value as Record<string, unknown>) : {};
  const inner = changed(object[step], rest, next);
  if (inner !== undefined) return { ...object, [step]: inner };
  return Object.fromEntries(Object.entries(object).filter(([key]) => key !== step));
}
