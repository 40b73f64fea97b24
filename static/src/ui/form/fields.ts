/** What a JSON Schema asks for, as the fields of a form. What a form cannot ask for is written as JSON. */
import { isObject } from "../../json/exact";
import { inOrder } from "../work/visible";

/** One thing that is asked for. */
export interface Field {
  /** Where the value goes; empty: it is the whole answer. */
  name: string;
  title: string;
  description: string;
  required: boolean;
  kind: "text" | "number" | "integer" | "boolean" | "choice" | "choices" | "lines" | "group" | "json";
  /** What can be chosen. */
  choices: unknown[];
  /** The fields of a group. */
  fields: Field[];
  /** What counts where nothing is said. */
  initial: unknown;
  minimum?: number;
  maximum?: number;
  /** A longer text is expected. */
  long: boolean;
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

function fieldOf(name: string, schema: Schema, required: boolean, depth: number): Field {
  const field: Field = {
    name,
    title: inOrder(typeof schema.title === "string" ? schema.title : name),
    description: inOrder(typeof schema.description === "string" ? schema.description : ""),
    required,
    kind: "json",
    choices: [],
    fields: [],
    initial: schema.default,
    minimum: numberIn(schema.minimum),
    maximum: numberIn(schema.maximum),
    long: (numberIn(schema.maxLength) ?? 0) > 200 || schema.format === "textarea",
  };
  const type = typeOf(schema);
  const items = isObject(schema.items) ? schema.items : null;
  if (Array.isArray(schema.enum)) return { ...field, kind: "choice", choices: schema.enum };
  if (type === "array" && Array.isArray(items?.enum))
    return { ...field, kind: "choices", choices: items.enum };
  if (type === "array" && items && typeOf(items) === "string") return { ...field, kind: "lines" };
  if (type === "object" && isObject(schema.properties) && depth < DEPTH)
    return { ...field, kind: "group", fields: fieldsIn(schema, depth + 1) };
  if (type === "string") return { ...field, kind: "text" };
  if (type === "number" || type === "integer" || type === "boolean") return { ...field, kind: type };
  return field;
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
