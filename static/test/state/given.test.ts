import { expect, it } from "vitest";
import { givenBases } from "../../src/state/given";
import { emptySession, type Pending } from "../../src/state/model";
import type { Settings } from "../../src/protocol";
import { SESSION } from "./log";

const set = (settings: unknown, refused = false): Pending => ({
  command: { id: "c_1", session: SESSION, do: "set", data: { settings } },
  at: 0,
  ...(refused ? { refused: { code: "unknown_session", message: "no" } } : {}),
});
const session = (knowledge: string[] | undefined, ...pending: Pending[]) => ({
  ...emptySession(SESSION),
  settings: { knowledge } as Settings,
  pending,
});

it("says what I have just given, before the log does, and no more once that is refused", () => {
  expect(givenBases(emptySession(SESSION))).toEqual([]);
  expect(givenBases(session(undefined))).toEqual([]);
  expect(givenBases(session(["1"]))).toEqual(["1"]);
  expect(givenBases(session(["1"], set({ knowledge: ["1", "2"] }), set({ parallel: 3 })))).toEqual([
    "1",
    "2",
  ]);
  expect(givenBases(session(["1"], set({ knowledge: [] })))).toEqual([]);
  expect(givenBases(session(["1"], set({ knowledge: ["9"] }, true)))).toEqual(["1"]);
});
