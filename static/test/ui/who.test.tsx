// @vitest-environment jsdom
import { describe, expect, it } from "vitest";
import { en } from "../../src/i18n/en";
import { zh } from "../../src/i18n/zh";
import type { Actor, Member } from "../../src/protocol";
import { Avatar } from "../../src/ui/parts/Avatar";
import { personName } from "../../src/ui/names";
import { who } from "../../src/ui/parts/who";
import { draw } from "../support/screen";

const operator: Actor = { kind: "user", id: "u_1", name: "operator" };

describe("who decided", () => {
  it("is told with the role that was held, and that a guest chose the name", () => {
    expect(who({ ...operator, role: "owner" }, en)).toBe("operator (owner)");
    expect(who({ ...operator, role: "reviewer", guest: true }, en)).toBe("operator (guest, reviewer)");
    expect(who({ ...operator, role: "reviewer", guest: true }, zh)).toBe(
      `operator（${zh.manage.guest}、${zh.roles.reviewer}）`,
    );
    expect(who({ kind: "system", id: "system", name: "Roundtable" }, en)).toBe("Roundtable");
  });
});

describe("a name", () => {
  const member = (id: string, name: string, more = {}): Member => ({
    id,
    kind: "user",
    name,
    role: "member",
    ...more,
  });
  const people = {
    participants: [
      member("u_000001", "Ann"),
      member("u_000002", "Ann"),
      member("u_000003", "Bob"),
      member("u_000004", "Воb", { lookalike: true }),
    ],
    former: [member("u_000005", "Bob")],
  };

  it("has the end of the id where somebody else has it, or it looks like another", () => {
    const shown = people.participants.map(({ id }) => personName(people, id));
    expect(shown).toEqual(["Ann …000001", "Ann …000002", "Bob …000003", "Воb …000004"]);
    expect(new Set([...shown, personName(people, "u_000005")]).size).toBe(5);
    expect(personName({ ...people, former: [] }, "u_000003")).toBe("Bob");
  });

  it("stands so beside a decision", () => {
    const by: Actor = { kind: "user", id: "u_000002", name: "Ann", role: "owner" };
    expect(who(by, en, people)).toBe("Ann …000002 (owner)");
  });
});

describe("an avatar", () => {
  const drawn = (id: string) => draw(<Avatar kind="user" id={id} name="operator" />).box.innerHTML;

  it("follows from the id: two people of one name look different, and one looks the same everywhere", () => {
    const ids = Array.from({ length: 40 }, (_, at) => `u_0190f3c07a1b7c3d8e5f60718293a4${at + 10}`);
    expect(new Set(ids.map(drawn)).size).toBe(ids.length);
    expect(drawn(ids[0]!)).toBe(drawn(ids[0]!));
  });
});
