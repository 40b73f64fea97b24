// @vitest-environment jsdom
import { describe, expect, it } from "vitest";
import { en } from "../../src/i18n/en";
import { zh } from "../../src/i18n/zh";
import type { Actor } from "../../src/protocol";
import { Avatar } from "../../src/ui/parts/Avatar";
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

describe("an avatar", () => {
  const drawn = (id: string) => draw(<Avatar kind="user" id={id} name="operator" />).box.innerHTML;

  it("follows from the id: two people of one name look different, and one looks the same everywhere", () => {
    const ids = Array.from({ length: 40 }, (_, at) => `u_0190f3c07a1b7c3d8e5f60718293a4${at + 10}`);
    expect(new Set(ids.map(drawn)).size).toBe(ids.length);
    expect(drawn(ids[0]!)).toBe(drawn(ids[0]!));
  });
});
