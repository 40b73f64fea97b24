import { describe, expect, it } from "vitest";
import { en } from "../../src/i18n/en";
import type { Gate, Presence, Quorum, Vote } from "../../src/protocol";
import { approversOf } from "../../src/state/approvers";
import { quorumText, tallyOf } from "../../src/ui/gates/gateText";

const person = (id: string, role: "owner" | "reviewer") => ({ id, kind: "user" as const, name: id, role });
const participants = [person("ann", "owner"), person("bob", "reviewer"), person("cleo", "reviewer")];
const run = { directedBy: ["ann"] } as never;
const session = { participants, run };
const vote = (id: string, role: "owner" | "reviewer"): Vote => ({
  by: { id, kind: "user", name: id },
  role,
  choice: "approve",
  at: "",
});
const gate = (quorum: Quorum, fields: Partial<Gate> = {}) =>
  ({ quorum, eligible: ["owner", "member", "reviewer"], ...fields }) as Gate;
const here = (...ids: string[]): Presence => ({
  here: ids.map((id) => ({ id, kind: "user", name: id })),
  more: 0,
});

describe("the tally", () => {
  it("counts toward a majority of all who may vote", () => {
    expect(tallyOf(gate({ kind: "majority" }), session)).toEqual({ approved: 0, needed: 2 });
  });

  it("counts the votes of the role that the quorum names, and of nobody who had a part in it", () => {
    const votes = [vote("ann", "owner"), vote("bob", "reviewer")];
    const ofReviewers: Quorum = { kind: "at_least", n: 2, role: "reviewer" };
    expect(tallyOf(gate(ofReviewers, { votes }), session)).toEqual({ approved: 1, needed: 2 });
    expect(tallyOf(gate({ kind: "all" }, { votes }), session)).toEqual({ approved: 2, needed: 3 });
    expect(tallyOf(gate({ kind: "all" }, { votes, separate_duties: true }), session)).toEqual({
      approved: 1,
      needed: 2,
    });
  });

  it("fits the text of the quorum", () => {
    expect(quorumText({ kind: "at_least", n: 1, role: "reviewer" }, en)).toMatch(
      /^1 approval needed from the role/,
    );
    expect(quorumText({ kind: "at_least", n: 2 }, en)).toBe("2 approvals needed");
  });
});

describe("the people whose approval is missing", () => {
  const ids = (one: ReturnType<typeof approversOf>) =>
    one.kind === "too_few" ? one : [one.kind, ...one.people.map(({ member }) => member.id)];
  const separate = gate({ kind: "any" }, { separate_duties: true });

  it("starts with those who are present", () => {
    expect(ids(approversOf(gate({ kind: "any" }), session, here("cleo")))).toEqual([
      "some",
      "cleo",
      "ann",
      "bob",
    ]);
  });

  it("is marked as away if none of them is present, and only if that is known", () => {
    expect(ids(approversOf(separate, session, here("ann")))).toEqual(["away", "bob", "cleo"]);
    expect(ids(approversOf(separate, session, null))).toEqual(["some", "bob", "cleo"]);
    expect(ids(approversOf(separate, session, { ...here("ann"), more: 3 }))).toEqual(["some", "bob", "cleo"]);
  });

  it("reports too few people if the session has no more", () => {
    const alone = { participants: participants.slice(0, 1), run };
    expect(approversOf(separate, alone, here("ann"))).toEqual({ kind: "too_few", eligible: 0, needed: 1 });
    const three = gate({ kind: "at_least", n: 3, role: "reviewer" });
    expect(approversOf(three, session, null)).toEqual({ kind: "too_few", eligible: 2, needed: 3 });
  });
});

describe("the people whose answer is missing", () => {
  const question = gate({ kind: "any" }, { kind: "question", eligible: ["reviewer", "bot"] });
  const robot = { id: "rob", kind: "bot" as const, name: "rob", role: "reviewer" as const };
  const ids = (one: ReturnType<typeof approversOf>) =>
    one.kind === "too_few" ? one : [one.kind, ...one.people.map(({ member }) => member.id)];

  it("includes everyone with an eligible role, whatever their part in the run", () => {
    const directed = { participants: [...participants, robot], run: { directedBy: ["bob"] } as never };
    expect(ids(approversOf(question, directed, here("rob")))).toEqual(["some", "rob", "bob", "cleo"]);
  });

  it("is marked as away if none of them is present", () => {
    expect(ids(approversOf(question, session, here("ann")))).toEqual(["away", "bob", "cleo"]);
    expect(ids(approversOf(question, session, null))).toEqual(["some", "bob", "cleo"]);
  });

  it("excludes a role that a rule has since denied the right to answer, but not one that cannot approve", () => {
    const rights = [{ role: "reviewer" as const, right: "answer" as const, access: "deny" as const }];
    const denied = { ...session, settings: { rights } as never };
    expect(approversOf(question, denied, null)).toEqual({ kind: "too_few", eligible: 0, needed: 1 });
    const unable = [{ role: "reviewer" as const, right: "approve" as const, access: "deny" as const }];
    const answering = { ...session, settings: { rights: unable } as never };
    expect(ids(approversOf(question, answering, null))).toEqual(["some", "bob", "cleo"]);
  });

  it("ignores delegations, which are for votes only", () => {
    const [owner, bob, cleo] = participants;
    const delegating = { ...bob!, delegate: { to: "ann" } } as never;
    const delegated = { participants: [owner!, delegating, cleo!], run };
    expect(ids(approversOf(question, delegated, null))).toEqual(["some", "bob", "cleo"]);
  });
});
