import { describe, expect, it } from "vitest";
import { en } from "../../src/i18n/en";
import type { Gate } from "../../src/protocol";
import type { CallTrace } from "../../src/state/calls";
import type { PendingCommand } from "../../src/state/model";
import { summarizeGate, takesVotes, textOfCommand } from "../../src/ui/gates/gateText";
import { team } from "../state/log";

const call = (id: string, node: string) =>
  ({ id, name: "restart", arguments: JSON.stringify({ node }) }) as CallTrace;
const known = { team, run: null, calls: { t_1: call("t_1", "a1"), t_2: call("t_2", "a2") } };
const gate = (fields: Partial<Gate>) => ({ agent: "Writer", prompt: "Writer asks", ...fields }) as Gate;

describe("simultaneously open gates", () => {
  it("have a title, a detail and a full text", () => {
    const about = (fields: Partial<Gate>) => summarizeGate(gate(fields), known, en);
    expect(about({ kind: "tool", call: "t_1" })).toEqual({
      title: "restart · Writer",
      detail: "node: a1",
      fullText: "Writer asks\nrestart node: a1",
    });
    expect(about({ kind: "tool", call: "t_2" }).detail).toBe("node: a2");
    expect(about({ kind: "question", call: "t_2", prompt: "Tonight?" })).toMatchObject({
      title: "Question · Writer",
      detail: "Tonight?",
    });
  });

  it("do not name the agent if there is only one", () => {
    const alone = { ...known, team: { ...team, agents: team.agents.slice(0, 1) } };
    expect(summarizeGate(gate({ kind: "tool", call: "t_1" }), alone, en).title).toBe("restart");
  });
});

describe("votes", () => {
  it("are mentioned only if there can be any", () => {
    const votes = (kind: Gate["kind"], allow: Gate["allow"]) => takesVotes(gate({ kind, allow }));
    expect(votes("feedback", ["approve", "respond"])).toBe(true);
    expect(votes("feedback", ["respond"])).toBe(false);
    expect(votes("question", ["respond", "reject"])).toBe(false);
  });
});

describe("the text of a rejected command", () => {
  const textOf = (data: object, fields: Partial<Gate>) =>
    textOfCommand({ command: { data } } as PendingCommand, gate(fields), () => "Reader");

  it("is the text that its author wrote", () => {
    expect(textOf({ comment: "No." }, { kind: "tool" })).toBe("No.");
    expect(textOf({ value: { node: "a1" } }, { kind: "question" })).toBe('{\n  "node": "a1"\n}');
    expect(textOf({}, { kind: "tool" })).toBe("");
  });

  it("shows an edited plan item by item, not as JSON", () => {
    const edit = { items: [{ action: "Read the logs", agent: "reader" }, { action: "Fix it" }] };
    expect(textOf({ edit }, { kind: "plan" })).toBe("Read the logs (Reader)\nFix it");
  });
});
