import { describe, expect, it } from "vitest";
import { isChanged, withRight } from "../../src/ui/settings/rightsDraft";

describe("the draft of the rights", () => {
  it("has a rule only for what differs from the default", () => {
    const denied = withRight([], "member", "steer", false);
    expect(denied).toEqual([{ role: "member", right: "steer", access: "deny" }]);
    expect(isChanged(denied, "member", "steer")).toBe(true);
    expect(isChanged(denied, "reviewer", "steer")).toBe(false);
    expect(withRight(denied, "member", "steer", true)).toEqual([]);
  });

  it("has the same rules whatever the order of the changes", () => {
    const one = withRight(withRight([], "viewer", "say", true), "member", "invite", false);
    const other = withRight(withRight([], "member", "invite", false), "viewer", "say", true);
    expect(one).toEqual(other);
  });
});
