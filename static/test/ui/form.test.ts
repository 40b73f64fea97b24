import { describe, expect, it } from "vitest";
import { diffOf } from "../../src/ui/gate/diff";
import { draftOf, fieldsOf, read } from "../../src/ui/form/fields";
import { jsonMarkdown } from "../../src/ui/work/findings";
import { brief, pretty } from "../../src/ui/work/json";

const schema = {
  type: "object",
  properties: {
    name: { type: "string", title: "Name", description: "Whose", default: "Ann" },
    age: { type: "integer", minimum: 1, maximum: 120 },
    share: { type: ["number", "null"] },
    agrees: { type: "boolean" },
    colour: { enum: ["red", "green", 3] },
    tags: { type: "array", items: { type: "string" } },
    days: { type: "array", items: { enum: ["mon", "tue"] } },
    place: {
      type: "object",
      properties: { city: { type: "string" }, deep: { type: "object", properties: {} } },
      required: ["city"],
    },
    rest: { type: "array", items: { type: "object" } },
  },
  required: ["age", "agrees"],
};
const fields = fieldsOf(schema);

describe("a form", () => {
  it("has a field for what a schema asks for, and JSON for what no form can ask", () => {
    expect(fields.map((field) => [field.name, field.kind, field.required])).toEqual([
      ["age", "integer", true],
      ["agrees", "boolean", true],
      ["name", "text", false],
      ["share", "number", false],
      ["colour", "choice", false],
      ["tags", "lines", false],
      ["days", "choices", false],
      ["place", "group", false],
      ["rest", "json", false],
    ]);
    expect(fields[7]?.fields.map((field) => [field.name, field.kind])).toEqual([
      ["city", "text"],
      ["deep", "json"],
    ]);
    expect(fieldsOf({ type: "boolean" })).toMatchObject([{ name: "", kind: "boolean", required: true }]);
    expect(fieldsOf(true)).toMatchObject([{ kind: "json" }]);
  });

  it("begins with the defaults, or with what stands there", () => {
    expect(draftOf(fields)).toMatchObject({ name: "Ann", age: "", agrees: undefined, place: { city: "" } });
    const value = {
      age: 4,
      agrees: false,
      colour: 3,
      tags: ["a", "b"],
      days: ["tue"],
      place: { city: "Ulm" },
    };
    const again = read(fields, draftOf(fields, value));
    expect(again).toEqual({ value: { name: "Ann", ...value }, faults: {} });
  });

  it("says what is missing or wrong, field by field", () => {
    const draft = { age: "4.5", share: "x", rest: "[", place: { deep: "{}" }, tags: " a \n\n b" };
    expect(read(fields, draft).faults).toEqual({
      "/age": { what: "integer" },
      "/share": { what: "number" },
      "/agrees": { what: "required" },
      "/place/city": { what: "required" },
      "/rest": { what: "json" },
    });
    expect(read(fields, { ...draft, age: "0" }).faults["/age"]).toEqual({ what: "least", n: 1 });
    expect(read(fields, { ...draft, age: "121" }).faults["/age"]).toEqual({ what: "most", n: 120 });
  });

  it("takes an answer that is no object as it is", () => {
    const [words] = [fieldsOf({ type: "string" })];
    expect(read(words, { "": "1.1" })).toEqual({ value: "1.1", faults: {} });
    expect(read(words, { "": "  " }).faults).toEqual({ "": { what: "required" } });
  });
});

describe("a group that is left empty", () => {
  it("is left out where it need not be there", () => {
    expect(read(fields, { age: "4", agrees: true })).toEqual({ value: { age: 4, agrees: true }, faults: {} });
  });
});

describe("what changes", () => {
  it("is told line by line", () => {
    expect(diffOf("a\nb\nc", "a\nx\nc\nd")).toEqual([
      { kind: "same", text: "a" },
      { kind: "gone", text: "b" },
      { kind: "new", text: "x" },
      { kind: "same", text: "c" },
      { kind: "new", text: "d" },
    ]);
    expect(diffOf("a", "a").every((line) => line.kind === "same")).toBe(true);
    expect(diffOf("a\n".repeat(500), "b")).toHaveLength(502);
  });
});

describe("JSON for people", () => {
  it("is laid out, or left as it is", () => {
    expect(pretty('{"a":1}')).toBe('{\n  "a": 1\n}');
    expect(pretty("{a")).toBe("{a");
    expect(brief('{"path":"a.log","from":0}')).toBe("path: a.log, from: 0");
    expect(brief("x".repeat(200))).toHaveLength(90);
  });

  it("becomes a text with headings where it is findings", () => {
    expect(jsonMarkdown({ root_cause: "x", suggestions: ["a", "b"], empty: "" })).toBe(
      "#### Root cause\n\nx\n\n#### Suggestions\n\n- a\n- b",
    );
  });
});
