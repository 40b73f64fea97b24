// @vitest-environment jsdom
import { act, useState } from "react";
import { expect, it } from "vitest";
import { defaultsOf, fieldsOf } from "../../src/ui/form/fields";
import { draftOf, parseDraft, type FormDraft } from "../../src/ui/form/formDraft";
import { SchemaForm } from "../../src/ui/form/SchemaForm";
import { render } from "../support/screen";

function open(schema: object) {
  const fields = fieldsOf(schema);
  let value: unknown;
  function Form() {
    const [draft, setDraft] = useState<FormDraft>(() => draftOf(fields, defaultsOf(fields)));
    const form = parseDraft(fields, draft);
    value = form.value;
    return <SchemaForm fields={fields} draft={draft} errors={form.errors} onChange={setDraft} />;
  }
  const { box } = render(<Form />);
  const field = (name: string) => box.querySelector<HTMLElement>(`[data-field="${name}"]`)!;
  const input = (name: string) => field(name).querySelector<HTMLInputElement>("input, textarea")!;
  const write = (name: string, text: string) =>
    act(() => {
      const target = input(name);
      Object.getOwnPropertyDescriptor(Object.getPrototypeOf(target), "value")!.set!.call(target, text);
      target.dispatchEvent(new InputEvent("input", { bubbles: true }));
    });
  /** Texts of the elements that the attribute refers to. */
  const textsOf = (element: Element, attribute: string) =>
    element
      .getAttribute(attribute)!
      .split(" ")
      .map((id) => document.getElementById(id)!.textContent);
  return { box, field, input, write, textsOf, value: () => value };
}

const schema = {
  type: "object",
  properties: {
    age: { type: "integer", maximum: 9, description: "In years" },
    "a/b": {
      type: "object",
      title: "Place",
      description: "Where it is",
      properties: { city: { type: "string" } },
      required: ["city"],
    },
    agrees: { type: "boolean" },
  },
  required: ["a/b"],
};

it("describes each input by its description, limits and error", () => {
  const { input, write, textsOf } = open(schema);
  expect(textsOf(input("age"), "aria-describedby")).toEqual(["In years", "at most 9"]);
  expect(input("age").hasAttribute("aria-invalid")).toBe(false);
  write("age", "10");
  expect(textsOf(input("age"), "aria-describedby")).toEqual(["In years", "at most 9", "At most 9."]);
  expect(input("age").getAttribute("aria-invalid")).toBe("true");
});

it("writes fields of groups, whatever their names, and leaves out optional fields", () => {
  const { box, field, write, textsOf, value } = open(schema);
  expect(box.querySelector("legend")!.textContent).toBe("Place required");
  expect(box.querySelector("fieldset > p")!.textContent).toBe("Where it is");
  expect(field("city").textContent).toContain("This field is required.");
  write("city", "Ulm");
  expect(field("city").className).toBe("form-field");
  const choices = field("agrees").querySelector('[role="radiogroup"]')!;
  expect(textsOf(choices, "aria-labelledby")).toEqual(["agrees"]);
  act(() => choices.querySelector("input")!.click());
  expect(value()).toEqual({ "a/b": { city: "Ulm" }, agrees: true });
  act(() => field("agrees").querySelector<HTMLElement>('[aria-label="Leave out: agrees"]')!.click());
  expect(value()).toEqual({ "a/b": { city: "Ulm" } });
  expect(field("agrees").querySelector("small")!.textContent).toBe("optional");
});

it("has no mark for a field that is the whole answer", () => {
  const { field, write, value } = open({ type: "string", minLength: 2 });
  expect(field("").querySelector("small")).toBeNull();
  write("", "a");
  expect(field("").textContent).toContain("At least 2 characters.");
  write("", "ab");
  expect(value()).toBe("ab");
});
