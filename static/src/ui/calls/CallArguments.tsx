/**
 * Arguments of a tool call. Long text is shown separately from the JSON, because a program on one line of
 * JSON is unreadable.
 */
import { isObject, parse, tokensOf } from "../../json/lossless";
import { indentTokens, formatJson } from "../../json/jsonText";
import { escapeHidden } from "../../text/hiddenCharacters";
import { useMemo } from "react";
import { useTexts } from "../../i18n/locale";
import { TextBlock } from "./TextBlock";

/** Multi-line text, or a one-line program. */
interface TextArgument {
  /** Path of the argument, such as `code` or `edits[0].old`. */
  name: string;
  text: string;
  /** Language for the highlighter; empty if unknown. */
  language: string;
}

interface SplitArguments {
  /** Other arguments as JSON, with a placeholder for each nested text argument; null if there are none. */
  rest: string | null;
  textArguments: TextArgument[];
}

/** Languages of the arguments whose name determines the language. */
const LANGUAGES_BY_NAME: Record<string, string> = {
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

/** Names of arguments whose text is in a language that a neighboring argument determines. */
const CONTENT =
  /^(?:after|before|body|code|contents?|insert\w*|new|new_\w+|old|old_\w+|program|replace\w*|search|snippet|source|text)$/i;

const LANGUAGES = new Set([...Object.values(LANGUAGES_BY_NAME), ...Object.entries(ENDINGS).flat()]);

/** Matches text with several words or with parentheses: `create` can be a command, but is not a program. */
const PROGRAM = /\w\W+\w|[()]/;

/** Placeholder for nested text that is shown below. It is not JSON, so no argument can look like it. */
const BELOW = "…";

/** Separates multi-line text and programs from the arguments of a call, at any depth. */
export function splitArguments(tool: string, json: string): SplitArguments {
  let all: unknown;
  try {
    all = parse(json);
  } catch {
    return { rest: escapeHidden(json), textArguments: [] };
  }
  if (!isObject(all)) return { rest: formatJson(json), textArguments: [] };
  // Built from tokens, so that the rest stays exactly as written, in its order.
  const tokens = tokensOf(json);
  const textArguments: TextArgument[] = [];
  let at = 0;
  /**
   * Returns the tokens of the value at the current position, without its text arguments. `name` and
   * `siblings` determine the languages of these arguments.
   */
  const read = (value: unknown, path: string, name: string, siblings: Record<string, unknown>): string[] => {
    const token = tokens[at++]!;
    if (token === "{" && isObject(value)) return entries(value, path);
    if (token === "[" && Array.isArray(value)) {
      const out = ["["];
      for (let i = 0; tokens[at] !== "]"; i++) {
        if (tokens[at] === ",") out.push(tokens[at++]!);
        out.push(...read(value[i], `${path}[${i}]`, name, siblings));
      }
      return [...out, tokens[at++]!];
    }
    if (!token.startsWith('"')) return [token];
    const text = JSON.parse(token) as string;
    const language = languageOf(tool, name, siblings);
    if (!text.includes("\n") && !(LANGUAGES.has(language) && PROGRAM.test(text))) return [token];
    textArguments.push({ name: path, text, language });
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
      // Text in a top-level argument needs no placeholder.
      if (!path && rest[0] === BELOW) continue;
      if (out.length > 1) out.push(",");
      out.push(key, ":", ...rest);
    }
    return [...out, tokens[at++]!];
  };
  const rest = read(all, "", "", {});
  return { rest: rest.length > 2 || textArguments.length === 0 ? indentTokens(rest) : null, textArguments };
}

/** Returns the language, or an empty string if it is unknown. */
function languageOf(tool: string, name: string, siblings: Record<string, unknown>): string {
  const named = LANGUAGES_BY_NAME[name.toLowerCase()];
  if (named) return named;
  if (!CONTENT.test(name)) return "";
  if (name === "code" && /python/i.test(tool)) return "python";
  if (typeof siblings.language === "string") return siblings.language.toLowerCase();
  const path = [siblings.path, siblings.file, siblings.filename, siblings.name].find(
    (one) => typeof one === "string",
  );
  return ENDINGS[/\.(\w+)$/.exec(path ?? "")?.[1]?.toLowerCase() ?? ""] ?? "";
}

interface Props {
  tool: string;
  json: string;
  /** True if text of any length is shown in full, because people decide on it. */
  showAll?: boolean;
}

/** Arguments of a call, with programs as code. */
export function CallArguments({ tool, json, showAll }: Props) {
  const texts = useTexts().work.tool;
  const { rest, textArguments } = useMemo(() => splitArguments(tool, json), [tool, json]);
  return (
    <>
      {rest !== null && <TextBlock text={rest} label={texts.arguments} json showAll={showAll} />}
      {textArguments.map(({ name, text, language }, i) => (
        <div key={i} className="text-argument">
          <p className="subhead">
            <code>{escapeHidden(name)}</code>
            {language && <span className="tag">{language}</span>}
          </p>
          <TextBlock
            text={escapeHidden(text)}
            label={escapeHidden(name)}
            language={language}
            copy={texts.copyArgument}
            showAll={showAll}
          />
        </div>
      ))}
    </>
  );
}
