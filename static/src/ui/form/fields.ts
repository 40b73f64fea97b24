/** What a JSON Schema asks for, as the fields of a form. What a form cannot ask for is written as JSON. */
import { isObject } from "../../state/reading";

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
  initial: unknown;
  minimum?: number;
  maximum?: number;
  /** A longer text is expected. */
  long: boolean;
}

/** What people have filled in so far, by the name of the field. */
export type Draft = Record<string, unknown>;

type Schema = Record<string, unknown>;

/** Groups in groups would be a form that nobody oversees. */
const DEPTH = 1;

/** The fields of a schema. An answer that is no object has one field without a name. */
export function fieldsOf(schema: unknown): Field[] {
  if (!isObject(schema)) return [fieldOf("", {}, true, 0)];
  return isObject(schema.properties) ? fieldsIn(schema, 0) : [fieldOf("", schema, true, 0)];
}

function fieldsIn(schema: Schema, depth: number): Field[] {
  const required = Array.isArray(schema.required) ? schema.required : [];
  const fields = Object.entries(schema.properties as Schema).map(([name, property]) =>
    fieldOf(name, isObject(property) ? property : {}, required.includes(name), depth),
  );
  // The order of a JSON object means nothing; what is needed comes first.
  return [...fields.filter((field) => field.required), ...fields.filter((field) => !field.required)];
}

function fieldOf(name: string, schema: Schema, required: boolean, depth: number): Field {
  const field: Field = {
    name,
    title: typeof schema.title === "string" ? schema.title : name,
    description: typeof schema.description === "string" ? schema.description : "",
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

/** What the form shows for a value, or where nothing was filled in for the defaults. */
export function draftOf(fields: Field[], value?: unknown): Draft {
  const of = (field: Field) => {
    const known = field.name === "" ? value : isObject(value) ? value[field.name] : undefined;
    return shown(field, known === undefined ? field.initial : known);
  };
  return Object.fromEntries(fields.map((field) => [field.name, of(field)]));
}

function shown(field: Field, value: unknown): unknown {
  switch (field.kind) {
    case "group":
      return draftOf(field.fields, value);
    case "lines":
      return Array.isArray(value) ? value.join("\n") : "";
    case "choices":
      return Array.isArray(value) ? value : [];
    case "choice":
      return value === undefined ? "" : JSON.stringify(value);
    case "boolean":
      return typeof value === "boolean" ? value : undefined;
    case "json":
      return value === undefined ? "" : JSON.stringify(value, null, 2);
    default:
      return value === undefined || value === null ? "" : String(value);
  }
}

/** What is wrong with a field, for the words of the page. */
export type Fault =
  { what: "required" | "integer" | "number" | "json" } | { what: "least" | "most"; n: number };

/** The value of the form, or what is wrong with it, by the path of the field. */
export function read(fields: Field[], draft: Draft): { value: unknown; faults: Record<string, Fault> } {
  const faults: Record<string, Fault> = {};
  const value = valueOf(fields, draft, "", faults);
  return { value, faults };
}

function valueOf(fields: Field[], draft: Draft, path: string, faults: Record<string, Fault>): unknown {
  const [first] = fields;
  if (first?.name === "") return one(first, draft[""], path, faults);
  const value: Record<string, unknown> = {};
  for (const field of fields) {
    const own = one(field, draft[field.name], `${path}/${field.name}`, faults);
    if (own !== undefined) value[field.name] = own;
  }
  return value;
}

function one(field: Field, raw: unknown, path: string, faults: Record<string, Fault>): unknown {
  if (field.kind === "group") return group(field, isObject(raw) ? raw : {}, path, faults);
  const value = parsed(field, raw, path, faults);
  if (value === undefined && field.required) faults[path] ??= { what: "required" };
  if (typeof value === "number") {
    if (field.minimum !== undefined && value < field.minimum)
      faults[path] = { what: "least", n: field.minimum };
    if (field.maximum !== undefined && value > field.maximum)
      faults[path] = { what: "most", n: field.maximum };
  }
  return value;
}

/** One that need not be there and in which nothing is filled in is left out, whatever it would need. */
function group(field: Field, draft: Draft, path: string, faults: Record<string, Fault>): unknown {
  const own: Record<string, Fault> = {};
  const value = valueOf(field.fields, draft, path, own);
  if (!field.required && isObject(value) && Object.keys(value).length === 0) return undefined;
  Object.assign(faults, own);
  return value;
}

/** The value; undefined where nothing was filled in. */
function parsed(field: Field, raw: unknown, path: string, faults: Record<string, Fault>): unknown {
  if (field.kind === "boolean") return typeof raw === "boolean" ? raw : undefined;
  if (field.kind === "choices")
    return Array.isArray(raw) && (raw.length > 0 || field.required) ? raw : undefined;
  const text = typeof raw === "string" ? raw : "";
  if (!text.trim()) return undefined;
  switch (field.kind) {
    case "text":
      return text;
    case "lines":
      return text
        .split("\n")
        .map((line) => line.trim())
        .filter(Boolean);
    case "number":
    case "integer": {
      const number = Number(text);
      const fits = field.kind === "integer" ? Number.isInteger(number) : Number.isFinite(number);
      if (!fits) faults[path] = { what: field.kind };
      return number;
    }
    default:
      try {
        return JSON.parse(text) as unknown;
      } catch {
        faults[path] = { what: "json" };
        return undefined;
      }
  }
}
