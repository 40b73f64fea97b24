import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { ServerFrame, View } from "../../src/protocol";
import type { SessionState } from "../../src/state/model";
import { runningKey, buildRows, type Row } from "../../src/state/timeline";
import type { EventFrame } from "../../src/wire/frames";
import { after } from "./log";

/** A run of the real server, recorded by tests/browser/record.mjs. */
const { events, snapshots } = JSON.parse(
  readFileSync(new URL("../recorded/run.json", import.meta.url), "utf8"),
) as { events: EventFrame[]; snapshots: { seq: number; state: View }[] };

const session = events[0]!.session;
const joined: ServerFrame = {
  type: "joined",
  session,
  head: events.length,

  you_can: ["watch"],
};

/** The part of the screen that a snapshot carries: everything except the notes about observed events. */
function shown(frames: ServerFrame[]) {
  const state: SessionState = after(frames).sessions[session]!;
  const { title, participants, gates, inbox, usage, seq, team, settings, run } = state;
  const rows = buildRows({ ...state, running: runningKey(state), busy: false, notes: [] }, null, null);
  const { endedAt: _, ...lasting } = run!;
  return JSON.parse(
    JSON.stringify({ rows, title, participants, gates, inbox, usage, seq, team, settings, run: lasting }),
  ) as { rows: Row[]; gates: unknown[] };
}

describe("a run recorded from the real server", () => {
  it("has no gaps, and contains the expected events", () => {
    expect(events.map((event) => event.seq)).toEqual(events.map((_, i) => i + 1));
    const names = new Set(events.map((event) => event.event));
    for (const name of [
      "message.consumed",
      "message.aborted",
      "gate.decided",
      "control.effective",
      "run.finished",
    ]) {
      expect(names, name).toContain(name);
    }
  });

  it.each(snapshots)(
    "is the same from the server's own snapshot at $seq as from the whole log",
    ({ seq, state }) => {
      const whole = shown([joined, ...events]);
      expect(whole.rows.length).toBeGreaterThan(10);
      expect(whole.gates).toHaveLength(snapshots.at(-1)!.state.decided.length);
      expect(shown([{ ...joined, snapshot: { seq, state } } as ServerFrame, ...events.slice(seq)])).toEqual(
        whole,
      );
    },
  );

  it("is shown in the order of the log, with each decision where it was made", () => {
    const { rows } = shown([joined, ...events]);
    const told = rows.flatMap((row) => {
      if (row.kind === "message") return [row.message!.text];
      return row.kind === "gate" ? [`decided: ${row.gate.id}`] : [];
    });
    expect(told).toEqual([
      "Write cases for payments",
      // Placed at the moment when its first letter appeared.
      "# Cases\n\n1. Pay once",
      "Mind refunds",
      "Use euros",
      "Well",
      "@people a word between us",
      "decided: g_23",
      "Short.",
      "Good.",
      "decided: g_43",
      "Final.",
    ]);
  });

  it("is the same if every frame arrives twice and late ones arrive again", () => {
    const twice = events.flatMap((event, i) => [event, event, events[Math.max(0, i - 3)]!]);
    expect(shown([joined, ...twice])).toEqual(shown([joined, ...events]));
  });
});
