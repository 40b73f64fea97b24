import { describe, expect, it } from "vitest";
import { dayGroupOf } from "../../src/state/sessionList";

describe("the day of a session", () => {
  const now = new Date(2026, 2, 30, 0, 30);
  const at = (...parts: [number, number, number, number]) => new Date(...parts).toISOString();
  it("follows the reader's calendar", () => {
    expect(dayGroupOf(at(2026, 2, 30, 0), now)).toBe("today");
    expect(dayGroupOf(at(2026, 2, 29, 23), now)).toBe("yesterday");
    expect(dayGroupOf(at(2026, 2, 28, 1), now)).toBe("week");
    expect(dayGroupOf(at(2026, 2, 24, 0), now)).toBe("week");
    expect(dayGroupOf(at(2026, 2, 23, 23), now)).toBe("earlier");
  });
  it("is today if it is unknown, or if a clock is ahead", () => {
    expect(dayGroupOf(undefined, now)).toBe("today");
    expect(dayGroupOf(at(2026, 2, 31, 5), now)).toBe("today");
  });
});
