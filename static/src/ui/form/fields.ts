/** Fields of a form, from a JSON Schema. What a form cannot ask for is written as JSON. */
import { isObject, stringify } from "../../json/lossless";
import { jsonToText } from "../../json/jsonText";
import { escapeBidi } from "../../text/hiddenCharacters";
import { formatOf, type TextFormat } from "./formats";

/** One of them. */
interface Choice {
  value: unknown;
  /** What people read. */
  title: string;
}

/** The choices that a schema gives, by either way that there is to name them; null where it gives none. */
function choicesOf(schema: Record<string, unknown>): Choice[] | null {
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
function optionsOf(schema: Record<string, unknown>): Record<string, unknown>[] | null {
  const options = schema.oneOf ?? schema.anyOf;
  if (!Array.isArray(options) || !options.every(isObject)) return null;
  return options.filter((one) => one.type !== "null");
}

function choice(value: unknown, title: unknown): Choice {
  return {
    value,
    title: typeof title === "string" && title ? escapeBidi(title) : jsonToText(stringify(value)),
  };
}

/** One thing that is asked for. */
export interface Field {
  /** Where the value goes; empty: it is the whole answer. */
  name: string;
  title: string;
  description: string;
  required: boolean;
  kind: "text" | "number" | "integer" | "boolean" | "choice" | "choices" | "lines" | "group" | "json";
  /** What can be chosen. */
  choices: Choice[];
  /** The fields of a group. */
  fields: Field[];
  /** What counts where nothing is said. */
  initial: unknown;
  bounds: Bounds;
  /** What a text has to be. */
  format?: TextFormat;
  /** It holds what a browser's own field of that format could not show. */
  asText?: boolean;
  /** A longer text is expected. */
  long: boolean;
}

/** How large, how long, how many. */
interface Bounds {
  minimum?: number;
  maximum?: number;
  /** More than that. */
  above?: number;
  /** Less than that. */
  below?: number;
  step?: number;
  /** Characters. */
  shortest?: number;
  longest?: number;
  pattern?: string;
  /** Items. */
  fewest?: number;
  atMost?: number;
}

type Schema = Record<string, unknown>;

/** Groups in groups would be a form that nobody oversees. */
const DEPTH = 1;

/** The fields of a schema, in its order. An answer that is no object has one field without a name. */
export function fieldsOf(schema: unknown): Field[] {
  if (!isObject(schema)) return [fieldOf("", {}, true, 0)];
  return isObject(schema.properties) ? fieldsIn(schema, 0) : [fieldOf("", schema, true, 0)];
}

function fieldsIn(schema: Schema, depth: number): Field[] {
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(schema.properties as Schema).map(([name, property]) =>
    fieldOf(name, isObject(property) ? property : {}, required.includes(name), depth),
  );
}

function fieldOf(name: string, asked: Schema, required: boolean, depth: number): Field {
  const schema = certain(asked);
  const field: Field = {
    name,
    title: escapeBidi(typeof schema.title === "string" ? schema.title : name),
    description: escapeBidi(typeof schema.description === "string" ? schema.description : ""),
    required,
    kind: "json",
    choices: [],
    fields: [],
    // Nothing at all is what leaving it out means.
    initial: schema.default ?? undefined,
    bounds: boundsIn(schema),
    format: formatOf(schema.format),
    long: (numberIn(schema.maxLength) ?? 0) > 200 || schema.format === "textarea",
  };
  const type = typeOf(schema);
  const items = isObject(schema.items) ? schema.items : null;
  const choices = choicesOf(schema);
  if (choices) return { ...field, kind: "choice", choices };
  const several = type === "array" && items && choicesOf(items);
  if (several) return { ...field, kind: "choices", choices: several };
  if (type === "array" && items && typeOf(items) === "string") return { ...field, kind: "lines" };
  if (type === "object" && isObject(schema.properties) && depth < DEPTH)
    return { ...field, kind: "group", fields: fieldsIn(schema, depth + 1) };
  if (type === "string") return { ...field, kind: "text" };
  if (type === "number" || type === "integer" || type === "boolean") return { ...field, kind: type };
  return field;
}

/** The schema without the choice between it and nothing at all, which leaving a field out is. */
function certain(schema: Schema): Schema {
  const options = optionsOf(schema);
  return options?.length === 1 && !Object.hasOwn(options[0]!, "const")
    ? { ...options[0], ...schema }
    : schema;
}

function boundsIn(schema: Schema): Bounds {
  return {
    minimum: numberIn(schema.minimum),
    maximum: numberIn(schema.maximum),
    above: numberIn(schema.exclusiveMinimum),
    below: numberIn(schema.exclusiveMaximum),
    step: numberIn(schema.multipleOf),
    shortest: numberIn(schema.minLength),
    longest: numberIn(schema.maxLength),
    pattern: typeof schema.pattern === "string" ? schema.pattern : undefined,
    fewest: numberIn(schema.minItems),
    atMost: numberIn(schema.maxItems),
  };
}

/** The type, also where nothing else than null is allowed beside it. */
function typeOf(schema: Schema): string | undefined {
  const { type } = schema;
  const all: unknown[] = Array.isArray(type) ? type.filter((one) => one !== "null") : [type];
  return all.length === 1 && typeof all[0] === "string" ? all[0] : undefined;
}

function numberIn(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

/** The value that the schema has for whoever says nothing. */
export function defaultsOf(fields: Field[]): unknown {
  const [first] = fields;
  if (first?.name === "") return first.initial;
  const values = fields.map((field) => [field.name, defaultOf(field)] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

function defaultOf(field: Field): unknown {
  if (field.kind !== "group" || field.initial !== undefined) return field.initial;
  const value = defaultsOf(field.fields) as object;
  return Object.keys(value).length > 0 ? value : undefined;
}

/** The value of a field in the value of its form. */
export function ownOf(field: Field, value: unknown): unknown {
  if (field.name === "") return value;
  return isObject(value) && Object.hasOwn(value, field.name) ? value[field.name] : undefined;
}
