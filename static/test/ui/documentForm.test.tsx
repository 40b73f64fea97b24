// @vitest-environment jsdom
import { act, useState } from "react";
import { expect, it } from "vitest";
import { LocaleProvider } from "../../src/i18n/locale";
import { newDocument, setValue } from "../../src/state/teamDocument";
import type { DocumentError, TeamDocument } from "../../src/wire/teams";
import { DocumentForm } from "../../src/ui/teams/form/DocumentForm";
import { fieldsAt } from "../../src/ui/teams/form/documentFields";
import { render } from "../support/screen";
import { documentSchema } from "../support/documentSchema";

const AGENT = "/topology/nodes/0/agents/0";

function open(pointer: string, { errors = [] as DocumentError[], readOnly = false, first = {} } = {}) {
  let document: TeamDocument = { ...newDocument("T", { model_provider: "p", model_id: "m" }), ...first };
  function Form() {
    const [current, setCurrent] = useState(document);
    const context = {
      document: current,
      set: (at: string, value: unknown) => {
        document = setValue(current, at, value);
        setCurrent(document);
      },
      errors,
      readOnly,
      choices: {},
      suggestions: { model_id: ["m", "n"], tools: ["clock"] },
    };
    return <DocumentForm fields={fieldsAt(documentSchema, pointer)} pointer={pointer} context={context} />;
  }
  const { box } = render(
    <LocaleProvider>
      <Form />
    </LocaleProvider>,
  );
  const field = (name: string) => box.querySelector<HTMLElement>(`[data-field="${name}"]`)!;
  const input = (name: string, nth = 0) =>
    field(name).querySelectorAll<HTMLInputElement>("input, textarea, select")[nth]!;
  const write = (target: HTMLInputElement, text: string) =>
    act(() => {
      const setter = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(target), "value")!.set!;
      setter.call(target, text);
      target.dispatchEvent(new Event(target.localName === "select" ? "change" : "input", { bubbles: true }));
    });
  const press = (button: Element | null | undefined) =>
    act(() => (button as HTMLElement).dispatchEvent(new MouseEvent("click", { bubbles: true })));
  const agent = () => document.topology.nodes[0]!.agents[0]!;
  return { box, field, input, write, press, agent, document: () => document };
}

it("writes texts, numbers and lists, and leaves out cleared fields", () => {
  const { input, write, agent } = open(AGENT);
  write(input("agent_name"), "Ada");
  write(input("temperature"), "0.3");
  write(input("tools"), "search_logs\n\n  metrics ");
  write(input("user_prompt_template"), "Do {task}");
  expect(agent()).toMatchObject({
    agent_name: "Ada",
    temperature: 0.3,
    tools: ["search_logs", "metrics"],
    user_prompt_template: "Do {task}",
  });
  write(input("temperature"), "");
  write(input("user_prompt_template"), "");
  expect(agent()).not.toHaveProperty("temperature");
  expect(agent()).not.toHaveProperty("user_prompt_template");
  // A required text stays, so that the server can report the error in it.
  write(input("agent_name"), "");
  expect(agent().agent_name).toBe("");
});

it("suggests models as a list, and tools as buttons", () => {
  const { field, press, agent } = open(AGENT);
  expect([...field("model_id").querySelectorAll("option")].map((one) => one.value)).toEqual(["m", "n"]);
  press(field("tools").querySelector("button"));
  expect(agent().tools).toEqual(["clock"]);
});

it("edits keys and values of a map; values other than texts stay JSON", () => {
  const { box, field, input, write, press, document } = open("/topology/nodes/0");
  press(field("attributes").querySelector("button"));
  write(input("attributes", 1), "prod");
  const values = () => (document().topology.nodes[0] as { attributes?: object }).attributes;
  expect(values()).toEqual({ key1: "prod" });
  const key = input("attributes", 0);
  write(key, "region");
  act(() => key.dispatchEvent(new FocusEvent("focusout", { bubbles: true })));
  expect(values()).toEqual({ region: "prod" });
  press(box.querySelector('[aria-label="Remove region"]'));
  expect(values()).toBeUndefined();
});

it("marks a field with the errors of everything in it", () => {
  const errors = [
    { pointer: `${AGENT}/tools/0`, code: "unknown_tool", message: "no tool of this name" },
    { pointer: `${AGENT}/model_id`, code: "unknown_model", message: "no such model" },
  ];
  const { field, input } = open(AGENT, { errors });
  expect(field("tools").textContent).toContain("No tool of this name");
  expect(input("model_id").getAttribute("aria-invalid")).toBe("true");
  const described = input("model_id").getAttribute("aria-describedby")!.split(" ");
  expect(described.map((id) => document.getElementById(id)?.textContent).join()).toContain("No such model");
  expect(input("agent_name").getAttribute("aria-invalid")).toBeNull();
});

it("has choices in the language of the page, a group, and JSON for everything that does not fit", () => {
  const { box, field, input, write, document } = open("/topology/nodes/0");
  expect([...box.querySelectorAll("legend")].map((one) => one.textContent)).toContain(
    "Supervisor of the node",
  );
  const strategy = input("coordination_strategy");
  expect(
    [...field("coordination_strategy").querySelectorAll("option")].map((one) => one.textContent),
  ).toContain("Adaptive");
  write(strategy, "adaptive");
  expect(document().topology.nodes[0]!.supervisor_config.coordination_strategy).toBe("adaptive");

  const odd = open("", { first: { timeout_seconds: { minutes: 5 } } });
  const text = odd.input("timeout_seconds");
  expect(text.localName).toBe("textarea");
  odd.write(text, "{");
  expect(odd.document().timeout_seconds).toEqual({ minutes: 5 });
  odd.write(odd.input("timeout_seconds"), "60");
  expect(odd.document().timeout_seconds).toBe(60);
});

it("changes nothing for readers", () => {
  const { box, input } = open("/topology/nodes/0", { readOnly: true });
  expect(input("node_name").readOnly).toBe(true);
  expect(input("coordination_strategy").disabled).toBe(true);
  expect(box.querySelector("button")).toBeNull();
});
