import { expect, it } from "vitest";
import { duplicateTitles } from "../../src/ui/sidebar/Sidebar";

it("titles that more than one session has are told apart, the untitled among them", () => {
  const list = ["Payments", "Refunds", "Payments", undefined, ""].map((title, i) => ({
    session: `s_${i}`,
    title,
  }));
  expect([...duplicateTitles(list)]).toEqual(["Payments", ""]);
});
