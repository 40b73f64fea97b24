import { describe, expect, it } from "vitest";
import { isRequestable, isChanged, haveSameRights, withAccess } from "../../src/ui/settings/rightsDraft";

describe("the draft of the rights", () => {
  it("has rules only for differences from the default", () => {
    const denied = withAccess([], "member", "steer", "deny");
    expect(denied).toEqual([{ role: "member", right: "steer", access: "deny" }]);
    expect(isChanged(denied, "member", "steer")).toBe(true);
    expect(isChanged(denied, "reviewer", "steer")).toBe(false);
    expect(withAccess(denied, "member", "steer", "allow")).toEqual([]);
  });

  it("has the same rules whatever the order of the changes", () => {
    const one = withAccess(withAccess([], "viewer", "say", "allow"), "member", "invite", "deny");
    const other = withAccess(withAccess([], "member", "invite", "deny"), "viewer", "say", "allow");
    expect(one).toEqual(other);
  });

  it("can require an approval of the owners, and then equals a template with the same rules", () => {
    const asks = withAccess([], "member", "steer", "ask");
    expect(asks).toEqual([{ role: "member", right: "steer", access: "ask" }]);
    expect(isChanged(asks, "member", "steer")).toBe(true);
    expect(haveSameRights(asks, [...asks, { role: "viewer", right: "say", access: "deny" }])).toBe(true);
    expect(haveSameRights(asks, [])).toBe(false);
    expect([isRequestable("invite"), isRequestable("approve")]).toEqual([true, false]);
  });
});
