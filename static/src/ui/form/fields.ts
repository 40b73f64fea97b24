/** Fields of a form, from a JSON Schema. A value that a form cannot express is edited as JSON. */
import { isObject, stringify } from "../../json/lossless";
import { jsonToText } from "../../json/jsonText";
import { escapeBidi } from "../../text/hiddenCharacters";
import { formatOf, type TextFormat } from "./formats";
import { numberOf, typeOf } from "./jsonSchema";

/** Choice of a field. */
interface Choice {
  value: unknown;
  /** Label of the choice. */
  title: string;
}

/** Returns the choices of a schema, in the notation with `enum` or with `const`; null if there are none. */
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

/** Returns the alternatives in `oneOf` or `anyOf`, except null; null if the schema has none. */
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

/** Field of a form. */
export interface Field {
  /** Key of the value; empty if the field is the whole value. */
  name: string;
  title: string;
  description: string;
  required: boolean;
  kind: "text" | "number" | "integer" | "boolean" | "choice" | "choices" | "lines" | "group" | "json";
  /** Choices of a field of the kind `choice` or `choices`; otherwise empty. */
  choices: Choice[];
  /** Fields of a group; otherwise empty. */
  fields: Field[];
  /** Default value; undefined if there is none. */
  initial: unknown;
  bounds: Bounds;
  /** Format of the text, if the form supports it. */
  format?: TextFormat;
  /**
   * True if the native field of the format cannot show the value, so that the field is a plain text field.
   */
  asText?: boolean;
  /** True if the text is expected to be long. */
  long: boolean;
}

/** Limits of a value, named after the keywords of JSON Schema. */
interface Bounds {
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  multipleOf?: number;
  /** Minimum length, in characters. */
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  minItems?: number;
  maxItems?: number;
}

type Schema = Record<string, unknown>;

/** Maximum nesting of groups. Deeper groups would make the form confusing. */
const MAX_DEPTH = 1;

/**
 * Returns the fields of a schema, in its order. For a value that is not an object, returns one field without
 * a name.
 */
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

function fieldOf(name: string, property: Schema, required: boolean, depth: number): Field {
  const schema = withoutNull(property);
  const field: Field = {
    name,
    title: escapeBidi(typeof schema.title === "string" ? schema.title : name),
    description: escapeBidi(typeof schema.description === "string" ? schema.description : ""),
    required,
    kind: "json",
    choices: [],
    fields: [],
    // Null means the same as leaving the field out.
    initial: schema.default ?? undefined,
    bounds: boundsIn(schema),
    format: formatOf(schema.format),
    long: (numberOf(schema.maxLength) ?? 0) > 200 || schema.format === "textarea",
  };
  const type = typeOf(schema);
  const items = isObject(schema.items) ? schema.items : null;
  const choices = choicesOf(schema);
  if (choices) return { ...field, kind: "choice", choices };
  const itemChoices = type === "array" && items && choicesOf(items);
  if (itemChoices) return { ...field, kind: "choices", choices: itemChoices };
  if (type === "array" && items && typeOf(items) === "string") return { ...field, kind: "lines" };
  if (type === "object" && isObject(schema.properties) && depth < MAX_DEPTH)
    return { ...field, kind: "group", fields: fieldsIn(schema, depth + 1) };
  if (type === "string") return { ...field, kind: "text" };
  if (type === "number" || type === "integer" || type === "boolean") return { ...field, kind: type };
  return field;
}

/**
 * Returns the schema without its null alternative, if only one other alternative remains. Null means the same
 * as leaving the field out.
 */
function withoutNull(schema: Schema): Schema {
  const options = optionsOf(schema);
  return options?.length === 1 && !Object.hasOwn(options[0]!, "const")
    ? { ...options[0], ...schema }
    : schema;
}

function boundsIn(schema: Schema): Bounds {
  return {
    minimum: numberOf(schema.minimum),
    maximum: numberOf(schema.maximum),
    exclusiveMinimum: numberOf(schema.exclusiveMinimum),
    exclusiveMaximum: numberOf(schema.exclusiveMaximum),
    multipleOf: numberOf(schema.multipleOf),
    minLength: numberOf(schema.minLength),
    maxLength: numberOf(schema.maxLength),
    pattern: typeof schema.pattern === "string" ? schema.pattern : undefined,
    minItems: numberOf(schema.minItems),
    maxItems: numberOf(schema.maxItems),
  };
}

/** Returns the default values of the fields. */
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

/** Returns the field's part of the form's value. */
export function ownOf(field: Field, value: unknown): unknown {
  if (field.name === "") return value;
  return isObject(value) && Object.hasOwn(value, field.name) ? value[field.name] : undefined;
}
