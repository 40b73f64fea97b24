/** Returns a number with its English noun. */
export function pluralize(n: number, one: string, more: string): string {
  return `${n} ${n === 1 ? one : more}`;
}
