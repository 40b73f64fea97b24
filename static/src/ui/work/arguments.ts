/** The arguments of a call, its texts apart: nobody reads a program as one line of JSON. */
import { isObject, parse, write } from "../../json/exact";

/** A text of several lines, or a program of one. */
export interface TextArgument {
  name: string;
  text: string;
  /** Its language, as the highlighter calls it; empty where it is not known. */
  language: string;
}

export interface SplitArguments {
  /** The other arguments as JSON; null where there are none. */
  rest: string | null;
  texts: TextArgument[];
}

/** Names of arguments that say which language they are in. */
const NAMED: Record<string, string> = {
  sql: "sql",
  query_sql: "sql",
  html: "xml",
  css: "css",
  script: "bash",
  command: "bash",
  shell: "bash",
  diff: "diff",
  patch: "diff",
  yaml: "yaml",
};

const ENDINGS: Record<string, string> = {
  py: "python",
  rs: "rust",
  ts: "typescript",
  tsx: "typescript",
  js: "javascript",
  mjs: "javascript",
  go: "go",
  java: "java",
  sh: "bash",
  sql: "sql",
  json: "json",
  yaml: "yaml",
  yml: "yaml",
  toml: "ini",
  html: "xml",
  xml: "xml",
  css: "css",
};

/** Splits the texts of several lines off the arguments of a tool's call. What is no JSON object stays whole. */
export function splitArguments(tool: string, json: string): SplitArguments {
  let value: unknown;
  try {
    value = parse(json);
  } catch {
    return { rest: json, texts: [] };
  }
  if (!isObject(value)) return { rest: json, texts: [] };
  const fields = Object.entries(value);
  const apart = (one: unknown): one is string => typeof one === "string" && one.includes("\n");
  const texts = fields.flatMap(([name, text]) =>
    apart(text) ? [{ name, text, language: languageOf(tool, name, value) }] : [],
  );
  if (texts.length === 0) return { rest: json, texts };
  const others = fields.filter(([, one]) => !apart(one));
  return { rest: others.length > 0 ? write(Object.fromEntries(others)) : null, texts };
}

function languageOf(tool: string, name: string, all: Record<string, unknown>): string {
  const named = NAMED[name.toLowerCase()];
  if (named) return named;
  if (name === "code" && /python/i.test(tool)) return "python";
  if (typeof all.language === "string") return all.language.toLowerCase();
  const path = [all.path, all.file, all.filename, all.name].find((one) => typeof one === "string");
  return ENDINGS[/\.(\w+)$/.exec(path ?? "")?.[1]?.toLowerCase() ?? ""] ?? "";
}
