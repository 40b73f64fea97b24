import { describe, expect, it } from "vitest";
import type { CommentThread, Gate } from "../../src/protocol";
import {
  commentableFiles,
  fileThreads,
  hasContent,
  isOutdated,
  openThreads,
  placesOf,
  placeText,
  takesComments,
} from "../../src/state/commentThreads";
import { openGate } from "../../src/state/gateSelectors";
import { emptySession } from "../../src/state/model";
import type { EventFrame } from "../../src/wire/frames";
import { after, ann, bob, joinedAll, log, SESSION, welcome } from "./log";

const opened = after([welcome, joinedAll(26), ...log.slice(0, 26)]);
const now = (app: typeof opened) => app.sessions[SESSION]!;
const event = (app: typeof opened, by: typeof ann, event: string, data: object) => {
  const seq = now(app).seq + 1;
  const at = "2026-11-21T22:01:00.000Z";
  return after([{ type: "event", session: SESSION, seq, at, by, event, data } as EventFrame], app);
};

describe("the comments at a gate", () => {
  const gate = openGate(now(opened))!;
  const place = { gate: gate.id, thread: "m_90", rev: 1, line: 1, quote: "first" };
  const says = (app: typeof opened, by: typeof ann, message: string, text: string) =>
    event(event(app, by, "message.posted", { message, text }), by, "gate.commented", { message, place });

  it("are threads that can be resolved and reopened", () => {
    const begun = says(opened, ann, "m_90", "why?");
    const replied = says(begun, bob, "m_91", "because");
    const [thread, other] = openGate(now(replied))!.threads!;
    expect(other).toBeUndefined();
    expect(thread!.comments.map(({ by, text }) => [by.id, text])).toEqual([
      [ann.id, "why?"],
      [bob.id, "because"],
    ]);
    expect(openThreads(openGate(now(replied))!)).toBe(1);
    const change = (resolved: boolean) => ({ gate: gate.id, thread: "m_90", resolved });
    const resolved = event(replied, bob, "gate.thread_changed", change(true));
    expect(openGate(now(resolved))!.threads![0]!.resolved?.by.id).toBe(bob.id);
    expect(openThreads(openGate(now(resolved))!)).toBe(0);
    expect(openThreads(openGate(now(event(resolved, bob, "gate.thread_changed", change(false))))!)).toBe(1);
  });

  it("disappear with their text when they are redacted", () => {
    const begun = says(opened, ann, "m_90", "hunter2");
    const erased = event(begun, bob, "message.redacted", { message: "m_90" });
    expect(openGate(now(erased))!.threads![0]!.comments[0]!.text).toBe("");
  });

  it("refer to the arguments of a call, line by line", () => {
    const call = { kind: "tool", call: "t_1" } as Gate;
    const session = {
      ...emptySession(SESSION),
      calls: { t_1: { arguments: '{"code":"a\\n\\nb\\n","n":1,"to":["x"]}' } },
    } as unknown as Parameters<typeof placesOf>[0];
    expect(placesOf(session, call)).toEqual([
      { path: "/code", line: 1, text: "a" },
      { path: "/code", line: 3, text: "b" },
      { path: "/n", text: "1" },
      { path: "/to/0", line: 1, text: "x" },
    ]);
    expect(takesComments(call)).toBe(true);
    expect(takesComments({ kind: "question" } as Gate)).toBe(false);
    for (const [id, takes] of [
      ["m_3", true],
      ["r_3", false],
    ] as const)
      expect(hasContent({ kind: "feedback", subject: { id } } as Gate)).toBe(takes);
  });

  it("refer to files, and are outdated once there is a newer version", () => {
    const add = (app: typeof opened, file: string, version: number) =>
      event(app, ann, "file.added", {
        file,
        name: "a.md",
        version,
        media_type: "text/plain",
        bytes: 3,
        digest: "0",
      });
    const added = add(opened, "f_80", 1);
    const [file] = commentableFiles(now(added));
    const inFile = { ...place, line: 2, quote: "hunter2", file: { id: "f_80", name: "a.md", version: 1 } };
    const posted = event(added, bob, "message.posted", { message: "m_90", text: "why?" });
    const begun = event(posted, bob, "gate.commented", { message: "m_90", place: inFile });
    const threads = (app: typeof opened) => fileThreads(now(app).gates, file!);
    expect(threads(begun).map(([, { place }]) => placeText(place))).toEqual(["hunter2"]);
    const [[of, thread]] = threads(begun) as [[Gate, CommentThread]];
    expect(isOutdated(now(begun), of, thread)).toBe(false);
    expect(isOutdated(now(add(begun, "f_95", 2)), of, thread)).toBe(true);
    const erased = event(begun, ann, "file.redacted", { file: "f_80" });
    expect(threads(erased).map(([, { place }]) => placeText(place))).toEqual(["a.md"]);
    expect(commentableFiles(now(erased))).toEqual([]);
    const comment = now(erased).messages.find(({ id }) => id === "m_90");
    expect([comment?.text, comment?.comment_on?.quote]).toEqual(["why?", undefined]);
  });
});
