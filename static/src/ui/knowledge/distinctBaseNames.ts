/** Bases of one name, told apart. */
import type { Base } from "../../wire/knowledge";

/** What stands beside the name of each base that shares it with others, by id: whose it is, else its number. */
export function distinctBaseNames(bases: Base[]): Map<number, string> {
  const marks = new Map<number, string>();
  for (const { id, name, owner } of bases) {
    const others = bases.filter((one) => one.name === name && one.id !== id);
    if (others.length === 0) continue;
    marks.set(id, others.some((one) => one.owner.id === owner.id) ? `#${id}` : owner.name);
  }
  return marks;
}
