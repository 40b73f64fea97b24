import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { ServerFrame, View } from "../../src/protocol";
import type { SessionState } from "../../src/state/model";
import { itemsKey, buildRows, type Row } from "../../src/state/timeline";
import type { EventFrame } from "../../src/wire/frames";
import { after } from "./log";

/** A run of the real server, as tests/browser/record.mjs recorded it. */
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

/** What the screen shows of it that a snapshot carries: all but the lines about what was seen to happen. */
function shown(frames: ServerFrame[]) {
  const state: SessionState = after(frames).sessions[session]!;
  const { title, participants, gates, inbox, usage, seq, team, settings, run } = state;
  const rows = buildRows({ ...state, items: itemsKey(state), busy: false, notes: [] }, null, null);
  const { endedAt: _, ...lasting } = run!;
  return JSON.parse(
    JSON.stringify({ rows, title, participants, gates, inbox, usage, seq, team, settings, run: lasting }),
  ) as { rows: Row[]; gates: unknown[] };
}

describe("a run that the real server recorded", () => {
  it("is gapless, and holds what it should", () => {
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

  it("stands in the order of the log, each decision where it fell", () => {
    const { rows } = shown([joined, ...events]);
    const told = rows.flatMap((row) => {
      if (row.kind === "message") return [row.message!.text];
      return row.kind === "gate" ? [`decided: ${row.gate.id}`] : [];
    });
    expect(told).toEqual([
      "Write cases for payments",
      // From the moment that its first letter was seen.
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

  it("is the same when every frame comes twice and late ones come again", () => {
    const twice = events.flatMap((event, i) => [event, event, events[Math.max(0, i - 3)]!]);
    expect(shown([joined, ...twice])).toEqual(shown([joined, ...events]));
  });
});
