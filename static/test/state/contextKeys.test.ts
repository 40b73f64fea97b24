import { expect, it } from "vitest";
import { contextKeys } from "../../src/state/contextKeys";
import type { TeamDocument } from "../../src/wire/teams";

const keysOf = (...templates: unknown[]) =>
  contextKeys({
    topology: { nodes: [{ agents: templates.map((user_prompt_template) => ({ user_prompt_template })) }] },
  } as unknown as TeamDocument);

it("finds each key of the context once, in the order of the templates", () => {
  expect(keysOf("{task} {context.host} {node.x}", undefined, "{context.b-1}{context.host}")).toEqual([
    "host",
    "b-1",
  ]);
});

it("ignores braces that are plain text", () => {
  expect(keysOf("{{context.a}} {{{context.b}}} {{ {context.c}")).toEqual(["b", "c"]);
  expect(keysOf("{task}")).toEqual([]);
});
