/** Arguments of a tool call. Long texts stand apart from the JSON: nobody reads a program as one line of JSON. */
import { isObject, parse, tokensOf } from "../../json/lossless";
import { indentTokens, formatJson } from "../../json/jsonText";
import { escapeHidden } from "../../text/hiddenCharacters";
import { useMemo } from "react";
import { useWords } from "../../i18n/locale";
import { TextBlock } from "./TextBlock";

/** A text of several lines, or a program of one. */
interface TextArgument {
  /** Where it stands: `code`, or `edits[0].old`. */
  name: string;
  text: string;
  /** Its language, as the highlighter calls it; empty where it is not known. */
  language: string;
}

interface SplitArguments {
  /** The other arguments as JSON for people, with a mark where a nested text stood; null where there are none. */
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

/** Names of arguments that hold a text in the language that stands beside them. */
const CONTENT =
  /^(?:after|before|body|code|contents?|insert\w*|new|new_\w+|old|old_\w+|program|replace\w*|search|snippet|source|text)$/i;

const LANGUAGES = new Set([...Object.values(NAMED), ...Object.entries(ENDINGS).flat()]);

/** More than one word: `create` may be a command, but is no program. */
const PROGRAM = /\w\W+\w|[()]/;

/** In the place of a nested text that stands below. It is no JSON, so no argument can look like it. */
const BELOW = "…";

/** Splits texts of several lines and programs off the arguments of a tool's call, however deep they stand in them. */
export function splitArguments(tool: string, json: string): SplitArguments {
  let all: unknown;
  try {
    all = parse(json);
  } catch {
    return { rest: escapeHidden(json), texts: [] };
  }
  if (!isObject(all)) return { rest: formatJson(json), texts: [] };
  // By its tokens, so that the rest is as it was written, to the last digit and in its order.
  const tokens = tokensOf(json);
  const texts: TextArgument[] = [];
  let at = 0;
  /** The value that begins here without the texts in it, of which `name` and what is beside it tell the language. */
  const read = (value: unknown, path: string, name: string, beside: Record<string, unknown>): string[] => {
    const token = tokens[at++]!;
    if (token === "{" && isObject(value)) return entries(value, path);
    if (token === "[" && Array.isArray(value)) {
      const out = ["["];
      for (let i = 0; tokens[at] !== "]"; i++) {
        if (tokens[at] === ",") out.push(tokens[at++]!);
        out.push(...read(value[i], `${path}[${i}]`, name, beside));
      }
      return [...out, tokens[at++]!];
    }
    if (!token.startsWith('"')) return [token];
    const text = JSON.parse(token) as string;
    const language = languageOf(tool, name, beside);
    if (!text.includes("\n") && !(LANGUAGES.has(language) && PROGRAM.test(text))) return [token];
    texts.push({ name: path, text, language });
    return [BELOW];
  };
  const entries = (value: Record<string, unknown>, path: string): string[] => {
    const out = ["{"];
    while (tokens[at] !== "}") {
      if (tokens[at] === ",") at++;
      const key = tokens[at]!;
      at += 2;
      const name = JSON.parse(key) as string;
      const rest = read(value[name], path ? `${path}.${name}` : name, name, value);
      // A text that is an argument by itself leaves nothing that would have to be seen in its place.
      if (!path && rest[0] === BELOW) continue;
      if (out.length > 1) out.push(",");
      out.push(key, ":", ...rest);
    }
    return [...out, tokens[at++]!];
  };
  const rest = read(all, "", "", {});
  return { rest: rest.length > 2 || texts.length === 0 ? indentTokens(rest) : null, texts };
}

/** Empty where it is not known. */
function languageOf(tool: string, name: string, beside: Record<string, unknown>): string {
  const named = NAMED[name.toLowerCase()];
  if (named) return named;
  if (!CONTENT.test(name)) return "";
  if (name === "code" && /python/i.test(tool)) return "python";
  if (typeof beside.language === "string") return beside.language.toLowerCase();
  const path = [beside.path, beside.file, beside.filename, beside.name].find(
    (one) => typeof one === "string",
  );
  return ENDINGS[/\.(\w+)$/.exec(path ?? "")?.[1]?.toLowerCase() ?? ""] ?? "";
}

interface Props {
  tool: string;
  json: string;
  /** However long they are: they are decided on. */
  whole?: boolean;
}

/** What a tool is called with: each value as what it is, programs as programs. */
export function CallArguments({ tool, json, whole }: Props) {
  const words = useWords().work.tool;
  const { rest, texts } = useMemo(() => splitArguments(tool, json), [tool, json]);
  return (
    <>
      {rest !== null && <TextBlock text={rest} label={words.arguments} json whole={whole} />}
      {texts.map(({ name, text, language }, i) => (
        <div key={i} className="text-argument">
          <p className="subhead">
            <code>{escapeHidden(name)}</code>
            {language && <span className="tag">{language}</span>}
          </p>
          <TextBlock
            text={escapeHidden(text)}
            label={escapeHidden(name)}
            language={language}
            copy={words.copyArgument}
            whole={whole}
          />
        </div>
      ))}
    </>
  );
}
