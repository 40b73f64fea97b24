import { expect, it } from "vitest";
import type { ServerFrame } from "../../src/protocol";
import { after, ann, bob, joinedAll, log, SESSION, welcome } from "./log";

const signal = (name: string, data: object) =>
  ({ type: "signal", session: SESSION, name, data }) as unknown as ServerFrame;

it("a removed person gets no more presence signals, and keeps what they have read", () => {
  const inside = after([
    welcome,
    joinedAll(6),
    ...log.slice(0, 6),
    signal("presence", { here: [ann, bob], more: 0 }),
    signal("typing", { by: bob }),
  ]);
  expect(inside.sessions[SESSION]).toMatchObject({ presence: { here: [ann, bob] }, ended: null });
  const closing: ServerFrame = { type: "closing", session: SESSION, code: "removed", message: "" };
  const out = after([closing], inside).sessions[SESSION]!;
  expect(out).toMatchObject({ presence: null, typing: {}, rights: [], ended: { code: "removed" } });
  expect(out.messages).toEqual(inside.sessions[SESSION]!.messages);
});
