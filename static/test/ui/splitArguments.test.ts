import { describe, expect, it } from "vitest";
import { splitArguments } from "../../src/ui/calls/CallArguments";
import { formatJson } from "../../src/json/jsonText";

describe("the arguments of a call", () => {
  it("are shown as JSON if they are short", () => {
    const json = '{"node":"a1","ticket":9007199254740993}';
    expect(splitArguments("restart", json)).toEqual({ rest: formatJson(json), textArguments: [] });
    expect(splitArguments("restart", "{}")).toEqual({ rest: "{}", textArguments: [] });
    expect(splitArguments("restart", "[1]")).toEqual({ rest: formatJson("[1]"), textArguments: [] });
    expect(splitArguments("restart", "not JSON")).toEqual({ rest: "not JSON", textArguments: [] });
  });

  it("show their texts separately, without losing anything else", () => {
    const json = '{"code":"import os\\nprint(1)","n":1.0,"note":"a b"}';
    expect(splitArguments("python", json)).toEqual({
      rest: formatJson('{"n":1.0,"note":"a b"}'),
      textArguments: [{ name: "code", text: "import os\nprint(1)", language: "python" }],
    });
    expect(splitArguments("x", '{"a":"1\\n2"}').rest).toBeNull();
  });

  it("show texts separately at any depth, each with its path", () => {
    const edit = { path: "a.py", old: "def f():\n  pass", new: "def g(): pass" };
    const json = JSON.stringify({ edits: [edit, { ...edit, new: "" }], "2": { lines: ["a", "b\nc"] }, n: 1 });
    const { rest, textArguments } = splitArguments("edit", json.replace(/1}$/, "1.0}"));
    expect(textArguments).toEqual([
      { name: "2.lines[1]", text: "b\nc", language: "" },
      { name: "edits[0].old", text: edit.old, language: "python" },
      { name: "edits[0].new", text: edit.new, language: "python" },
      { name: "edits[1].old", text: edit.old, language: "python" },
    ]);
    const line = rest!.replace(/\n\s*/g, "");
    expect(line).toBe(
      '{"2": {"lines": ["a",…]},"edits": [{"path": "a.py","old": …,"new": …},{"path": "a.py","old": …,"new": ""}],"n": 1.0}',
    );
  });

  it("show one-line programs separately, but not other texts", () => {
    const names = (value: object) =>
      splitArguments("x", JSON.stringify(value)).textArguments.map(({ name }) => name);
    expect(names({ command: "rm -rf build", cwd: "/srv" })).toEqual(["command"]);
    expect(names({ command: "create", steps: ["a"] }), "a word").toEqual([]);
    expect(names({ path: "a.rs", content: "fn main() {}" })).toEqual(["content"]);
    expect(names({ language: "python", code: "print(1)" })).toEqual(["code"]);
    expect(names({ language: "en", text: "Hello", path: "a.rs", title: "x" })).toEqual([]);
  });

  it("name the language of a text, if it is known", () => {
    const language = (tool: string, value: object) =>
      splitArguments(tool, JSON.stringify(value)).textArguments[0]?.language;
    expect(language("file_write", { path: "src/main.rs", content: "fn main() {\n}" })).toBe("rust");
    expect(language("db", { sql: "select 1\nfrom a" })).toBe("sql");
    expect(language("db", { note: "one\ntwo" })).toBe("");
  });
});
