// @vitest-environment jsdom
import { expect, it } from "vitest";
import { LocaleProvider } from "../../src/i18n/locale";
import { StructuredOutputList } from "../../src/ui/teams/executions/StructuredOutputList";
import { render } from "../support/screen";
import { storedOutput } from "../support/structuredOutput";

const A = "00000000-0000-4000-8000-00000000000a";

it("shows stored structured output with its schema, and errors at their paths", () => {
  const errors = [{ pointer: "/a/0/b", path: "$.a[0].b", message: "not a number" }];
  const outputs = [
    storedOutput(10, "invalid", { schema_validation: { valid: false, errors }, partial_output: { a: [] } }),
    storedOutput(20, "valid", {
      structured_output: { a: [1] },
      schema_validation: { valid: true, errors: [] },
      file: { name: "structured-output.json", version: 3 },
    }),
    storedOutput(30, "failed", { error_code: "EXECUTION_CANCELLED", error_message: "the run was cancelled" }),
    storedOutput(40, "valid", { output_schema: null, redacted: true }),
    storedOutput(50, "running"),
  ];
  const { box } = render(
    <LocaleProvider>
      <StructuredOutputList execution={A} outputs={outputs} />
    </LocaleProvider>,
  );
  const items = [...box.querySelectorAll(".stored-outputs > li")];
  expect(items.map((item) => item.getAttribute("data-status"))).toEqual([
    "running",
    "valid",
    "failed",
    "valid",
    "invalid",
  ]);
  const [running, erased, failed, valid, invalid] = items as [Element, Element, Element, Element, Element];
  expect(running.textContent).toContain("Generating…");
  expect(erased.textContent).toContain("erased");
  expect(erased.querySelector(".json-block")).toBeNull();
  expect(failed.querySelector('[role="alert"]')!.textContent).toContain("The run was cancelled");
  expect(valid.textContent).toMatch(/Ann.*The output matches the schema\./);
  expect(valid.querySelector("a")!.getAttribute("href")).toBe(
    `/api/v1/sessions/s_${A.replaceAll("-", "")}/files/structured-output.json?version=3`,
  );
  const blocks = (item: Element) =>
    [...item.querySelectorAll(".json-block")].map((block) => block.textContent);
  expect(blocks(valid)).toEqual([
    JSON.stringify({ a: [1] }, null, 2),
    JSON.stringify({ type: "object" }, null, 2),
  ]);
  expect(invalid.querySelector("dt")!.textContent).toBe("$.a[0].b");
  expect(invalid.querySelector("dd")!.textContent).toBe("not a number");
  expect(blocks(invalid)[0]).toContain('"a": []');
});
