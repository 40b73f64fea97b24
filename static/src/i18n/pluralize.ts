/** A number with its noun, in English. */
export function pluralize(n: number, one: string, more: string): string {
  return `${n} ${n === 1 ? one : more}`;
}
