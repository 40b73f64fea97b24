/** What can be chosen, each with the words that stand for it. */
import { isObject, write } from "../../json/exact";
import { jsonToText } from "../../json/jsonText";
import { isolateDirection } from "../../text/hiddenCharacters";

/** One of them. */
export interface Choice {
  value: unknown;
  /** What people read. */
  title: string;
}

/** The choices that a schema gives, by either way that there is to name them; null where it gives none. */
export function choicesOf(schema: Record<string, unknown>): Choice[] | null {
  if (Array.isArray(schema.enum)) {
    const names: unknown[] = Array.isArray(schema.enumNames) ? schema.enumNames : [];
    return schema.enum.map((value, i) => choice(value, names[i]));
  }
  const options = optionsOf(schema);
  const all = options?.filter((one) => Object.hasOwn(one, "const")) ?? [];
  return all.length > 0 && all.length === options?.length
    ? all.map((one) => choice(one.const, one.title))
    : null;
}

/** The schemas of which one is to fit, without the one that stands for nothing at all. */
export function optionsOf(schema: Record<string, unknown>): Record<string, unknown>[] | null {
  const options = schema.oneOf ?? schema.anyOf;
  if (!Array.isArray(options) || !options.every(isObject)) return null;
  return options.filter((one) => one.type !== "null");
}

function choice(value: unknown, title: unknown): Choice {
  return {
    value,
    title: typeof title === "string" && title ? isolateDirection(title) : jsonToText(write(value)),
  };
}
