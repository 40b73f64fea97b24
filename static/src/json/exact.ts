/** JSON whose numbers stay as they were written: a call that people vote on must not become another one by being read. */

/** A number as it was written, where JavaScript would write it in another way. */
export class Numeral {
  constructor(readonly source: string) {}
}

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[^\s{}[\],:"]+|[{}[\],:]/g;

/** The value of a JSON text; throws where it is none. */
export function parse(text: string): unknown {
  const value: unknown = JSON.parse(text);
  const tokens = tokensOf(text);
  return tokens.some(isLossy) ? valueOf(tokens.values()) : value;
}

/** The value as JSON text. */
export function write(value: unknown): string {
  if (value instanceof Numeral) return value.source;
  if (Array.isArray(value)) return `[${value.map((one) => write(one ?? null)).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const fields = Object.entries(value).filter(([, one]) => one !== undefined);
  return `{${fields.map(([name, one]) => `${JSON.stringify(name)}:${write(one)}`).join(",")}}`;
}

/** The pieces of a text that is known to be JSON. */
export function tokensOf(text: string): string[] {
  return text.match(TOKEN) ?? [];
}

/** The number that a JSON text stands for. */
export function numberOf(source: string): number | Numeral {
  return isLossy(source) ? new Numeral(source) : Number(source);
}

/** A JSON object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Numeral);
}

function isLossy(token: string): boolean {
  return /^[-\d]/.test(token) && String(Number(token)) !== token;
}

/** The value that begins with this token. */
function valueOf(tokens: Iterator<string, undefined>, token = tokens.next().value!): unknown {
  if (token === "[") {
    const list: unknown[] = [];
    for (let next = tokens.next().value!; next !== "]"; next = tokens.next().value!)
      if (next !== ",") list.push(valueOf(tokens, next));
    return list;
  }
  if (token === "{") {
    const fields: [string, unknown][] = [];
    for (let next = tokens.next().value!; next !== "}"; next = tokens.next().value!) {
      if (next === ",") continue;
      tokens.next();
      fields.push([JSON.parse(next) as string, valueOf(tokens)]);
    }
    return Object.fromEntries(fields);
  }
  return /^[-\d]/.test(token) ? numberOf(token) : (JSON.parse(token) as unknown);
}
