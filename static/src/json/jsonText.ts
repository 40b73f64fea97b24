/** JSON for people. */
import { isObject, parse, tokensOf, stringify } from "./lossless";
import { escapeHidden } from "../text/hiddenCharacters";

/** The text with one thing a line and nothing hidden; where it is no JSON, as it is. */
export function formatJson(text: string): string {
  return isJson(text) ? indentTokens(tokensOf(text)) : escapeHidden(text);
}

/** A JSON text with its names in the order that they have in another one, so that both can be laid beside each other. */
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

/** The pieces of a JSON text, one thing a line. */
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

/** Characters of a short line. */
const SHORT = 90;

/** Arguments in a few words. */
export function abbreviate(text: string): string {
  return cut(jsonToText(text));
}

/** The names and values, without the quotes and brackets that say nothing. */
export function jsonToText(text: string): string {
  let value: unknown;
  try {
    value = parse(text);
  } catch {
    return escapeHidden(text);
  }
  return escapeHidden(valueToText(value));
}

/** The same of a value. */
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
