import { describe, expect, it } from "vitest";
import type { Settings } from "../../src/protocol";
import { changedSettings, settingsDraftOf } from "../../src/ui/settings/settingsDraft";

const settings: Settings = {
  approval: { kind: "any" },
  max_messages_per_run: 20,
  max_retries: 2,
  gate_seconds: 90,
};
const before = settingsDraftOf(settings);

describe("settings that are filled in", () => {
  it("change nothing as long as nobody touches them", () => {
    expect(changedSettings(before, { ...before })).toEqual({});
    expect(before.minutes).toBe("1.5");
  });

  it("send what is different and nothing else", () => {
    expect(
      changedSettings(before, { ...before, approval: { ...before.approval, kind: "at_least", n: "3" } }),
    ).toEqual({
      approval: { kind: "at_least", n: 3 },
    });
    expect(
      changedSettings(before, { ...before, approval: { ...before.approval, kind: "role", role: "member" } }),
    ).toEqual({
      approval: { kind: "role", role: "member" },
    });
    const numbers = { ...before.numbers, max_messages_per_run: "50" };
    expect(changedSettings(before, { ...before, numbers })).toEqual({ max_messages_per_run: 50 });
  });

  it("leave a decision open for ever where no time is given", () => {
    expect(changedSettings(before, { ...before, minutes: "" })).toEqual({ gate_seconds: null });
    expect(changedSettings(before, { ...before, minutes: "0.5" })).toEqual({ gate_seconds: 30 });
  });
});
