/** Formats JSON for people. */
import { isObject, parse, tokensOf, stringify } from "./lossless";
import { escapeHidden } from "../text/hiddenCharacters";

/** Returns the text with one item per line; a text that is not JSON is returned unchanged. */
export function formatJson(text: string): string {
  return isJson(text) ? indentTokens(tokensOf(text)) : escapeHidden(text);
}

/** Returns a JSON text with its keys in the order of another one, for comparison. */
export function sortKeysLike(model: string, text: string): string {
  return isJson(model) && isJson(text) ? stringify(ordered(parse(model), parse(text))) : text;
}

function ordered(model: unknown, value: unknown): unknown {
  if (Array.isArray(value))
    return value.map((one, i) => ordered(Array.isArray(model) ? model[i] : undefined, one));
  if (!isObject(value)) return value;
  const like = isObject(model) ? model : {};
  const names = [...Object.keys(like).filter((name) => Object.hasOwn(value, name)), ...Object.keys(value)];
  return Object.fromEntries([...new Set(names)].map((name) => [name, ordered(like[name], value[name])]));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Returns the tokens of a JSON text, one item per line. */
export function indentTokens(tokens: string[]): string {
  let depth = 0;
  const line = () => `\n${"  ".repeat(depth)}`;
  const piece = (token: string, i: number): string => {
    switch (token) {
      case "{":
      case "[":
        depth++;
        return closes(tokens[i + 1]) ? token : token + line();
      case "}":
      case "]":
        depth--;
        return opens(tokens[i - 1]) ? token : line() + token;
      case ",":
        return token + line();
      case ":":
        return ": ";
      default:
        return token.startsWith('"') ? escapeHidden(JSON.stringify(JSON.parse(token))) : token;
    }
  };
  return tokens.map(piece).join("");
}

function opens(token: string | undefined): boolean {
  return token === "{" || token === "[";
}

function closes(token: string | undefined): boolean {
  return token === "}" || token === "]";
}

/** Maximum characters of a short line. */
const SHORT = 90;

/** Returns a short form of arguments. */
export function abbreviate(text: string): string {
  return cut(jsonToText(text));
}

/** Returns names and values without quotes and brackets. */
export function jsonToText(text: string): string {
  let value: unknown;
  try {
    value = parse(text);
  } catch {
    return escapeHidden(text);
  }
  return escapeHidden(valueToText(value));
}

/** The same for a value. */
export function valueToText(value: unknown): string {
  if (Array.isArray(value)) return value.map(plainOf).join(", ");
  if (!isObject(value)) return plainOf(value);
  return Object.entries(value)
    .map(([name, one]) => `${name}: ${plainOf(one)}`)
    .join(", ");
}

function plainOf(value: unknown): string {
  return typeof value === "string" ? value : stringify(value);
}

function cut(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > SHORT ? `${line.slice(0, SHORT - 1)}…` : line;
}
