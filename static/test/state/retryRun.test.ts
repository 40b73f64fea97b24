import { describe, expect, it } from "vitest";
import type { Message, Target } from "../../src/protocol";
import { retryCommand, isRetry } from "../../src/state/run";
import { reduce } from "../../src/state/reducer";
import { after, ann, joinedAll, log, SESSION, team, welcome } from "./log";

const writer: Target = { kind: "agent", id: "Writer" };
const input = (text: string, to?: Target[], files?: string[]): Message => ({
  id: "m_3",
  at: "2026-11-21T22:00:00Z",
  by: ann,
  text,
  to,
  files,
});
const again = (...given: Parameters<typeof input>) => retryCommand({ team }, input(...given));

describe("a failed run is retried", () => {
  it("with a start command, which no other run can take as its own message, if the text determines its recipients", () => {
    expect(again("Write", undefined, ["f_1"])).toEqual({
      do: "start",
      data: { input: "Write", files: ["f_1"] },
    });
    expect(again("＠writer mind refunds", [writer]).do).toBe("start");
    expect(again("@all begin", [{ kind: "all" }]).do).toBe("start");
  });

  it("with a message to the recipients that its author chose, if the text does not determine them", () => {
    expect(again("Mind refunds", [writer], ["f_1"])).toEqual({
      do: "say",
      data: { text: "Mind refunds", to: [writer], mode: "queue", files: ["f_1"] },
    });
    expect(again("@Critic has said it all", [writer]).do).toBe("say");
    expect(again("@Writer, not @Critic", [writer]).do).toBe("say");
    expect(again("@Writers do it", [writer]).do).toBe("say");
    expect(again("@Writer and @Bob", [writer, { kind: "participant", id: "u_2" }]).do).toBe("say");
  });

  it("only once until it is answered", () => {
    const pending = (how: object) => ({ command: { id: "c_9", session: SESSION, ...how }, at: 1 }) as never;
    expect(isRetry(pending(again("Mind refunds", [writer])))).toBe(true);
    expect(isRetry(pending(again("Write")))).toBe(true);
    expect(isRetry(pending({ do: "say", data: { text: "Write" } }))).toBe(false);
  });
});

describe("the notice that a retry failed", () => {
  const given = (verb: string) => {
    const command = { id: "c_9", session: SESSION, do: verb, data: { input: "Write", text: "Write" } };
    const asked = reduce(after([welcome, joinedAll(4), ...log.slice(0, 4)]), {
      type: "command_added",
      pending: { command, at: 1 },
    });
    return after(
      [{ type: "error", id: "c_9", code: "run_active", message: "a run is active", retryable: false }],
      asked,
    );
  };

  it("disappears once a run has begun; rejected messages are kept", () => {
    expect(given("start").sessions[SESSION]!.pending).toHaveLength(1);
    expect(after(log.slice(4, 5), given("start")).sessions[SESSION]!.pending).toEqual([]);
    expect(after(log.slice(4, 5), given("say")).sessions[SESSION]!.pending).toHaveLength(1);
  });
});
