/** Draft of a form, and its value. Untouched fields keep their exact value. */
import { isLosslessNumber } from "lossless-json";
import { isObject, parse, parseNumber, stringify } from "../../json/lossless";
import { formatJson } from "../../json/jsonText";
import { escapeHidden } from "../../text/hiddenCharacters";
import { validateField, type FieldErrors } from "./validation";
import { pointerTo } from "../../json/pointer";
import { ownOf, type Field } from "./fields";
import { toLocalInput, matchesFormat, fromLocalInput, fromTimeInput } from "./formats";
import { splitLines } from "./splitLines";

/** Contents of the fields by name; undefined for a field that is left out. */
export type FormDraft = Record<string, unknown>;

/** Content of a native field whose input cannot be parsed. */
export const UNREADABLE_INPUT = "?";

/** Returns the draft for a value. */
export function draftOf(fields: Field[], value: unknown): FormDraft {
  return Object.fromEntries(fields.map((field) => [field.name, inputValue(field, ownOf(field, value))]));
}

function inputValue(field: Field, value: unknown): unknown {
  if (field.kind === "group") return draftOf(field.fields, value);
  if (value === undefined) return undefined;
  switch (field.kind) {
    case "lines":
      return Array.isArray(value) ? value.join("\n") : "";
    case "choices":
    case "boolean":
      return value;
    case "choice":
      return stringify(value);
    case "json":
      return formatJson(stringify(value));
    default:
      if (isMoment(field) && typeof value === "string" && matchesFormat("date-time", value))
        return toLocalInput(value);
      return isLosslessNumber(value) ? value.value : String(value);
  }
}

/** Returns whether the field is a date and time in the reader's time zone. */
function isMoment(field: Field): boolean {
  return field.kind === "text" && field.format === "date-time" && !field.asText;
}

/**
 * Returns whether the field is a time of day in the reader's time zone. An existing time can be in another
 * time zone and is edited as text.
 */
function isTime(field: Field): boolean {
  return field.kind === "text" && field.format === "time" && !field.asText;
}

/**
 * Returns the fields, adapted so that each can show its part of the value. A field that cannot is edited as
 * JSON.
 */
export function fittingFields(fields: Field[], value: unknown): Field[] {
  return fields.map((field) => {
    const own = ownOf(field, value);
    if (own === undefined) return field;
    if (field.kind === "group" && isObject(own))
      return { ...field, fields: fittingFields(field.fields, own) };
    const plain = !!field.format && (field.format === "time" || !matchesFormat(field.format, String(own)));
    const asText = plain && typeof own === "string" && !!own;
    if (!fits({ ...field, asText }, own)) return { ...field, kind: "json" };
    return { ...field, asText, long: field.long || (typeof own === "string" && own.includes("\n")) };
  });
}

function fits(field: Field, value: unknown): boolean {
  const among = (one: unknown) => field.choices.some((choice) => stringify(choice.value) === stringify(one));
  switch (field.kind) {
    case "group":
      return false;
    case "choice":
      return among(value);
    case "choices":
      return Array.isArray(value) && value.every(among);
    default: {
      const text = inputValue(field, value);
      // A field would hide or remove some of the characters, so the value is edited as JSON.
      if (typeof text === "string" && (escapeHidden(text) !== text || text.includes("\r"))) return false;
      // The same time can be written in several ways, so the text can differ. An untouched field keeps its
      // value.
      if (isMoment(field)) return typeof value === "string";
      return stringify(parseField(field, text, value, "", {})) === stringify(value);
    }
  }
}

/**
 * Returns the draft with new content for the field at the path `steps`. Fields that are left out keep their
 * place.
 */
export function withDraftValue(draft: FormDraft, steps: string[], value: unknown): FormDraft {
  const [name = "", ...rest] = steps;
  const group = draft[name];
  const inner = rest.length > 0 ? withDraftValue(isObject(group) ? group : {}, rest, value) : value;
  return { ...draft, [name]: inner };
}

/**
 * Returns the value of the form, and its errors by JSON pointer to the field. `base` is the initial value.
 */
export function parseDraft(
  fields: Field[],
  draft: FormDraft,
  base?: unknown,
): { value: unknown; errors: FieldErrors } {
  const errors: FieldErrors = {};
  return { value: readFields(fields, draft, base, "", errors), errors };
}

function readFields(
  fields: Field[],
  draft: FormDraft,
  base: unknown,
  pointer: string,
  errors: FieldErrors,
): unknown {
  const [first] = fields;
  if (first?.name === "") return readField(first, draft[""], base, pointerTo(pointer, ""), errors);
  const own = fields.map((field) => [
    field.name,
    readField(field, draft[field.name], ownOf(field, base), pointerTo(pointer, field.name), errors),
  ]);
  // Existing keys keep their order, and keys without a field stay.
  const all = { ...(isObject(base) ? base : {}), ...(Object.fromEntries(own) as object) };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

function readField(
  field: Field,
  raw: unknown,
  known: unknown,
  pointer: string,
  errors: FieldErrors,
): unknown {
  if (field.kind === "group") return readGroup(field, isObject(raw) ? raw : {}, known, pointer, errors);
  const touched = stringify(raw) !== stringify(inputValue(field, known));
  const value = touched ? parseField(field, raw, known, pointer, errors) : known;
  if (value === undefined && field.required) errors[pointer] ??= { code: "required" };
  const error = touched && value !== undefined && validateField(field, value);
  if (error) errors[pointer] = error;
  return value;
}

/**
 * Returns the value of a group. An optional group without any input is left out, even if its fields are
 * required.
 */
function readGroup(
  field: Field,
  draft: FormDraft,
  known: unknown,
  pointer: string,
  errors: FieldErrors,
): unknown {
  const own: FieldErrors = {};
  const value = readFields(field.fields, draft, known, pointer, own);
  const empty = isObject(value) && Object.keys(value).length === 0;
  if (!field.required && known === undefined && empty) return undefined;
  Object.assign(errors, own);
  return value;
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * Returns the value; undefined if the input is empty or invalid. A text or list that had a value and was
 * cleared becomes empty and is not left out.
 */
function parseField(
  field: Field,
  raw: unknown,
  known: unknown,
  pointer: string,
  errors: FieldErrors,
): unknown {
  const there = known !== undefined;
  if (field.kind === "boolean") return typeof raw === "boolean" ? raw : undefined;
  if (field.kind === "choices")
    return Array.isArray(raw) && (raw.length > 0 || field.required || there) ? raw : undefined;
  if (typeof raw !== "string") return undefined;
  const blank = !raw.trim();
  // An empty string matches no format.
  if (field.kind === "text" && blank && (!there || field.format)) return undefined;
  if (field.kind === "text")
    return isMoment(field) ? fromLocalInput(raw) : isTime(field) ? fromTimeInput(raw) : raw;
  if (field.kind === "lines") return blank && !there ? undefined : splitLines(raw);
  if (blank) return undefined;
  if (field.kind === "number" || field.kind === "integer") {
    const text = raw.trim();
    const fits = NUMBER.test(text) && (field.kind === "number" || Number.isInteger(Number(text)));
    if (fits) return parseNumber(text);
    errors[pointer] = { code: field.kind };
    return undefined;
  }
  try {
    return parse(raw);
  } catch {
    errors[pointer] = { code: "json" };
    return undefined;
  }
}
