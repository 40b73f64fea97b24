/** JSON whose numbers stay as written: parsing a call that people vote on must not change it. */
import {
  isLosslessNumber,
  LosslessNumber,
  parse as parseJson,
  stringify as stringifyJson,
} from "lossless-json";

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[^\s{}[\],:"]+|[{}[\],:]/g;

/**
 * Value of a JSON text. Throws if the text is not JSON. Of duplicate names, the last one counts, as in `JSON.parse`.
 */
export function parse(text: string): unknown {
  return parseJson(text, undefined, { parseNumber, onDuplicateKey: ({ newValue }) => newValue });
}

/** JSON text of a value. */
export function stringify(value: unknown): string {
  return stringifyJson(value) ?? "null";
}

/** Tokens of a text that is known to be JSON. */
export function tokensOf(text: string): string[] {
  return text.match(TOKEN) ?? [];
}

/** The number that a JSON text represents; a `LosslessNumber` if JavaScript would write it differently. */
export function parseNumber(source: string): number | LosslessNumber {
  return String(Number(source)) === source ? Number(source) : new LosslessNumber(source);
}

/** Returns whether the value is a JSON object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isLosslessNumber(value);
}
