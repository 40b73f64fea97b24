// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Connection as State } from "../../src/state/model";
import { Connection } from "../../src/wire/connection";
import { welcome } from "../state/log";

/** A socket without a network. */
class FakeSocket {
  static OPEN = 1;
  static all: FakeSocket[] = [];
  readyState = 1;
  sent: unknown[] = [];
  onmessage?: (event: { data: string }) => void;
  onclose?: (event: { code: number; reason: string }) => void;
  constructor() {
    FakeSocket.all.push(this);
  }
  send(text: string) {
    this.sent.push(JSON.parse(text));
  }
  close() {
    this.readyState = 3;
  }
  says(frame: unknown) {
    this.onmessage?.({ data: JSON.stringify(frame) });
  }
  ends(code: number, reason = "") {
    this.readyState = 3;
    this.onclose?.({ code, reason });
  }
}

let states: State[];
let known: boolean | null;
let connection: Connection;
const last = () => FakeSocket.all.at(-1)!;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("WebSocket", FakeSocket);
  FakeSocket.all = [];
  states = [];
  known = true;
  connection = new Connection("ws://x", {
    frame: () => undefined,
    state: (state) => states.push(state),
    signedIn: () => Promise.resolve(known),
  });
  connection.open();
});
afterEach(() => {
  connection.stop();
  vi.useRealTimers();
});

it("sends nothing before it is welcome, and then everything", () => {
  expect(connection.send({ type: "ping" })).toBe(false);
  last().says(welcome);
  expect(connection.send({ type: "ping" })).toBe(true);
  expect(last().sent).toEqual([{ type: "ping" }]);
});

it("comes back by itself, and waits longer each time", () => {
  last().says(welcome);
  last().ends(4000, "going away");
  const waits: number[] = [];
  for (let n = 0; n < 8; n++) {
    const state = states.at(-1)!;
    if (state.phase !== "offline") throw new Error(state.phase);
    waits.push(state.retryAt! - Date.now());
    vi.advanceTimersToNextTimer();
    expect(FakeSocket.all).toHaveLength(n + 2);
    last().ends(1006);
  }
  expect(Math.max(...waits)).toBeLessThanOrEqual(15_000);
  expect(waits[7]!).toBeGreaterThan(waits[0]! * 4);
  const offline = states.filter((state) => state.phase === "offline");
  expect(new Set(offline.map((state) => state.since)).size, "offline since the first loss").toBe(1);
});

it("does not come back when it was told not to", () => {
  last().says(welcome);
  last().ends(4501, "revoked");
  expect(states.at(-1)).toEqual({ phase: "refused", code: 4501, reason: "revoked" });
  vi.runAllTimers();
  expect(FakeSocket.all).toHaveLength(1);
});

it("asks whether it is still signed in when no socket opens", async () => {
  known = false;
  last().ends(1006);
  await vi.waitFor(() => expect(states.at(-1)?.phase).toBe("refused"));
});

it("notices that nobody answers, whatever the socket says", () => {
  last().says(welcome);
  vi.advanceTimersByTime(20_000);
  expect(last().sent).toEqual([{ type: "ping" }]);
  vi.advanceTimersByTime(10_000);
  expect(states.at(-1)?.phase).toBe("offline");
});

it("is live as long as something comes", () => {
  last().says(welcome);
  for (let n = 0; n < 10; n++) {
    vi.advanceTimersByTime(15_000);
    last().says({ type: "pong" });
  }
  expect(states).toEqual([]);
});
