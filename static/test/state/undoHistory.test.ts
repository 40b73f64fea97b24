import { expect, it } from "vitest";
import { change, newHistory, redo, undo } from "../../src/state/undoHistory";

it("undoes changes and redoes them", () => {
  const edited = change(change(newHistory("a"), "b"), "c");
  expect(undo(edited).present).toBe("b");
  expect(undo(undo(edited)).present).toBe("a");
  expect(undo(undo(undo(edited))).present).toBe("a");
  expect(redo(undo(edited)).present).toBe("c");
  expect(redo(edited)).toEqual(edited);
});

it("undoes all typing in one field in a single step", () => {
  const typed = change(change(change(newHistory(""), "x", "/name"), "xy", "/name"), "xyz", "/name");
  expect(undo(typed).present).toBe("");
  const other = change(typed, "xyz!", "/title");
  expect(undo(other).present).toBe("xyz");
  // After an undo, typing in the same field is another change.
  expect(undo(change(undo(other), "new", "/name")).present).toBe("xyz");
});

it("forgets undone changes after another change", () => {
  const branched = change(undo(change(newHistory("a"), "b")), "c");
  expect(redo(branched).present).toBe("c");
});

it("keeps a bounded number of changes", () => {
  let history = newHistory(0);
  for (let n = 1; n <= 1000; n++) history = change(history, n);
  expect(history.past).toHaveLength(200);
  expect(undo(history).present).toBe(999);
});
