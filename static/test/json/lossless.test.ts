import { describe, expect, it } from "vitest";
import { parse, stringify } from "../../src/json/lossless";
import { extractJson } from "../../src/json/extractJson";
import { abbreviate, sortKeysLike, formatJson } from "../../src/json/jsonText";
import { escapeBidi, escapeHidden } from "../../src/text/hiddenCharacters";

describe("JSON that people vote on", () => {
  it("is sent back with every number unchanged", () => {
    for (const text of [
      '{"id":9007199254740993,"share":1.10,"tiny":1e-7,"none":-0,"big":123456789012345678901234567890}',
      '[1.0,[2.50],{"a":{"b":0.30000000000000001}}]',
      '{"":"x","__proto__":{"n":1.0},"list":[],"more":{},"no":null,"yes":true}',
      "12345678901234567890",
    ])
      expect(stringify(parse(text))).toBe(text);
    expect(parse('{"n":5,"s":"1.0"}')).toEqual({ n: 5, s: "1.0" });
    expect(stringify({ a: undefined, b: [undefined, "“"] })).toBe('{"b":[null,"“"]}');
    expect(() => parse('{"n":01}')).toThrow(SyntaxError);
  });

  it("does not treat special keys as prototypes or numbers", () => {
    const call = '{"__proto__":{"admin":true},"toJSON":1,"isLosslessNumber":true,"value":"1,\\"a\\":2"}';
    expect(stringify(parse(call))).toBe(call);
    expect((parse(call) as Record<string, unknown>).admin).toBeUndefined();
    expect(stringify(parse('{"a":1,"a":2.0}'))).toBe('{"a":2.0}');
  });

  it("is formatted with every number unchanged, or left as it is", () => {
    expect(formatJson('{"a":1.10,"b":[],"c":[1,{"d":9007199254740993}],"e":{}}')).toBe(
      '{\n  "a": 1.10,\n  "b": [],\n  "c": [\n    1,\n    {\n      "d": 9007199254740993\n    }\n  ],\n  "e": {}\n}',
    );
    expect(formatJson('"{,\\"}"')).toBe('"{,\\"}"');
    expect(formatJson("{a")).toBe("{a");
    expect(formatJson('{"a":"\\u4f60\\/"}')).toBe('{\n  "a": "你/"\n}');
  });

  it("hides nothing and keeps its order", () => {
    const call = '{"path":"\u202etxt.sh","to":"a\u200bb"}';
    expect(formatJson(call)).toBe('{\n  "path": "\\u202etxt.sh",\n  "to": "a\\u200bb"\n}');
    expect(parse(formatJson(call))).toEqual(JSON.parse(call));
    expect(abbreviate(call)).toBe("path: \\u202etxt.sh, to: a\\u200bb");
    expect(escapeHidden("a\tb\n\u{e0041}\u0007")).toBe("a\tb\n\\udb40\\udc41\\u0007");
    expect(escapeBidi("می\u200cخواهم \u2066x")).toBe("می\u200cخواهم \\u2066x");
  });

  it("is compared independently of the order of its names", () => {
    const model = '{"b":[{"d":1.0,"c":2}],"a":1}';
    expect(sortKeysLike(model, '{"a":1,"new":[],"b":[{"c":2,"d":1.0},{"z":1,"y":2}]}')).toBe(
      '{"b":[{"d":1.0,"c":2},{"z":1,"y":2}],"a":1,"new":[]}',
    );
    expect(sortKeysLike(model, model)).toBe(model);
    expect(sortKeysLike(model, "{half")).toBe("{half");
  });

  it("is summarized in a few words", () => {
    expect(abbreviate('{"path":"a.log","from":0,"share":1.0}')).toBe("path: a.log, from: 0, share: 1.0");
    expect(abbreviate('["a",{"b":1}]')).toBe('a, {"b":1}');
    expect(abbreviate('"a"')).toBe("a");
    expect(abbreviate("x".repeat(200))).toHaveLength(90);
  });
});

describe("the object in a model's output", () => {
  it("is the first complete one, as on the server", () => {
    for (const text of [
      '{"a":1}',
      'Here it is:\n```json\n{"a":1}\n```\nDone.',
      'a {b} c {"a":1} {',
      'first {"a":1} then {"a":2}',
      'it\'s "quoted {" and {"a":1}',
    ])
      expect(extractJson(text)).toEqual({ a: 1 });
    expect(extractJson('{"a":"}{\\"","b":[{}]} {"c":1}')).toEqual({ a: '}{"', b: [{}] });
    for (const text of ["", "no", "{", "[1]", "{a:1}", `${"{".repeat(64)}{"a":1}`])
      expect(extractJson(text)).toBeNull();
    expect(extractJson(`{"a":${"[".repeat(127)}${"]".repeat(127)}}`)).toBeNull();
  });
});
