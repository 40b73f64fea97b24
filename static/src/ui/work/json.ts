/** JSON for people. */
import { isObject, parse, tokensOf, write } from "../../json/exact";
import { visible } from "./visible";

/** The text with one thing a line and nothing hidden; where it is no JSON, as it is. */
export function pretty(text: string): string {
  return isJson(text) ? laidOut(tokensOf(text)) : visible(text);
}

/** A JSON text with its names in the order that they have in another one, so that both can be laid beside each other. */
export function inOrderOf(model: string, text: string): string {
  return isJson(model) && isJson(text) ? write(ordered(parse(model), parse(text))) : text;
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
export function laidOut(tokens: string[]): string {
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
        return token.startsWith('"') ? visible(JSON.stringify(JSON.parse(token))) : token;
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
export function brief(text: string): string {
  return cut(inWords(text));
}

/** The names and values, without the quotes and brackets that say nothing. */
export function inWords(text: string): string {
  let value: unknown;
  try {
    value = parse(text);
  } catch {
    return visible(text);
  }
  return visible(wordsOf(value));
}

/** The same of a value. */
export function wordsOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(plainOf).join(", ");
  if (!isObject(value)) return plainOf(value);
  return Object.entries(value)
    .map(([name, one]) => `${name}: ${plainOf(one)}`)
    .join(", ");
}

function plainOf(value: unknown): string {
  return typeof value === "string" ? value : write(value);
}

function cut(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > SHORT ? `${line.slice(0, SHORT - 1)}…` : line;
}
