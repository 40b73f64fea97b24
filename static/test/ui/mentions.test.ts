import { describe, expect, it } from "vitest";
import { en } from "../../src/i18n/en";
import { mentionAt, mentionOptions } from "../../src/ui/composer/MentionList";
import { ann, bob, team } from "../state/log";

const session = {
  team,
  participants: [
    { id: ann.id, kind: "user" as const, name: "Ann", role: "owner" as const },
    { id: bob.id, kind: "user" as const, name: "Bob", role: "reviewer" as const },
  ],
};
const offered = (query: string) => mentionOptions(session, query, ann.id, en).map((one) => one.insert);

describe("a mention at the caret", () => {
  it("begins with @, also full-width and without a space before it in Chinese", () => {
    expect(mentionAt("@Wr", 3)).toEqual({ from: 0, query: "Wr" });
    expect(mentionAt("请＠评", 3)).toEqual({ from: 1, query: "评" });
    expect(mentionAt("look, @", 7)).toEqual({ from: 6, query: "" });
    expect(mentionAt("@role:rev", 9)).toEqual({ from: 0, query: "role:rev" });
  });

  it("is not an address, not escaped, and not text after the caret", () => {
    expect(mentionAt("ann@example", 11)).toBeNull();
    expect(mentionAt("\\@Writer", 8)).toBeNull();
    expect(mentionAt("@Writer now", 11)).toBeNull();
    expect(mentionAt("hello", 5)).toBeNull();
  });
});

describe("mentionOptions", () => {
  it("are the whole team, agents, people and roles, except me", () => {
    expect(offered("")).toEqual([
      "all",
      "Writer",
      "Critic",
      "Editor",
      "Bob",
      "people",
      "role:owner",
      "role:reviewer",
    ]);
  });

  it("insert the id of people whose name others have, too", () => {
    const bot = { kind: "bot" as const, name: "checker", role: "bot" as const };
    const participants = [
      ...session.participants,
      { ...bot, id: "u_1" },
      { ...bot, id: "u_2", name: "Checker" },
    ];
    const agentsName = { ...bot, id: "u_3", name: "writer" };
    const inserts = (query: string) =>
      mentionOptions({ team, participants: [...participants, agentsName] }, query, ann.id, en).map(
        (one) => one.insert,
      );
    expect(inserts("check")).toEqual(["u_1", "u_2"]);
    expect(inserts("writer")).toEqual(["Writer", "u_3"]);
    expect(inserts("bob")).toEqual(["Bob"]);
  });

  it("begin with names that have this prefix", () => {
    expect(offered("b")[0]).toBe("Bob");
    expect(offered("rev")).toEqual(["role:reviewer", "Critic", "Bob"]);
    expect(offered("nobody")).toEqual([]);
  });
});
