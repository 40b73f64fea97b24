import { describe, expect, it } from "vitest";
import { diffLines } from "../../src/ui/gates/SubjectDiff";
import { parse, stringify } from "../../src/json/lossless";
import { en } from "../../src/i18n/en";
import {
  draftOf,
  parseDraft,
  fittingFields,
  UNREADABLE_INPUT,
  type FormDraft,
} from "../../src/ui/form/formDraft";
import { defaultsOf, fieldsOf } from "../../src/ui/form/fields";
import { describeBounds } from "../../src/ui/form/fieldText";
import { jsonToMarkdown } from "../../src/json/jsonToMarkdown";

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
  it("has a field for each property of a schema, and JSON if no field fits", () => {
    expect(fields.map((field) => [field.name, field.kind, field.required])).toEqual([
      ["name", "text", false],
      ["age", "integer", true],
      ["share", "number", false],
      ["agrees", "boolean", true],
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

  it("begins with the defaults, or with the existing values", () => {
    const defaults = defaultsOf(fields);
    expect(defaults).toEqual({ name: "Ann" });
    expect(draftOf(fields, defaults)).toMatchObject({
      name: "Ann",
      age: undefined,
      place: { city: undefined },
    });
    expect(defaultsOf(fieldsOf({ type: "integer", default: 3 }))).toBe(3);
    const value = {
      age: 4,
      agrees: false,
      colour: 3,
      tags: ["a", "b"],
      days: ["tue"],
      place: { city: "Ulm" },
    };
    expect(parseDraft(fields, draftOf(fields, value))).toEqual({ value, errors: {} });
  });

  it("reports missing and invalid values by field", () => {
    const draft = { age: "4.5", share: "x", rest: "[", place: { deep: "{}" }, tags: " a \n\n b" };
    expect(parseDraft(fields, draft).errors).toEqual({
      "/age": { code: "integer" },
      "/share": { code: "number" },
      "/agrees": { code: "required" },
      "/place/city": { code: "required" },
      "/rest": { code: "json" },
    });
    expect(parseDraft(fields, { ...draft, age: "0" }).errors["/age"]).toEqual({ code: "minimum", limit: 1 });
    expect(parseDraft(fields, { ...draft, age: "121" }).errors["/age"]).toEqual({
      code: "maximum",
      limit: 120,
    });
  });

  it("accepts an answer that is not an object as it is", () => {
    const text = fieldsOf({ type: "string" });
    expect(parseDraft(text, { "": "1.1" })).toEqual({ value: "1.1", errors: {} });
    expect(parseDraft(text, { "": "  " }).errors).toEqual({ "/": { code: "required" } });
  });
});

describe("choices", () => {
  it("have the names that the schema gives, in either notation", () => {
    const titles = (property: object) =>
      fieldsOf({ properties: { one: property } })[0]?.choices.map((one) => [one.value, one.title]);
    const named = [
      ["a", "Apples"],
      ["b", "Pears"],
    ];
    expect(titles({ enum: ["a", "b"], enumNames: ["Apples", "Pears"] })).toEqual(named);
    expect(titles({ enum: ["a", "b"], enumNames: ["Apples"] })?.[1]).toEqual(["b", "b"]);
    const options = [
      { const: "a", title: "Apples" },
      { const: "b", title: "Pears" },
    ];
    expect(titles({ type: "string", oneOf: options })).toEqual(named);
    expect(titles({ type: "array", items: { anyOf: options } })).toEqual(named);
    expect(titles({ oneOf: [...options, { type: "null" }] })).toEqual(named);
    const [fruit] = fieldsOf({ properties: { fruit: { oneOf: options } } });
    expect(parseDraft([fruit!], { fruit: '"b"' })).toEqual({ value: { fruit: "b" }, errors: {} });
  });

  it("are not used for a field whose only alternative is null", () => {
    const [day] = fieldsOf({
      properties: { day: { anyOf: [{ type: "string", format: "date" }, { type: "null" }], default: null } },
    });
    expect(day).toMatchObject({ kind: "text", format: "date", initial: undefined });
  });
});

describe("the value of a field", () => {
  const checkedFields = fieldsOf({
    properties: {
      day: { type: "string", format: "date" },
      at: { type: "string", format: "date-time" },
      mail: { type: "string", format: "email" },
      page: { type: "string", format: "uri" },
      code: { type: "string", minLength: 2, maxLength: 3, pattern: "^[A-Z]+$" },
      share: { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1, multipleOf: 0.1 },
      tags: { type: "array", items: { type: "string" }, minItems: 2, maxItems: 3 },
      path: { type: "string", format: "json-pointer" },
    },
  });
  const errors = (draft: FormDraft) => parseDraft(checkedFields, draft).errors;

  it("is checked before it is sent", () => {
    const wrong = { day: "2026-02-30", at: "soon", mail: "nobody", page: "nowhere", path: "any" };
    expect(errors(wrong)).toEqual({
      "/day": { code: "date" },
      "/at": { code: "date-time" },
      "/mail": { code: "email" },
      "/page": { code: "uri" },
    });
    expect(errors({ code: "A" })).toEqual({ "/code": { code: "minLength", limit: 2 } });
    expect(errors({ code: "👍👍👍👍" })).toEqual({ "/code": { code: "maxLength", limit: 3 } });
    expect(errors({ code: "ab" })).toEqual({ "/code": { code: "pattern", pattern: "^[A-Z]+$" } });
    expect(errors({ share: "0" })).toEqual({ "/share": { code: "exclusiveMinimum", limit: 0 } });
    expect(errors({ share: "1" })).toEqual({ "/share": { code: "exclusiveMaximum", limit: 1 } });
    expect(errors({ share: "0.25" })).toEqual({ "/share": { code: "multipleOf", limit: 0.1 } });
    expect(errors({ tags: "a" })).toEqual({ "/tags": { code: "minItems", limit: 2 } });
    expect(errors({ tags: "a\nb\nc\nd" })).toEqual({ "/tags": { code: "maxItems", limit: 3 } });
    const right = { day: "2024-02-29", mail: "张@例子.cn", page: "urn:a", code: "AB", share: "0.3" };
    expect(errors(right)).toEqual({});
    expect(errors({ day: "", mail: " " })).toEqual({});
    expect(errors({ day: UNREADABLE_INPUT })).toEqual({ "/day": { code: "date" } });
  });

  it("is a time by the reader's clock, shown with its UTC offset", () => {
    const { value } = parseDraft(checkedFields, { at: "2026-11-22T18:30" });
    const { at } = value as { at: string };
    expect(at).toMatch(/^2026-11-22T18:30:00[+-]\d\d:\d\d$/);
    expect(errors({ at: "2026-11-22T18:30" })).toEqual({});
    const given = { at: new Date(at).toISOString() };
    expect(draftOf(checkedFields, given).at).toBe("2026-11-22T18:30");
    expect(parseDraft(checkedFields, draftOf(checkedFields, given), given)).toEqual({
      value: given,
      errors: {},
    });
  });

  it("is a time of day by the reader's clock, and an existing one stays as written", () => {
    const ends = fieldsOf({ properties: { ends: { type: "string", format: "time" } } });
    const { value, errors } = parseDraft(ends, { ends: "23:15" });
    expect((value as { ends: string }).ends).toMatch(/^23:15:00[+-]\d\d:\d\d$/);
    expect(errors).toEqual({});
    expect(parseDraft(ends, { ends: UNREADABLE_INPUT }).errors).toEqual({ "/ends": { code: "time" } });
    const given = { ends: "18:30:00Z" };
    const own = fittingFields(ends, given);
    expect(own[0]).toMatchObject({ kind: "text", asText: true });
    expect(parseDraft(own, draftOf(own, given), given)).toEqual({ value: given, errors: {} });
    expect(parseDraft(own, { ends: "25:00:00Z" }, given).errors).toEqual({ "/ends": { code: "time" } });
  });

  it("stays a text if it already holds something else, which nobody has to fix", () => {
    const given = { day: "tomorrow", at: "2026-11-22", mail: "ann@example.org" };
    const own = fittingFields(checkedFields, given);
    expect(own.slice(0, 3).map((field) => [field.kind, field.asText])).toEqual([
      ["text", true],
      ["text", true],
      ["text", false],
    ]);
    const shown = draftOf(own, given);
    expect(parseDraft(own, shown, given)).toEqual({ value: given, errors: {} });
    expect(parseDraft(own, { ...shown, day: "later" }, given).errors).toEqual({ "/day": { code: "date" } });
  });

  it("has a text for its limits", () => {
    expect(checkedFields.map((field) => describeBounds(field, en.work).replace(/\(.*\)/, "(here)"))).toEqual([
      "",
      "in your time zone (here)",
      "",
      "",
      "2 to 3 characters",
      "more than 0 · less than 1 · in steps of 0.1",
      "2 to 3 items",
      "",
    ]);
  });
});

describe("an empty group", () => {
  it("is left out if it is optional", () => {
    expect(parseDraft(fields, { age: "4", agrees: true })).toEqual({
      value: { age: 4, agrees: true },
      errors: {},
    });
  });
});

describe("a call that is edited in a form", () => {
  /** The call after people have filled in something. */
  function changed(call: string, how: FormDraft): string {
    const base = parse(call);
    const own = fittingFields(fields, base);
    const { value, errors } = parseDraft(own, { ...draftOf(own, base), ...how }, base);
    expect(errors).toEqual({});
    return stringify(value);
  }

  it("keeps untouched values unchanged and in place", () => {
    const call =
      '{"other":1.0,"agrees":true,"age":4,"place":{"deep":{"n":2.50},"city":"Ulm","more":[]},"tags":[" a",""]}';
    expect(changed(call, {})).toBe(call);
    expect(changed(call, { age: "5" })).toBe(call.replace('"age":4', '"age":5'));
    const place = { ...(draftOf(fields, parse(call)).place as FormDraft), city: "Bonn" };
    expect(changed(call, { place })).toBe(call.replace("Ulm", "Bonn"));
  });

  it("gets no default that it did not have, and keeps an empty text", () => {
    expect(changed('{"age":4,"agrees":true}', { share: "9007199254740993" })).toBe(
      '{"age":4,"agrees":true,"share":9007199254740993}',
    );
    expect(changed('{"age":4,"agrees":true,"name":""}', { age: "5" })).toContain('"name":""');
    expect(changed('{"age":4,"agrees":true,"name":"x"}', { name: "" })).toContain('"name":""');
    expect(changed('{"age":4,"agrees":true,"name":"x"}', { name: undefined })).not.toContain("name");
    expect(changed('{"age":4,"agrees":true}', { name: "" })).not.toContain("name");
  });

  it("is JSON if a field could not show the existing value", () => {
    const call = {
      age: 4,
      agrees: "yes",
      name: "a\u202eb",
      tags: ["a\nb"],
      colour: "blue",
      days: ["sun"],
      place: 1,
    };
    expect(fittingFields(fields, call).map((field) => field.kind)).toEqual([
      ...["json", "integer", "number", "json", "json", "json", "json", "json", "json"],
    ]);
    expect(draftOf(fittingFields(fields, call), call).name).toBe('"a\\u202eb"');
    expect(fittingFields(fields, { name: "a\nb" })[0]).toMatchObject({ kind: "text", long: true });
    expect(fittingFields(fields, { name: 5 })[0]).toMatchObject({ kind: "json" });
  });
});

describe("changes", () => {
  it("are shown line by line", () => {
    expect(diffLines("a\nb\nc", "a\nx\nc\nd")).toEqual([
      { kind: "same", text: "a" },
      { kind: "gone", text: "b" },
      { kind: "new", text: "x" },
      { kind: "same", text: "c" },
      { kind: "new", text: "d" },
    ]);
    expect(diffLines("a", "a").every((line) => line.kind === "same")).toBe(true);
    expect(diffLines("a\n".repeat(500), "b")).toHaveLength(502);
  });
});

describe("findings", () => {
  it("become a text with headings", () => {
    expect(jsonToMarkdown({ root_cause: "x", suggestions: ["a", "b"], empty: "" })).toBe(
      "#### Root cause\n\nx\n\n#### Suggestions\n\n- a\n- b",
    );
  });
});
