/** Who did something, with what makes a name count: the role held then, and whether a guest chose the name. */
import type { Actor } from "../../protocol";
import type { Words } from "../../i18n/en";

export function who(by: Actor, words: Words): string {
  const marks = [by.guest ? words.manage.guest : "", by.role ? words.roles[by.role] : ""].filter(Boolean);
  return marks.length > 0 ? words.manage.marked(by.name, marks) : by.name;
}
