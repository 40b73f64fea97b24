// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Connection, type ConnectionState } from "../../src/wire/connection";
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

let states: ConnectionState[];
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

it("sends nothing before the welcome, and then everything", () => {
  expect(connection.send({ type: "ping" })).toBe(false);
  last().says(welcome);
  expect(connection.send({ type: "ping" })).toBe(true);
  expect(last().sent).toEqual([{ type: "ping" }]);
});

it("reconnects by itself, and waits longer each time", () => {
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

it("does not reconnect after the server has told it not to", () => {
  last().says(welcome);
  last().ends(4501, "revoked");
  expect(states.at(-1)).toEqual({ phase: "refused", code: 4501, reason: "revoked" });
  vi.runAllTimers();
  expect(FakeSocket.all).toHaveLength(1);
});

it("checks whether the user is still signed in if no socket opens", async () => {
  known = false;
  last().ends(1006);
  await vi.waitFor(() => expect(states.at(-1)?.phase).toBe("refused"));
});

it("notices within 10 s that the server does not answer, whatever the socket reports", () => {
  last().says(welcome);
  vi.advanceTimersByTime(4_000);
  expect(last().sent).toEqual([{ type: "ping" }]);
  const heard = Date.now() - 4_000;
  vi.advanceTimersByTime(5_000);
  expect(states[0], "offline since it was heard last").toMatchObject({ phase: "offline", since: heard });
});

it("gives up on a silent address within 10 s, and says when it will retry", () => {
  last().says(welcome);
  last().ends(1006);
  for (let attempt = 1; attempt < 5; attempt++) {
    const waiting = states.at(-1)!;
    if (waiting.phase !== "offline") throw new Error(waiting.phase);
    vi.advanceTimersByTime(waiting.retryAt! - Date.now());
    expect(FakeSocket.all).toHaveLength(attempt + 1);
    expect(states.at(-1), "trying now").toMatchObject({ phase: "offline", retryAt: null });
    const tried = last();
    vi.advanceTimersByTime(8_000);
    expect(tried.readyState, "the attempt is over").toBe(3);
  }
});

it("waits longer after each silence until the server answers, for a snapshot over a slow network", () => {
  const pongTimeout = () => {
    last().says(welcome);
    const begun = Date.now();
    const socket = last();
    while (socket.readyState === 1) vi.advanceTimersByTime(1_000);
    while (socket === last()) vi.advanceTimersByTime(100);
    return Math.round((Date.now() - begun) / 1_000);
  };
  const first = pongTimeout();
  const second = pongTimeout();
  const third = pongTimeout();
  expect(first).toBeLessThanOrEqual(10);
  expect([second > first, third > second]).toEqual([true, true]);
  last().says(welcome);
  last().says({ type: "pong" });
  expect(pongTimeout()).toBeLessThanOrEqual(10);
});

it("notices the next silence within 10 s, too, once the slow data has arrived, even without a request meanwhile", () => {
  last().says(welcome);
  vi.advanceTimersByTime(8_000);
  vi.advanceTimersByTime(1_000);
  expect(FakeSocket.all).toHaveLength(2);
  last().says(welcome);
  last().says({ type: "caught_up", session: "s_1", through: 1 });
  for (let n = 0; n < 5; n++) {
    vi.advanceTimersByTime(3_000);
    last().says({ type: "event" });
  }
  expect(last().sent, "frames come, so nobody asks").toEqual([]);
  const socket = last();
  vi.advanceTimersByTime(10_000);
  expect(socket.readyState).toBe(3);
});

it("is live as long as data arrives", () => {
  last().says(welcome);
  for (let n = 0; n < 10; n++) {
    vi.advanceTimersByTime(7_000);
    last().says({ type: "pong" });
  }
  expect(states).toEqual([]);
});
