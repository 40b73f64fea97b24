import { expect, it } from "vitest";
import { twinsOf } from "../../src/ui/sidebar/twins";

it("titles that more than one session has are told apart, the untitled among them", () => {
  const list = ["Payments", "Refunds", "Payments", undefined, ""].map((title, i) => ({
    session: `s_${i}`,
    title,
  }));
  expect([...twinsOf(list)]).toEqual(["Payments", ""]);
});
