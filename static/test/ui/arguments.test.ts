import { describe, expect, it } from "vitest";
import { splitArguments } from "../../src/ui/work/arguments";

describe("the arguments of a call", () => {
  it("stand as JSON where they are short", () => {
    const json = '{"node":"a1","ticket":9007199254740993}';
    expect(splitArguments("restart", json)).toEqual({ rest: json, texts: [] });
    expect(splitArguments("restart", "[1]")).toEqual({ rest: "[1]", texts: [] });
    expect(splitArguments("restart", "not JSON")).toEqual({ rest: "not JSON", texts: [] });
  });

  it("have their texts apart, and nothing is lost of the rest", () => {
    const json = '{"code":"import os\\nprint(1)","n":1.0,"note":"a b"}';
    expect(splitArguments("python", json)).toEqual({
      rest: '{"n":1.0,"note":"a b"}',
      texts: [{ name: "code", text: "import os\nprint(1)", language: "python" }],
    });
    expect(splitArguments("x", '{"a":"1\\n2"}').rest).toBeNull();
  });

  it("say in which language a text is, where that is known", () => {
    const language = (tool: string, value: object) =>
      splitArguments(tool, JSON.stringify(value)).texts[0]?.language;
    expect(language("file_write", { path: "src/main.rs", content: "fn main() {\n}" })).toBe("rust");
    expect(language("db", { sql: "select 1\nfrom a" })).toBe("sql");
    expect(language("db", { words: "one\ntwo" })).toBe("");
  });
});
