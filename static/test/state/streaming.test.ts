import { describe, expect, it } from "vitest";
import type { ServerFrame } from "../../src/protocol";
import { after, delta, joinedAll, log, SESSION, welcome } from "./log";

const begun = after([welcome, joinedAll(7), ...log.slice(0, 7)]);
const text = (frames: ServerFrame[]) => after(frames, begun).sessions[SESSION]!.streaming.m_7?.text;

describe("deltas", () => {
  it("follow one another by their offset in UTF-8 bytes", () => {
    expect(text([delta("m_7", 1, 0, "支付"), delta("m_7", 1, 6, "用例 "), delta("m_7", 1, 13, "😀!")])).toBe(
      "支付用例 😀!",
    );
  });

  it("are shown once, however often they arrive and wherever they overlap", () => {
    const first = delta("m_7", 1, 0, "支付接口");
    expect(text([first, first])).toBe("支付接口");
    expect(text([first, delta("m_7", 1, 6, "接口的测试")])).toBe("支付接口的测试");
  });

  it("leave no gap: one that begins beyond the end is ignored", () => {
    expect(text([delta("m_7", 1, 0, "abc"), delta("m_7", 1, 9, "xyz")])).toBe("abc");
  });

  it("start over with a higher attempt and ignore a lower one", () => {
    const frames = [
      delta("m_7", 1, 0, "first try"),
      delta("m_7", 2, 0, "second"),
      delta("m_7", 1, 9, " late"),
    ];
    expect(text(frames)).toBe("second");
  });

  it("end with the finished message, whatever was missing", () => {
    const app = after([delta("m_7", 1, 0, "# Ca"), ...log.slice(7)], begun);
    const session = app.sessions[SESSION]!;
    expect(session.streaming).toEqual({});
    expect(session.messages.find((message) => message.id === "m_7")?.text).toBe("# Cases\n\n1. Pay");
  });

  it("change nothing for a message that has not started", () => {
    expect(after([delta("m_99", 1, 0, "?")], begun)).toBe(begun);
  });

  it("survive a restart: the new attempt of the same message replaces the text", () => {
    const again: ServerFrame = {
      ...log[6]!,
      seq: 8,
      event: "message.started",
      data: { message: "m_7", run: "r_5", step: "p_6", agent: "Writer", attempt: 2, recovered: true },
    } as ServerFrame;
    const app = after([delta("m_7", 1, 0, "half a sen"), again, delta("m_7", 2, 0, "Again")], begun);
    expect(app.sessions[SESSION]!.streaming.m_7).toMatchObject({
      text: "Again",
      attempt: 2,
      recovered: true,
    });
  });

  it("show why a quota delays the next attempt, which is not a failure", () => {
    const frame = (seq: number, event: string, data: object) =>
      ({ ...log[6]!, seq, event, data }) as ServerFrame;
    const running = { message: "m_7", run: "r_5", step: "p_6", agent: "Writer" };
    const error = { code: "quota_exceeded", message: "used up; it renews at …" };
    const retry_at = "2026-12-01T00:00:00.000Z";
    const held = frame(8, "attempt.failed", { ...running, attempt: 1, error, retry_at, permanent: false });
    const waits = after([held], begun);
    expect(waits.sessions[SESSION]!.streaming.m_7).toMatchObject({
      held: error.message,
      failures: 0,
      retry_at,
    });
    const again = frame(9, "message.started", { ...running, attempt: 2 });
    expect(after([again], waits).sessions[SESSION]!.streaming.m_7?.held).toBeUndefined();
  });
});
