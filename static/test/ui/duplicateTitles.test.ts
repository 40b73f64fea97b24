import { expect, it } from "vitest";
import { duplicateTitles } from "../../src/ui/sidebar/Sidebar";

it("duplicate titles of sessions are distinguished, including untitled ones", () => {
  const list = ["Payments", "Refunds", "Payments", undefined, ""].map((title, i) => ({
    session: `s_${i}`,
    title,
  }));
  expect([...duplicateTitles(list)]).toEqual(["Payments", ""]);
});
