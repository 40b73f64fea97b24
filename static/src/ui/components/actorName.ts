/** Who did something, with what makes a name count: the role held then, and whether a guest chose the name. */
import type { Actor } from "../../protocol";
import type { Words } from "../../i18n/en";
import { distinctName, type People } from "../names";

export function actorName(by: Actor, words: Words, people?: People): string {
  const name = people ? distinctName(people, by.id, by.name) : by.name;
  const marks = [by.guest ? words.manage.guest : "", by.role ? words.roles[by.role] : ""].filter(Boolean);
  return marks.length > 0 ? words.manage.marked(name, marks) : name;
}
