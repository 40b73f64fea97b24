import { describe, expect, it } from "vitest";
import { fieldsAt } from "../../src/ui/teams/form/documentFields";
import { documentSchema as schema } from "../support/documentSchema";

const kinds = (pointer: string) =>
  Object.fromEntries(fieldsAt(schema, pointer).map((field) => [field.name, field.kind]));

describe("fields of a document", () => {
  it("follow references to each part", () => {
    expect(kinds("")).toMatchObject({ team_name: "text", description: "long", timeout_seconds: "number" });
    expect(kinds("/topology")).toMatchObject({ nodes: "list", allow_isolated_nodes: "boolean" });
    expect(kinds("/topology/nodes/7/agents/2")).toMatchObject({
      agent_id: "text",
      system_prompt: "long",
      user_prompt_template: "long",
      tools: "lines",
      temperature: "number",
    });
    expect(kinds("/topology/edges/0")).toMatchObject({ relation_type: "choice", attributes: "map" });
  });

  it("have groups and nested lists with their own fields", () => {
    const node = fieldsAt(schema, "/topology/nodes/0");
    const supervisor = node.find((field) => field.name === "supervisor_config")!;
    expect(supervisor.kind).toBe("group");
    expect(supervisor.fields.find((field) => field.name === "coordination_strategy")).toMatchObject({
      kind: "choice",
      choices: ["round_robin", "priority", "adaptive"],
      initial: "round_robin",
      required: false,
    });
    const agents = node.find((field) => field.name === "agents")!;
    expect(agents.kind).toBe("list");
    expect(agents.fields.length).toBeGreaterThan(5);
  });

  it("have choices in both notations of enums, and bounds", () => {
    const edge = fieldsAt(schema, "/topology/edges/0").find((field) => field.name === "relation_type")!;
    expect(edge.choices).toContain("data_flow");
    const temperature = fieldsAt(schema, "/topology/nodes/0/agents/0").find(
      (field) => field.name === "temperature",
    )!;
    expect(temperature).toMatchObject({ minimum: 0, maximum: 2, integer: false });
  });

  it("end at some depth in a recursive schema", () => {
    const loop = {
      $ref: "#/$defs/a",
      $defs: { a: { type: "object", properties: { a: { $ref: "#/$defs/a" } } } },
    };
    expect(fieldsAt(loop, "")).toHaveLength(1);
    const circle = { $ref: "#/$defs/b", $defs: { b: { $ref: "#/$defs/b" } } };
    expect(fieldsAt(circle, "/x/y")).toEqual([]);
  });

  it("are JSON if the schema says too little", () => {
    expect(
      fieldsAt({ type: "object", properties: { any: true, some: {} } }, "").map((one) => one.kind),
    ).toEqual(["json", "json"]);
  });
});
