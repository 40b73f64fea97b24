/** Fields of a part of a document, from the JSON Schema of documents. */
import { isObject } from "../../../json/lossless";
import { pointerSteps } from "../../../json/pointer";
import type { JsonObject } from "../../../wire/teams";
import { numberOf, typeOf } from "../../form/jsonSchema";

/** Field for one property. */
export interface DocumentField {
  name: string;
  title: string;
  description: string;
  required: boolean;
  kind: "text" | "long" | "number" | "boolean" | "choice" | "lines" | "map" | "list" | "group" | "json";
  /** Values of a field of the `choice` kind. */
  choices: string[];
  /** Fields of a group, or of each entry in a list. */
  fields: DocumentField[];
  /** Default value as text; empty if there is none. */
  initial: string;
  integer: boolean;
  minimum?: number;
  maximum?: number;
}

/** Maximum nesting of groups and lists, because schemas can be recursive. */
const MAX_DEPTH = 4;
/** Maximum length of text that is edited in a single-line field. */
const LONG_TEXT_CHARS = 400;

/** Returns the fields of the object at the pointer into the document. */
export function fieldsAt(root: JsonObject, pointer: string): DocumentField[] {
  const schema = pointerSteps(pointer).reduce(
    (outer, step) => innerSchema(root, outer, step),
    resolve(root, root),
  );
  return fieldsOfSchema(root, schema, 0);
}

function innerSchema(root: JsonObject, schema: JsonObject, step: string): JsonObject {
  const properties = isObject(schema.properties) ? schema.properties : {};
  return resolve(root, properties[step] ?? schema.items ?? schema.additionalProperties);
}

function fieldsOfSchema(root: JsonObject, schema: JsonObject, depth: number): DocumentField[] {
  if (!isObject(schema.properties) || depth > MAX_DEPTH) return [];
  const required = Array.isArray(schema.required) ? (schema.required as unknown[]) : [];
  return Object.entries(schema.properties).map(([name, property]) =>
    fieldOf(root, name, resolve(root, property), required.includes(name), depth),
  );
}

function fieldOf(
  root: JsonObject,
  name: string,
  schema: JsonObject,
  required: boolean,
  depth: number,
): DocumentField {
  const field: DocumentField = {
    name,
    title: textOf(schema.title) || name,
    description: textOf(schema.description),
    required,
    kind: "json",
    choices: choicesOf(root, schema),
    fields: [],
    initial: schema.default === undefined || schema.default === null ? "" : plain(schema.default),
    integer: typeOf(schema) === "integer",
    minimum: numberOf(schema.minimum),
    maximum: numberOf(schema.maximum),
  };
  if (field.choices.length > 0) return { ...field, kind: "choice" };
  switch (typeOf(schema)) {
    case "string":
      return { ...field, kind: isLong(name, schema) ? "long" : "text" };
    case "number":
    case "integer":
      return { ...field, kind: "number" };
    case "boolean":
      return { ...field, kind: "boolean" };
    case "array": {
      const items = resolve(root, schema.items);
      if (typeOf(items) === "string") return { ...field, kind: "lines" };
      const fields = fieldsOfSchema(root, items, depth + 1);
      return fields.length > 0 ? { ...field, kind: "list", fields } : field;
    }
    case "object": {
      const fields = fieldsOfSchema(root, schema, depth + 1);
      return fields.length > 0 ? { ...field, kind: "group", fields } : { ...field, kind: "map" };
    }
    default:
      return field;
  }
}

/** Follows references, and leaves out the null alternative, which means the same as no value. */
function resolve(root: JsonObject, schema: unknown, depth = 0): JsonObject {
  if (!isObject(schema) || depth > 16) return {};
  const outer = schema as JsonObject;
  const reference = outer.$ref;
  if (typeof reference === "string" && reference.startsWith("#")) {
    const target = pointerSteps(decodeURIComponent(reference.slice(1))).reduce<unknown>(
      (inner, step) => (isObject(inner) ? (inner as JsonObject)[step] : undefined),
      root,
    );
    const { $ref: _, ...own } = outer;
    return { ...resolve(root, target, depth + 1), ...own };
  }
  const options = outer.anyOf ?? outer.oneOf ?? outer.allOf;
  if (!Array.isArray(options)) return outer;
  const types = options.filter((one) => !isObject(one) || (one as JsonObject).type !== "null");
  return types.length === 1
    ? { ...resolve(root, types[0], depth + 1), ...withoutAlternatives(outer) }
    : outer;
}

function withoutAlternatives({ anyOf: _any, oneOf: _one, allOf: _all, ...rest }: JsonObject): JsonObject {
  return rest;
}

function choicesOf(root: JsonObject, schema: JsonObject): string[] {
  if (Array.isArray(schema.enum)) return schema.enum.filter((one) => typeof one === "string");
  const options = schema.oneOf ?? schema.anyOf;
  if (!Array.isArray(options)) return [];
  const values = options.map((one) => {
    const option = resolve(root, one);
    return Array.isArray(option.enum) && option.enum.length === 1
      ? (option.enum[0] as unknown)
      : option.const;
  });
  return values.every((one) => typeof one === "string") ? values : [];
}

function isLong(name: string, schema: JsonObject): boolean {
  return (
    /prompt|description/.test(name) ||
    (!/name|id$/.test(name) && (numberOf(schema.maxLength) ?? 0) > LONG_TEXT_CHARS)
  );
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function plain(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
