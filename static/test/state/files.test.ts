import { describe, expect, it } from "vitest";
import type { Actor } from "../../src/protocol";
import { filesById, hasThumbnail, kindOf, filesOfCall, newestFiles, versionsOf } from "../../src/state/files";
import { runningKey, buildRows } from "../../src/state/timeline";
import type { EventFrame } from "../../src/wire/frames";
import { after, ann, bob, joinedAll, SESSION, welcome, writer } from "./log";

type Fact = EventFrame extends infer E ? (E extends EventFrame ? Pick<E, "event" | "data"> : never) : never;

const about = { media_type: "text/markdown", bytes: 5, digest: "d" };
const facts: [Actor, Fact][] = [
  [ann, { event: "file.added", data: { ...about, file: "f_1", name: "a.md", version: 1 } }],
  [ann, { event: "message.posted", data: { message: "m_2", text: "Look", files: ["f_1"] } }],
  [bob, { event: "file.added", data: { ...about, file: "f_3", name: "b.md", version: 1 } }],
  [bob, { event: "file.added", data: { ...about, file: "f_4", name: "a.md", version: 2, digest: "d2" } }],
  [
    writer,
    {
      event: "file.added",
      data: { ...about, file: "f_5", name: "c.md", version: 1, call: "t_9", agent: "Writer" },
    },
  ],
  [bob, { event: "file.removed", data: { file: "f_4", name: "a.md" } }],
  [ann, { event: "file.added", data: { ...about, file: "f_7", name: "a.md", version: 3 } }],
];

function at(seq: number) {
  const log = facts.slice(0, seq).map(([by, fact], i) => {
    const frame = {
      type: "event",
      session: SESSION,
      seq: i + 1,
      at: "2026-11-21T22:00:00.000Z",
      by,
      ...fact,
    };
    return frame as EventFrame;
  });
  return after([welcome, joinedAll(seq), ...log]).sessions[SESSION]!;
}

const ids = (files: { id: string }[]) => files.map((file) => file.id);

describe("files of a session", () => {
  it("have versions, of which the newest counts, and can be removed and restored", () => {
    expect(ids(newestFiles(at(5).files))).toEqual(["f_5", "f_4", "f_3"]);
    expect(ids(versionsOf(at(5).files, "a.md"))).toEqual(["f_4", "f_1"]);
    expect(newestFiles(at(6).files).filter((file) => file.removed)).toMatchObject([{ id: "f_4" }]);
    expect(newestFiles(at(7).files)[0]).toMatchObject({ id: "f_7", version: 3, by: ann });
    expect(at(7).files.filter((file) => file.removed)).toHaveLength(2);
  });

  it("are shown with their message, with the call that made them, or alone", () => {
    const session = at(7);
    expect(ids(filesById(session.files, ["f_1", "f_99"]))).toEqual(["f_1"]);
    expect(ids(filesOfCall(session.files, "t_9"))).toEqual(["f_5"]);
    const rows = buildRows({ ...session, running: runningKey(session), busy: false }, null, ann.id);
    expect(rows.map((row) => row.key)).toEqual(["m_2", "f_3", "f_5", "note 6", "f_7"]);
    const folded = rows.find((row) => row.key === "f_3");
    expect(folded?.kind === "files" && ids(folded.files), "one line for what one person brings").toEqual([
      "f_3",
      "f_4",
    ]);
    const back = rows.map((row) => (row.kind === "files" ? row.back : undefined));
    expect(back, "what was there before is put back").toEqual([undefined, null, null, undefined, 1]);
    const call = {
      id: "t_9",
      name: "report",
      arguments: "{}",
      rev: 1,
      attempt: 1,
      idempotent: true,
    } as const;
    const own = {
      ...call,
      state: "completed",
      run: "r_1",
      step: "p_1",
      agent: "Writer",
      message: "m_8",
    } as const;
    const known = { ...session, calls: { t_9: own }, running: "", busy: false };
    expect(buildRows(known, null, ann.id).map((row) => row.key)).not.toContain("f_5");
  });

  it("are shown as the type that the server detects", () => {
    const kind = (media_type: string) => kindOf({ ...at(1).files[0]!, media_type });
    expect(["image/png", "image/svg+xml", "text/html", "text/markdown", "application/pdf"].map(kind)).toEqual(
      [...["image", "text", "page", "markdown", "other"]],
    );
  });

  it("are shown as thumbnails if they are pictures small enough to fetch automatically", () => {
    const small = (media_type: string, bytes: number) =>
      hasThumbnail({ ...at(1).files[0]!, media_type, bytes });
    expect(small("image/png", 2_000_000)).toBe(true);
    expect(small("image/png", 2_000_001)).toBe(false);
    expect(small("image/png", 0)).toBe(false);
    expect(small("image/svg+xml", 10)).toBe(false);
  });
});
