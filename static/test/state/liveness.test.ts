import { describe, expect, it } from "vitest";
import { reduce } from "../../src/state/reducer";
import { after, joinedAll, log, SESSION, welcome } from "./log";

const told = (live: boolean) =>
  ({
    type: "signal",
    session: SESSION,
    name: "liveness",
    data: { live, delay_ms: live ? 0 : 300 },
  }) as const;

describe("the notice that text is not shown live", () => {
  const start = after([welcome, joinedAll(2), ...log.slice(0, 2)]);
  const late = after([told(false)], start);

  it("is shown from one signal of the server to the next", () => {
    expect(start.sessions[SESSION]!.liveness).toBeNull();
    expect(late.sessions[SESSION]!.liveness).toMatchObject({ delay_ms: 300 });
    expect(after(log.slice(2, 4), late).sessions[SESSION]!.liveness).toMatchObject({ delay_ms: 300 });
    expect(after([told(true)], late).sessions[SESSION]!.liveness).toBeNull();
  });

  it("disappears with the connection, and returns only with another signal", () => {
    const offline = reduce(late, {
      type: "connection_changed",
      connection: { phase: "offline", since: 1, retryAt: 2, attempt: 1 },
    });
    expect(offline.sessions[SESSION]!.liveness).toBeNull();
    expect(after([welcome, joinedAll(2)], offline).sessions[SESSION]!.liveness).toBeNull();
  });
});
