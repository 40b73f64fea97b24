import { expect, it } from "vitest";
import { groupTeams, takesTurns, teamsFor } from "../../src/ui/shell/teamGroups";

const offered = [
  { name: "a", title: "A", language: "en" as const },
  { name: "b", title: "B", language: "zh" as const },
  { name: "c", title: "C" },
  { name: "d", title: "D", language: "en" as const },
  { name: "e", title: "E", language: "zh" as const },
];
const names = (language: "en" | "zh") => teamsFor(language, offered).map(({ name }) => name);

it("offers the teams in the reader's language first, and otherwise keeps the server's order", () => {
  expect(names("en")).toEqual(["a", "d", "b", "c", "e"]);
  expect(names("zh")).toEqual(["b", "e", "a", "c", "d"]);
  expect(offered.map(({ name }) => name).join(""), "the offer itself stays as it was").toBe("abcde");
});

it("shows agents as taking turns only if they do", () => {
  const turns = (flow?: string) => takesTurns({ name: "a", title: "A", ...(flow && { flow }) });
  expect([turns(), turns("review"), turns("comprehensive")]).toEqual([true, true, true]);
  expect([turns("router"), turns("brain"), turns("plan_solve")]).toEqual([false, false, false]);
});

it("groups many teams by purpose, and keeps other languages apart", () => {
  const flows = ["investigate", "review", "react", "router", "brain", "unheard of"];
  const many = flows.flatMap((flow) => [
    { name: `${flow}-en`, title: flow, flow, language: "en" as const },
    { name: `${flow}-zh`, title: flow, flow, language: "zh" as const },
  ]);
  const { groups, others } = groupTeams("zh", many);
  expect(groups.map((group) => [group.purpose, group.teams.map(({ name }) => name)])).toEqual([
    ["review", ["review-zh"]],
    ["assistant", ["react-zh", "router-zh"]],
    ["plan", ["brain-zh"]],
    ["investigate", ["investigate-zh"]],
    ["other", ["unheard of-zh"]],
  ]);
  expect(others).toHaveLength(6);
  expect(groupTeams("en", many.slice(0, 4)).groups).toHaveLength(1);
});
