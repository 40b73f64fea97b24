import { describe, expect, it } from "vitest";
import {
  addAgent,
  addEdge,
  addNode,
  agentsOf,
  countAgents,
  edgesOf,
  existingPart,
  GLOBAL_SUPERVISOR,
  newDocument,
  nodesOf,
  partOf,
  pointerOf,
  removePart,
  setValue,
  TEAM,
} from "../../src/state/teamDocument";
import { countErrors, errorsBesideFields, errorsByPart } from "../../src/state/documentErrors";
import { valueAt, withValueAt } from "../../src/json/pointer";
import type { DocumentError } from "../../src/wire/teams";

const model = { model_provider: "demo", model_id: "demo" };
const two = () => addEdge(addNode(newDocument("T", model)).document, 0, 1).document;
const fault = (pointer: string): DocumentError => ({ pointer, code: "x", message: pointer });

describe("a document of a team", () => {
  it("begins with a node and an agent that use the default model", () => {
    const document = newDocument("T", model);
    expect(nodesOf(document)).toHaveLength(1);
    expect(countAgents(document)).toBe(1);
    expect(agentsOf(nodesOf(document)[0])[0]).toMatchObject(model);
    expect(document.topology.global_supervisor).toMatchObject(model);
  });

  it("gets nodes and agents with ids that are unique regardless of case", () => {
    const document = setValue(newDocument("T", model), "/topology/nodes/0/node_id", "NODE-2");
    const { document: more, selected } = addNode(document);
    expect(nodesOf(more).map((node) => node.node_id)).toEqual(["NODE-2", "node-3"]);
    expect(selected).toBe("/topology/nodes/1");
    expect(addAgent(more, 1).selected).toBe("/topology/nodes/1/agents/1");
  });

  it("keeps its edges when the id of a node changes", () => {
    const renamed = setValue(two(), "/topology/nodes/1/node_id", "db");
    expect(edgesOf(renamed)).toMatchObject([{ source_node_id: "node-1", target_node_id: "db" }]);
  });

  it("leaves its edges alone while two nodes share an id", () => {
    const shared = withValueAt(two(), "/topology/nodes/1/node_id", "node-1");
    const renamed = setValue(shared, "/topology/nodes/1/node_id", "node-x");
    expect(edgesOf(renamed)[0]!.source_node_id).toBe("node-1");
  });

  it("loses the edges of a node that is removed", () => {
    const { document, selected } = removePart(two(), "/topology/nodes/0");
    expect(nodesOf(document).map((node) => node.node_id)).toEqual(["node-2"]);
    expect(edgesOf(document)).toEqual([]);
    expect(selected).toBe(TEAM);
  });

  it("does not lose the team or its supervisor", () => {
    const document = two();
    expect(removePart(document, TEAM).document).toBe(document);
    expect(removePart(document, GLOBAL_SUPERVISOR).document).toBe(document);
  });

  it("addresses its parts by pointers", () => {
    for (const pointer of [
      TEAM,
      GLOBAL_SUPERVISOR,
      "/topology/nodes/3",
      "/topology/nodes/3/agents/2",
      "/topology/edges/4",
    ])
      expect(pointerOf(partOf(pointer))).toBe(pointer);
    expect(pointerOf(partOf("/topology/nodes/3/agents/2/model_id"))).toBe("/topology/nodes/3/agents/2");
    expect(pointerOf(partOf("/topology/nodes/3/supervisor_config/model_id"))).toBe("/topology/nodes/3");
    expect(pointerOf(partOf("/topology/nodes"))).toBe(TEAM);
  });

  it("selects the closest remaining part if a part is gone", () => {
    expect(existingPart(two(), "/topology/nodes/1/agents/7")).toBe("/topology/nodes/1");
    expect(existingPart(two(), "/topology/nodes/7/agents/7")).toBe(TEAM);
  });

  it("can be a file without a topology", () => {
    const empty = { team_name: "T" } as never;
    expect(nodesOf(empty)).toEqual([]);
    expect(edgesOf(empty)).toEqual([]);
    expect(existingPart(empty, GLOBAL_SUPERVISOR)).toBe(TEAM);
  });
});

describe("errors of a document", () => {
  const parts = errorsByPart([
    fault("/topology/nodes/1/agents/0/model_id"),
    fault("/topology/nodes/1/node_id"),
    fault("/topology/nodes/10/node_id"),
    fault("/team_name"),
  ]);

  it("belong to the smallest part that contains them", () => {
    expect([...parts.keys()]).toEqual([
      "/topology/nodes/1/agents/0",
      "/topology/nodes/1",
      "/topology/nodes/10",
      "",
    ]);
  });

  it("count for the node of an agent, and not for a node whose number begins the same", () => {
    expect(countErrors(parts, "/topology/nodes/1")).toBe(2);
    expect(countErrors(parts, "/topology/nodes/1/agents/0")).toBe(1);
    expect(countErrors(parts, "/topology/nodes/10")).toBe(1);
  });

  it("are shown above the form if no field shows them", () => {
    const all = [fault("/topology/nodes"), fault("/team_name/x")];
    expect(errorsBesideFields(all, ["/team_name"])).toEqual([all[0]]);
  });
});

describe("a JSON Pointer", () => {
  it("changes only what it addresses", () => {
    const value = { a: [{ "b/c": 1 }, { d: 2 }], e: {} };
    const next = withValueAt(value, "/a/0/b~1c", 3);
    expect(next).toEqual({ a: [{ "b/c": 3 }, { d: 2 }], e: {} });
    expect(next.a[1]).toBe(value.a[1]);
    expect(valueAt(next, "/a/0/b~1c")).toBe(3);
  });

  it("removes keys and entries, and creates missing ones", () => {
    expect(withValueAt({ a: [1, 2, 3] }, "/a/1", undefined)).toEqual({ a: [1, 3] });
    expect(withValueAt({ a: 1 } as object, "/b/c", "d")).toEqual({ a: 1, b: { c: "d" } });
    expect(valueAt({ a: 1 }, "/constructor")).toBeUndefined();
  });
});
